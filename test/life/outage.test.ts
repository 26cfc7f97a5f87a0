/**
 * The database goes away while controllers run: requests fail fast, the process lives, and everything heals by itself.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import type { EmbeddedDatabase } from '../../db/embedded/supervisor.js';
import { clusterProcesses } from '../../db/embedded/processes.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, serverPid, within } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

/** Far from what a request waits for at most: 1.5 s for a silent database, on a machine that may be busy. */
const FAST_MS = 9_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const create = (client: Client): Promise<Answer> =>
  client.post(`${MANAGEMENT}/identities`, { name: unique('outage'), type: 'User', isAdmin: false });

/** A refusal as a client must see it: soon, in the envelope, with a hint when to come back. */
async function expectUnavailable(what: string, request: Promise<Answer>): Promise<void> {
  const answer = await within(what, FAST_MS, request);
  expect(answer.status, what).to.equal(503);
  expect(answer.error?.code, what).to.equal('UNAVAILABLE');
  expect(answer.error?.requestId, what).to.be.a('string').with.length.greaterThan(0);
  expect(answer.headers['retry-after'], what).to.equal('1');
}

/** One request of each kind, all at once: known session and unknown, read and write, login. */
async function expectAllUnavailable(clients: { admin: Client; stranger: Client; anonymous: Client }): Promise<void> {
  const { admin, stranger, anonymous } = clients;
  await Promise.all([
    expectUnavailable('list', admin.get(`${MANAGEMENT}/identities`)),
    expectUnavailable('long list', admin.get(`${MANAGEMENT}/identities?limit=-1`)),
    expectUnavailable('create', create(admin)),
    expectUnavailable('delete', admin.delete(`${MANAGEMENT}/identities/none`)),
    expectUnavailable('unknown session', stranger.get(`${MANAGEMENT}/identities`)),
    expectUnavailable('login', anonymous.post(`${MANAGEMENT}/authenticate?method=password`, { ...ADMIN })),
  ]);
}

describe('an embedded server that is killed under load', function () {
  this.timeout(600_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('costs a few 503, never another answer nor the process, and comes back by itself', async () => {
    const dataDir = shop.dataDir();
    const controller = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password } });
    const url = await controller.ready();
    const admin = await shop.login(url);
    for (let round = 0; round < 3; round += 1) {
      const seen = new Map<number, number>();
      const halt = { now: false };
      let slowest = 0;
      const streams = Array.from({ length: 6 }, async () => {
        const client = shop.client(url, admin.token);
        while (!halt.now) {
          const since = performance.now();
          const { status, error } = await create(client);
          if (status === 503) expect(error?.code).to.equal('UNAVAILABLE');
          slowest = Math.max(slowest, performance.now() - since);
          seen.set(status, (seen.get(status) ?? 0) + 1);
          if (status === 503)
            await new Promise((resolve) => {
              setTimeout(resolve, 10);
            });
        }
      });
      await until('creates are under way', () => (seen.get(201) ?? 0) > 10);
      const killed = serverPid(dataDir) ?? 0;
      process.kill(killed, 'SIGKILL');
      // It may be back too soon for a request to be refused.
      await until('another server runs', () => ![undefined, killed].includes(serverPid(dataDir)));
      const before = seen.get(201) ?? 0;
      await until('creates go on', () => (seen.get(201) ?? 0) > before + 10);
      halt.now = true;
      await Promise.all(streams);
      expect([...seen.keys()].filter((status) => status !== 201 && status !== 503)).to.deep.equal([]);
      expect(slowest).to.be.lessThan(FAST_MS);
    }
    expectStatus(await admin.get(`${CLIENT}/current-api-session`), 200);
    await until('it is ready', async () => (await admin.get('/readyz')).status === 200);
    expect(controller.stderr()).to.equal('');
    expect((await controller.stop()).code).to.equal(0);
  });
});

describe('an external database', function () {
  this.timeout(600_000);
  const shop = new ProcessShop();
  const place = join(shop.place(), 'external');
  const cluster = join(place, 'postgres');
  let server: EmbeddedDatabase;
  let controller: ControllerProcess;
  let clients: { admin: Client; stranger: Client; anonymous: Client };

  /** A backend may end between the look and the signal. */
  const signalAll = (signal: NodeJS.Signals) => {
    clusterProcesses(cluster).forEach((pid) => {
      try {
        process.kill(pid, signal);
      } catch {
        /* it has ended */
      }
    });
  };

  before(async () => {
    server = await startEmbeddedPostgres({ dataDir: place, log: silent });
    const { host, port, user, database } = server.connection;
    const env = {
      DATABASE_URL: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      EDGE_MASTER_KEY_LOCAL: 'true',
      EDGE_ADMIN_PASSWORD: ADMIN.password,
    };
    controller = shop.start(join(shop.place(), 'data'), { env });
    const url = await controller.ready();
    clients = {
      admin: await shop.login(url),
      stranger: shop.client(url, '5f1d4d6a-6a3e-4e9c-9d43-000000000000'),
      anonymous: shop.client(url),
    };
  });
  after(async () => {
    signalAll('SIGCONT');
    await shop.end();
    await server.stop();
  });

  const expectHealed = async () => {
    const { admin } = clients;
    await until('it is ready again', async () => (await admin.get('/readyz')).status === 200);
    await until('creates are acknowledged again', async () => (await create(admin)).status === 201);
    expectStatus(await admin.get(`${CLIENT}/current-api-session`), 200);
    expect((await clients.stranger.get(`${CLIENT}/current-api-session`)).status).to.equal(401);
  };

  it('that hangs: every request that needs it is answered 503 soon, from the first on, until it goes on', async () => {
    signalAll('SIGSTOP');
    try {
      const since = performance.now();
      await expectAllUnavailable(clients);
      const first = performance.now() - since;
      console.log(`      first refusals after ${Math.round(first)} ms`);
      await until('it says that it is not ready', async () => (await clients.anonymous.get('/readyz')).status === 503);
      // Known by now: no more waiting, and no session is believed from memory.
      await until('refusals come sooner', async () => {
        const later = performance.now();
        await expectAllUnavailable(clients);
        return performance.now() - later < first;
      });
      await expectUnavailable('own session', clients.admin.get(`${CLIENT}/current-api-session`));
      expectStatus(await clients.anonymous.get('/livez'), 200);
      expectStatus(await clients.anonymous.get('/version'), 200);
    } finally {
      signalAll('SIGCONT');
    }
    await expectHealed();
  });

  it('that is stopped and started again: the same, and sessions still hold', async () => {
    await server.stop();
    await expectAllUnavailable(clients);
    await until('it says that it is not ready', async () => (await clients.anonymous.get('/readyz')).status === 503);
    expectStatus(await clients.anonymous.get('/livez'), 200);
    await expectAllUnavailable(clients);
    server = await startEmbeddedPostgres({ dataDir: place, log: silent });
    await expectHealed();
  });

  it('that cuts every connection at once: nothing worse than a 503', async () => {
    const killer = shop.client(await controller.ready(), clients.admin.token);
    for (let round = 0; round < 3; round += 1) {
      const requests = Array.from({ length: 12 }, () => create(killer));
      clusterProcesses(cluster)
        .filter((pid) => pid !== postmaster())
        .forEach((pid) => {
          try {
            process.kill(pid, 'SIGTERM');
          } catch {
            /* it has ended */
          }
        });
      for (const { status } of await within('all are answered', FAST_MS, Promise.all(requests)))
        expect(status).to.be.oneOf([201, 503]);
    }
    await expectHealed();
    expect(controller.stderr()).to.equal('');
  });

  it('that hangs while the controller is told to stop: it stops all the same', async () => {
    signalAll('SIGSTOP');
    try {
      controller.kill('SIGTERM');
      expect(await within('it stops', 15_000, controller.ended)).to.deep.equal({ code: 0, signal: null });
    } finally {
      signalAll('SIGCONT');
    }
  });

  const postmaster = () => serverPid(place);
});
