/**
 * Where and as whom the command may run: ordinary users, odd paths, directories that only root may enter. How long a
 * start takes.
 */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { ProcessShop, otherUser, serverPid } from '../support/process.js';
import type { ProcessOptions } from '../support/process.js';
import { MANAGEMENT } from '../support/paths.js';
import { copyInto, installationFor } from './installation.js';
import { NO_OTHER_USER, NO_ROOT, itUnless } from '../support/unless.js';

const GENEROUS_MS = 60_000;

describe('the command in its place', function () {
  this.timeout(300_000);
  let shop: ProcessShop;
  beforeEach(() => {
    shop = new ProcessShop();
  });
  afterEach(() => shop.end());

  /** First start, a create, a second start that finds it. */
  const live = async (dataDir: string, options: ProcessOptions = {}) => {
    const env = { EDGE_ADMIN_PASSWORD: ADMIN.password, ...options.env };
    const first = shop.start(dataDir, { ...options, env });
    const admin = await shop.login(await first.ready());
    expectStatus(await admin.post(`${MANAGEMENT}/identities`, { name: 'kept', type: 'User', isAdmin: false }), 201);
    expect(await first.stop()).to.deep.equal({ code: 0, signal: null });
    const second = shop.start(dataDir, { ...options, env });
    const again = shop.client(await second.ready(), admin.token);
    expect(expectStatus(await again.get(`${MANAGEMENT}/identities`), 200).meta.pagination?.totalCount).to.equal(2);
    const owner = statSync(`/proc/${serverPid(dataDir) ?? 0}`).uid;
    expect(await second.stop()).to.deep.equal({ code: 0, signal: null });
    expect(first.stderr() + second.stderr()).to.equal('');
    return { serverUid: owner };
  };

  it('runs with a data directory whose path has spaces, quotes and other alphabets', async () => {
    await live(join(shop.place(), `it's my "data" ü 数据`, 'data dir'));
  });

  it('runs with a path that is too long for a socket', async () => {
    await live(join(shop.place(), 'long '.repeat(30).trim(), 'longer-'.repeat(30)));
  });

  itUnless(NO_OTHER_USER, 'runs as an ordinary user, its server too', async () => {
    const owner = otherUser();
    const place = shop.place();
    const { node, main } = await installationFor(owner, shop.place());
    chownSync(place, owner.uid, owner.gid);
    for (const name of ['data', `${'long with spaces'.repeat(5)}/${'er'.repeat(60)}`]) {
      const { serverUid } = await live(join(place, name), { owner, node, main });
      expect(serverUid).to.equal(owner.uid);
    }
    const dataDir = join(place, 'data');
    for (const path of [dataDir, join(dataDir, 'master.key'), join(dataDir, 'postgres')])
      expect(statSync(path).uid, path).to.equal(owner.uid);
  });

  itUnless(NO_ROOT, 'runs as root below a directory that only root may enter, program and data both', async () => {
    const vault = join(shop.place(), 'vault');
    mkdirSync(vault, { mode: 0o700 });
    const { node, main } = copyInto(vault);
    chmodSync(vault, 0o700);
    const { serverUid } = await live(join(vault, 'data'), { node, main });
    expect(serverUid).to.be.greaterThan(0);
  });

  it('starts soon, and sooner the second time', async () => {
    const dataDir = join(shop.place(), 'data');
    const timed = async () => {
      const since = performance.now();
      const controller = shop.start(dataDir);
      const url = await controller.ready();
      expectStatus(await shop.client(url).get('/version'), 200);
      const ms = Math.round(performance.now() - since);
      await controller.stop();
      return ms;
    };
    const [first, second, third] = [await timed(), await timed(), await timed()];
    console.log(`      to the first answer: first start ${first} ms, second ${second} ms, third ${third} ms`);
    for (const ms of [first, second, third]) expect(ms).to.be.lessThan(GENEROUS_MS);
  });
});
