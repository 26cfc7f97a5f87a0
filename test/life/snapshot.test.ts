/**
 * The commands of a backup by snapshot, as an operator runs them: what was the network is the network again, in another
 * place; and every refusal leaves nothing behind.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import type { OperationSpec } from '../../generated/operation.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { createCertificateClient } from '../support/certificates.js';
import { enrollByRequest } from '../support/certified.js';
import type { Certified } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { make } from '../support/entities.js';
import { withoutNews } from '../support/page.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { ProcessShop, within } from '../support/process.js';
import type { Exit } from '../support/process.js';

const env = { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_NAME: 'north' };
const PASSWORD = 'an old password 1';
const STOPPED: Exit = { code: 0, signal: null };

/**
 * Every list of the management API that needs no id, in its path or its query, but the documents, which begin with each
 * start, and the audit record, which goes on with each login.
 */
const LISTS = Object.values<OperationSpec>(operations.management)
  .filter(({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/specs' && path !== '/audit')
  .filter(
    ({ parameters }) => parameters.some(({ name }) => name === 'limit') && !parameters.some(({ required }) => required),
  )
  .map(({ path }) => path);
/** What time alone changes: last use, and when a controller joined. */
const PASSING = new Set(['cachedLastActivityAt', 'lastActivityAt', 'lastJoinedAt', 'isOnline']);

describe('a backup by snapshot', function backup() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let dataDir: string;
  let file: string;
  let key: string;
  let user: string;
  let certified: Certified;
  let lists: Record<string, unknown>;
  let records: readonly { readonly id: string }[];

  const recordsOf = async (admin: Client) => {
    const { data } = expectStatus(await admin.get(`${MANAGEMENT}/audit?limit=-1`), 200);
    return data as { readonly id: string }[];
  };
  const listsOf = async (admin: Client): Promise<Record<string, unknown>> => {
    const found: Record<string, unknown> = {};
    for (const path of LISTS) {
      const { data } = expectStatus(await admin.get(`${MANAGEMENT}${path}?limit=-1&sort=id`), 200);
      const items = (data as (string | Record<string, unknown>)[]).map((item) =>
        typeof item === 'string'
          ? item
          : Object.fromEntries(
              Object.entries(item).filter(
                ([name]) => !PASSING.has(name) && !(name === 'updatedAt' && /api-sessions|controllers/.test(path)),
              ),
            ),
      );
      found[path] = items;
    }
    return found;
  };
  /** Runs the command to its end. */
  const restore = async (place: string, from: string, settings: Readonly<Record<string, string>> = {}) => {
    const command = shop.start(place, { args: ['restore', from], env: { ...env, ...settings } });
    const { code } = await within('the restore ends', 60_000, command.ended);
    return { code, stdout: command.stdout(), stderr: withoutNews(command.stderr()) };
  };

  before(async () => {
    dataDir = shop.dataDir();
    const controller = shop.start(dataDir, { env });
    const url = await controller.ready();
    const admin = await shop.login(url);
    const anonymous = shop.client(url);
    user = await make({ admin }, 'identities', {
      name: 'anna',
      type: 'User',
      isAdmin: false,
      roleAttributes: ['staff'],
    });
    await make({ admin }, 'authenticators', { identityId: user, method: 'updb', username: 'anna', password: PASSWORD });
    certified = await enrollByRequest({ admin, anonymous }, user);
    const service = await make({ admin }, 'services', {
      name: 'mail',
      encryptionRequired: true,
      roleAttributes: ['x'],
    });
    await make({ admin }, 'service-policies', {
      name: 'staff',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: [`@${service}`],
    });
    await make({ admin }, 'edge-routers', { name: 'router', isTunnelerEnabled: true });
    await make({ admin }, 'controller-settings', { controllerId: 'global', oidc: { redirectUris: ['app://x'] } });
    expectStatus(await admin.post(`${CLIENT}/current-identity/mfa`), 201);
    lists = await listsOf(admin);
    records = await recordsOf(admin);
    expectStatus(await admin.post(`${MANAGEMENT}/database/snapshot`), 200);
    expect(await controller.stop()).to.deep.equal(STOPPED);
    const [name = ''] = readdirSync(join(dataDir, 'snapshots'));
    file = join(dataDir, 'snapshots', name);
    key = readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
  });
  after(() => shop.end());

  it('is refused without the master key, with another one, and when damaged, and makes nothing', async () => {
    const place = join(shop.place(), 'data');
    const missing = await restore(place, file);
    expect(missing).to.include({ code: 1, stdout: '' });
    expect(missing.stderr).to.match(
      /^edge-controller: The master key of this network is missing: .*set EDGE_MASTER_KEY\.\n$/,
    );
    const wrong = await restore(place, file, { EDGE_MASTER_KEY: newMasterKey() });
    expect(wrong.code).to.equal(1);
    expect(wrong.stderr).to.match(/^edge-controller: The master key is not that of the network in this snapshot/);
    const half = join(shop.place(), 'half');
    writeFileSync(half, readFileSync(file).subarray(0, 5_000));
    const damaged = await restore(place, half, { EDGE_MASTER_KEY: key });
    expect(damaged.code).to.equal(1);
    expect(damaged.stderr).to.match(/^edge-controller: The snapshot .* is damaged, or is none: it ends too early/);
    expect(existsSync(place)).to.equal(false);
  });

  it('is refused where a network is, which works on', async () => {
    const refused = await restore(dataDir, file);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^edge-controller: The database is not empty, so nothing was restored/);
    const controller = shop.start(dataDir, { env });
    const url = await controller.ready();
    const busy = await restore(dataDir, file);
    expect(busy.code).to.equal(1);
    expect(busy.stderr).to.match(/is in use by another controller/);
    expect(await listsOf(await shop.login(url))).to.have.property('/identities');
    expect(await controller.stop()).to.deep.equal(STOPPED);
  });

  it('gives the same network in another data directory: lists, passwords, certificates', async () => {
    const place = join(shop.place(), 'elsewhere', 'data');
    mkdirSync(place, { recursive: true, mode: 0o700 });
    copyFileSync(join(dataDir, 'master.key'), join(place, 'master.key'));
    const restored = await restore(place, file);
    expect(restored.stderr).to.equal('');
    expect(restored.code).to.equal(0);
    expect(restored.stdout).to.match(
      /The network of \S+ is restored, as it was on .*\n {2}tables {2}\d+\n {2}rows {4}\d+\n/,
    );
    const controller = shop.start(place, { env });
    const url = await controller.ready();
    const admin = await shop.login(url);
    const after = await listsOf(admin);
    const ids = new Set(records.map(({ id }) => id));
    expect((await recordsOf(admin)).filter(({ id }) => ids.has(id))).to.deep.equal(records);
    const { '/api-sessions': sessions, ...others } = lists;
    const { '/api-sessions': sessionsAfter, ...othersAfter } = after;
    for (const path of Object.keys(others)) expect(othersAfter[path], path).to.deep.equal(others[path]);
    expect(sessionsAfter).to.deep.include.members(sessions as object[]);
    await shop.login(url, PASSWORD, 'anna');
    const client = createCertificateClient(url, certified.shown);
    try {
      const answer = expectStatus(await client.post(`${CLIENT}/authenticate?method=cert`, {}), 200);
      expect((answer.data as { identityId: string }).identityId).to.equal(user);
    } finally {
      client.close();
    }
    expect(await controller.stop()).to.deep.equal(STOPPED);
  });

  it('gives it in a database of DATABASE_URL, too, and a second restore is refused', async () => {
    const database = await openTestDatabase({ isEmpty: true });
    const settings = { DATABASE_URL: database.url, EDGE_MASTER_KEY: key, EDGE_DATABASE_POOL_SIZE: '4' };
    const place = join(shop.place(), 'data');
    const restored = await restore(place, file, settings);
    expect([restored.code, restored.stderr]).to.deep.equal([0, '']);
    expect((await restore(place, file, settings)).stderr).to.match(/The database is not empty/);
    const controller = shop.start(place, { env: { ...env, ...settings } });
    const admin = await shop.login(await controller.ready());
    const after = await listsOf(admin);
    expect(after['/identities']).to.deep.equal(lists['/identities']);
    expect(after['/services']).to.deep.equal(lists['/services']);
    expect(await controller.stop()).to.deep.equal(STOPPED);
    await database.close();
  });
});
