/**
 * Starts before the database: they wait for what passes, say why, end at once when they are stopped, and do not wait
 * for what stays.
 */
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop, within } from '../support/process.js';
import { startSystemPostgres, systemBinaries } from './system-postgres.js';
import type { SystemPostgres } from './system-postgres.js';

const listen = async (server: Server, port = 0): Promise<number> => {
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
};
const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });

describe('a start before the database', function () {
  this.timeout(600_000);
  const binaries = systemBinaries();
  const shop = new ProcessShop();
  let server: SystemPostgres;
  let url: string;
  before(async () => {
    server = await startSystemPostgres(binaries, 'C.UTF-8');
    url = await server.newDatabase('waited');
  });
  after(async () => {
    await shop.end();
    await (server as SystemPostgres | undefined)?.stop();
  });

  const masterKey = newMasterKey();
  const start = (to: string, env: Record<string, string> = {}) =>
    shop.start(join(shop.place(), 'data'), {
      env: { DATABASE_URL: to, EDGE_MASTER_KEY: masterKey, EDGE_ADMIN_PASSWORD: ADMIN.password, ...env },
    });
  type Started = ReturnType<typeof start>;
  const waitsFor = (controller: Started, outage: string) =>
    until(
      `it waits: ${outage}`,
      () => controller.log().find((line) => line['outage'] === outage && line.msg.startsWith('the start waits: ')),
      20_000,
    );

  for (const workers of ['1', '2']) {
    it(`waits for one that refuses connections, ${workers} process${workers === '1' ? '' : 'es'}`, async () => {
      const port = await freePort();
      const controller = start(url.replace(`:${server.port}/`, `:${port}/`), { EDGE_WORKERS: workers });
      await waitsFor(controller, 'unreachable');
      const forward = createServer((socket) => {
        const onward = connect(server.port, '127.0.0.1');
        for (const [one, other] of [
          [socket, onward],
          [onward, socket],
        ] as const)
          one
            .on('error', () => undefined)
            .on('close', () => {
              other.destroy(); // what the other end still sends is read by nobody
            })
            .pipe(other);
      });
      await listen(forward, port);
      await controller.ready();
      expect(controller.log().filter(({ msg }) => msg === 'the database can be used now')).to.have.length(1);
      expect((await controller.stop()).code).to.equal(0);
      expect(controller.stderr()).to.equal('');
      await close(forward);
    });
  }

  it('waits for one that only reads, until it writes', async () => {
    await server.query('ALTER ROLE waited SET default_transaction_read_only = on');
    const controller = start(url);
    await waitsFor(controller, 'readOnly');
    await server.query('ALTER ROLE waited RESET default_transaction_read_only');
    await controller.ready();
    expect((await controller.stop()).code).to.equal(0);
  });

  it('ends at once when it is stopped while it waits, even for one that never answers', async () => {
    const mute = createServer((socket) => {
      socket.on('error', () => undefined).resume();
    });
    const port = await listen(mute);
    const opened = new Promise((resolve) => {
      mute.once('connection', resolve);
    });
    const controller = start(`postgresql://u:p@127.0.0.1:${port}/db`, { EDGE_DATABASE_START_PATIENCE: '1h' });
    await opened;
    controller.kill('SIGTERM');
    expect(await within('it stops', 20_000, controller.ended)).to.deep.equal({ code: 0, signal: null });
    expect(controller.stderr()).to.equal('');
    await close(mute);
  });

  it('ends with one sentence when its patience is over', async () => {
    const controller = start(`postgresql://u:p@127.0.0.1:${await freePort()}/db`, {
      EDGE_DATABASE_START_PATIENCE: '1s',
    });
    expect((await within('it ends', 20_000, controller.ended)).code).to.equal(1);
    expect(controller.stderr()).to.match(
      /^edge-controller: The database .* at 127\.0\.0\.1:\d+ \(db\) cannot be reached: .*ECONNREFUSED.*\n$/,
    );
  });

  it('does not wait for what stays: password, user, database, right, version of TLS', async () => {
    await server.newDatabase('closed');
    await server.query('REVOKE CONNECT ON DATABASE closed FROM PUBLIC');
    const cases: readonly (readonly [string, RegExp])[] = [
      [url.replace(/:[^:@]*@/, ':wrong-s3cret@'), /the password or the user is wrong \(28P01\)/],
      [url.replace('//waited:', '//unknown-s3cret:'), /the password or the user is wrong \(28P01\)/],
      [url.replace(/\/waited$/, '/nowhere'), /the database does not exist \(3D000\)/],
      [url.replace(/\/waited$/, '/closed'), /the user has no right to connect \(42501\)/],
      [`${url}?sslmode=require`, /TLS to the database fails/],
    ];
    for (const [to, sentence] of cases) {
      const controller = start(to, { EDGE_DATABASE_START_PATIENCE: '1h' });
      expect((await within(`it ends: ${String(sentence)}`, 25_000, controller.ended)).code).to.equal(1);
      expect(controller.stderr())
        .to.match(sentence)
        .and.not.match(/s3cret|\n {4}at |\n./);
    }
  });
});
