/** Several workers share one port. Against the real command. */
import { connect as connectSocket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { FEED_NAME } from '../../server/changes/change-feed.js';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { askMetrics, kindsIn, valueIn } from '../support/metrics.js';
import { HEARD_MS, until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop, isAlive } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { dial, parseRaw, readToEnd } from '../api/server-support.js';
import { textOf } from '../support/proc.js';

const WORKERS = 3;

/** Pids of a process's children that are workers: the same program, by its command line. */
function workersOf(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`)
    .trim()
    .split(/\s+/)
    .filter((text) => text !== '')
    .map(Number);
  return children.filter((child) => textOf(`/proc/${child}/cmdline`).includes('commands/main.js'));
}

/** Pids of the database's side of the connections by which the workers hear of changes. */
async function feedsOf(dataDir: string): Promise<number[]> {
  const client = new pg.Client(runningConnection(dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [FEED_NAME],
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}

/** For those five seconds, on a machine that is busy. */
const UNHEARD_MS = 20_000;

describe('several workers on one port', function workers() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let controller: ControllerProcess;
  let url: string;
  let metricsUrl: string;
  const clients: Client[] = [];
  /** Each client has a connection of its own, so that together they reach every worker. */
  const fresh = (token?: string) => {
    const client = createClient(url, token);
    clients.push(client);
    return client;
  };
  const login = async () =>
    (expectStatus(await fresh().post('/authenticate?method=password', ADMIN), 200).data as { token: string }).token;

  before(async () => {
    const metrics = `127.0.0.1:${await freePort()}`;
    metricsUrl = `http://${metrics}/metrics`;
    controller = shop.start(shop.dataDir(), {
      env: {
        EDGE_WORKERS: String(WORKERS),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_ADMIN_USERNAME: ADMIN.username,
        EDGE_PROXY_PROTOCOL_FROM: '127.0.0.2',
        EDGE_METRICS_LISTEN: metrics,
        EDGE_METRICS_TLS: 'off',
      },
    });
    url = await controller.ready();
  });
  after(async () => {
    clients.forEach((client) => {
      client.close();
    });
    await shop.end();
  });

  it('are as many processes as asked for', () => {
    expect(workersOf(controller.pid)).to.have.length(WORKERS);
  });

  it('all take the address of a client from a balancer', async () => {
    const token = await login();
    for (let i = 0; i < 2 * WORKERS; i += 1) {
      const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: '127.0.0.2' });
      socket.write(Buffer.from('0d0a0d0a000d0a515549540a2111000ccb0071090a000001303901bb', 'hex')); // from 203.0.113.9
      const secure = await dial(url, { socket });
      const body = JSON.stringify(ADMIN);
      secure.write(
        `POST ${M}/authenticate?method=password HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
          `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      const { data } = JSON.parse(parseRaw(await readToEnd(secure)).body) as { data: { ipAddress: string } };
      expect(data.ipAddress).to.equal('203.0.113.9');
    }
    expectStatus(await fresh(token).get(`${M}/current-api-session`), 200);
  });

  it('all know a session that one of them opened, and what one of them wrote', async () => {
    const token = await login();
    const made = expectStatus(
      await fresh(token).post(`${M}/identities`, { name: 'everywhere', type: 'User', isAdmin: false }),
      201,
    ).data as { id: string };
    for (let i = 0; i < 4 * WORKERS; i += 1) expectStatus(await fresh(token).get(`${M}/identities/${made.id}`), 200);
  });

  it('all refuse a session soon after its end on one of them', async () => {
    const token = await login();
    const others = Array.from({ length: 4 * WORKERS }, () => fresh(token));
    for (const other of others) expectStatus(await other.get(`${M}/current-api-session`), 200);
    expectStatus(await fresh(token).delete(`${M}/current-api-session`), 200);
    await Promise.all(
      others.map((other) =>
        until(
          'the session is refused',
          async () => (await other.get(`${M}/current-api-session`)).status === 401,
          HEARD_MS,
        ),
      ),
    );
  });

  it('all refuse it within five seconds when they cannot hear each other, and go on working', async () => {
    const token = await login();
    const others = Array.from({ length: 4 * WORKERS }, () => fresh(token));
    for (const other of others) expectStatus(await other.get(`${M}/current-api-session`), 200);
    const deaf = await feedsOf(controller.dataDir);
    expect(deaf).to.have.length(WORKERS);
    // The connections stay up and say nothing more: no one learns that they are cut.
    deaf.forEach((pid) => {
      process.kill(pid, 'SIGSTOP');
    });
    try {
      expectStatus(await fresh(token).delete(`${M}/current-api-session`), 200);
      await Promise.all(
        others.map((other) =>
          until(
            'the session is refused',
            async () => (await other.get(`${M}/current-api-session`)).status === 401,
            UNHEARD_MS,
          ),
        ),
      );
      const next = await login();
      for (let i = 0; i < 4 * WORKERS; i += 1) expectStatus(await fresh(next).get(`${M}/current-api-session`), 200);
    } finally {
      deaf.forEach((pid) => {
        process.kill(pid, 'SIGCONT');
      });
    }
  });

  const VERSIONS = { api: 'management', operation: 'listVersion', status: '2xx' };
  /** Also while the worker that listens is being replaced. */
  const readMetrics = () =>
    until(
      'metrics are read',
      async () => {
        const answer = await askMetrics(metricsUrl).catch(() => undefined);
        return answer?.status === 200 ? answer.text : undefined;
      },
      UNHEARD_MS,
    );
  const versions = async () => valueIn(await readMetrics(), 'edge_http_requests_total', VERSIONS) ?? 0;

  it('are counted together, at one address', async () => {
    const before = await versions();
    for (let i = 0; i < 4 * WORKERS; i += 1) expectStatus(await fresh().get(`${M}/version`), 200);
    await until('all are counted', async () => (await versions()) === before + 4 * WORKERS);
    const text = await until('all answer, and the database in time', async () => {
      const found = await readMetrics();
      const isWhole = valueIn(found, 'edge_workers') === WORKERS && valueIn(found, 'edge_ready') === 1;
      return isWhole && found.includes('\nedge_entities{') && found;
    });
    expect(valueIn(text, 'process_resident_memory_bytes')).to.be.greaterThan(0);
    expect(valueIn(text, 'edge_db_pool_max_connections')).to.equal(20);
    const names = kindsIn(text).map(({ name }) => name);
    expect(names).to.have.length.greaterThan(50);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('replace one that is killed, while the others go on', async () => {
    const token = await login();
    const counted = await versions();
    expect(counted).to.be.greaterThan(0);
    const [victim] = workersOf(controller.pid);
    if (victim === undefined) throw new Error('no worker');
    process.kill(victim, 'SIGKILL');
    await until('another one takes its place', () => {
      const now = workersOf(controller.pid);
      return now.length === WORKERS && !now.includes(victim);
    });
    for (let i = 0; i < 4 * WORKERS; i += 1) {
      await until(
        'the answer',
        async () =>
          (
            await fresh(token)
              .get(`${M}/current-identity`)
              .catch(() => undefined)
          )?.status === 200,
      );
    }
    expect(controller.log().some(({ msg }) => msg === 'a worker ended and is replaced')).to.equal(true);
    // What it counted is not lost with it: a sum that falls looks like a restart of all.
    expect(await versions()).to.equal(counted);
  });

  it('end all with the first process, database included', async () => {
    const pids = workersOf(controller.pid);
    expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
    expect(pids.filter(isAlive)).to.deep.equal([]);
  });
});
