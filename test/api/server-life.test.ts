/** A controller as a process: signs of life, and an end that loses no request. */
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { adminQuery, openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { childEnv, dial, runMain, startLogged } from './server-support.js';
import type { Child } from './server-support.js';
import { within } from '../support/process.js';

const READY_MS = 60_000;

async function urlOf(child: Child): Promise<string> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  return until(
    `the controller is ready: ${child.output.stderr}`,
    () => {
      if (hasEnded) throw new Error(`the controller ended: ${child.output.stderr}${child.output.stdout}`);
      return /"url":"(https:[^"]+)"/.exec(child.output.stdout)?.[1];
    },
    READY_MS,
  );
}

describe('the process', () => {
  let database: TestDatabase;
  let dir: string;
  const children: Child[] = [];
  const start = (more: Readonly<Record<string, string>> = {}, without: readonly string[] = []) => {
    const env = { ...childEnv(join(dir, 'data'), database), ...more };
    const child = runMain(
      ['start'],
      Object.fromEntries(Object.entries(env).filter(([name]) => !without.includes(name))),
    );
    children.push(child);
    return child;
  };
  beforeEach(async () => {
    database = await openTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.process.exitCode === null) child.process.kill('SIGKILL');
      await child.ended;
    }
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("refuses to start with another master key than the network's, in a sentence", async () => {
    const first = start();
    await urlOf(first);
    first.process.kill('SIGTERM');
    await first.ended;
    const second = start({
      EDGE_MASTER_KEY: Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString('base64'),
    });
    expect(await second.ended).to.equal(1);
    expect(second.output.stderr).to.match(/^edge-controller: The master key is not the one/m);
    expect(second.output.stderr).not.to.match(/^\s+at /m);
  });

  it('ends with 1 and a sentence when its port is taken', async () => {
    const first = start();
    const { host } = new URL(await urlOf(first));
    const second = start({ EDGE_LISTEN: host, EDGE_NAME: 'second' });
    expect(await second.ended).to.equal(1);
    expect(second.output.stderr).to.contain(`${host} is in use`);
    expect(second.output.stderr).not.to.match(/^\s+at /m);
  });

  it('starts while a controller of its name lives, and warns', async () => {
    const url = await urlOf(start({ EDGE_NAME: 'same' }));
    const second = start({ EDGE_NAME: 'same', EDGE_DATA_DIR: join(dir, 'other') });
    await urlOf(second);
    expect(second.output.stdout).to.contain('give each a name of its own with EDGE_NAME');
    const client = createClient(url);
    expectStatus(await client.get('/readyz'), 200);
    client.close();
    const { rows } = await database.query('SELECT name FROM controllers');
    expect(rows).to.deep.equal([{ name: 'same' }]);
  });

  it('starts with the name of one that was killed, or was stopped, a moment ago', async () => {
    const killed = start({ EDGE_NAME: 'again' });
    await urlOf(killed);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const stopped = start({ EDGE_NAME: 'again' });
    await urlOf(stopped);
    stopped.process.kill('SIGTERM');
    expect(await stopped.ended).to.equal(0);
    const at = performance.now();
    const { rows } = await database.query(
      "SELECT last_seen_at > now() - interval '4 seconds' AS lives FROM controllers",
    );
    expect(rows).to.deep.equal([{ lives: false }]);
    await urlOf(start({ EDGE_NAME: 'again' }));
    expect(performance.now() - at).to.be.below(READY_MS);
  });

  it('answers every request of a stream on keep-alive connections through SIGTERM, and ends with 0', async () => {
    const child = start({ EDGE_LOG_LEVEL: 'info' });
    const url = await urlOf(child);
    const login = createClient(url);
    const { token } = expectStatus(await login.post(`${C}/authenticate?method=password`, ADMIN), 200).data as {
      token: string;
    };
    login.close();
    const { hostname, port } = new URL(url);
    const failures: string[] = [];
    let answered = 0;
    let afterSignal = 0;
    let isSignalled = false;
    const once = (agent: Agent, path: string) =>
      new Promise<'more' | 'closed'>((resolve) => {
        const outgoing = httpsRequest({ agent, hostname, port, path, headers: { 'zt-session': token } }, (response) => {
          response.resume();
          response.on('error', (error) => {
            failures.push(`answer: ${error.message}`);
            resolve('closed');
          });
          response.on('end', () => {
            answered += 1;
            if (isSignalled) afterSignal += 1;
            if (response.statusCode !== 200) failures.push(`status ${response.statusCode ?? 0}`);
            resolve(response.headers.connection === 'close' ? 'closed' : 'more');
          });
        });
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          // A new connection may be refused: nothing was sent on it.
          if (error.code !== 'ECONNREFUSED') failures.push(`request: ${error.message}`);
          resolve('closed');
        });
        outgoing.end();
      });
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
      while ((await once(agent, lane % 2 === 0 ? `${M}/identities` : `${C}/current-api-session`)) === 'more');
      agent.destroy();
    });
    await until('the stream flows', () => answered > 200);
    isSignalled = true;
    child.process.kill('SIGTERM');
    await Promise.all(lanes);
    expect(failures).to.deep.equal([]);
    expect(afterSignal).to.be.greaterThan(0);
    expect(await child.ended).to.equal(0);
    expect(child.output.stderr).to.equal('');
    expect(child.output.stdout).to.contain('"msg":"stopped"').and.not.contain('"level":"error"');
  });

  it('does not wait at its end for connections that ask nothing', async () => {
    const child = start({ EDGE_LIMIT_HEADERS_TIMEOUT: '5m', EDGE_LIMIT_REQUEST_TIMEOUT: '5m' });
    const url = await urlOf(child);
    const idle = await dial(url);
    const silent = connect(Number(new URL(url).port), new URL(url).hostname);
    silent.on('error', () => undefined);
    const used = createClient(url);
    expectStatus(await used.get('/version'), 200);
    child.process.kill('SIGTERM');
    expect(await within('it ends', 25_000, child.ended)).to.equal(0);
    used.close();
    idle.destroy();
    silent.destroy();
  });

  it('lets a request that is being worked on finish before it ends', async () => {
    const child = start();
    const client = createClient(await urlOf(child));
    const { token } = expectStatus(await client.post(`${C}/authenticate?method=password`, ADMIN), 200).data as {
      token: string;
    };
    await database.query('BEGIN');
    await database.query('LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
    const pending = client.get(`${M}/services`, { headers: { 'zt-session': token } });
    await until('the request waits for the lock', async () => {
      await database.query('SELECT pg_stat_clear_snapshot()'); // a transaction looks once
      return (
        (
          await database.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rows.length > 0
      );
    });
    child.process.kill('SIGTERM');
    await until('it is stopping', () => child.output.stdout.includes('"msg":"stopping"'));
    await database.query('COMMIT');
    const answer = expectStatus(await pending, 200);
    expect(answer.headers.connection).to.equal('close');
    client.close();
    expect(await child.ended).to.equal(0);
  });
});

describe('signs of life', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  it('need no session, say what they check, and are on no API', async () => {
    const controller = await startLogged(database);
    try {
      const client = controller.client();
      for (const path of ['/livez', '/readyz']) {
        expect(expectStatus(await client.get(path), 200).json).to.deep.equal({ status: 'ok' });
        const head = await client.send('HEAD', path);
        expect([head.status, head.text]).to.deep.equal([200, '']);
        expectFault(await client.post(path), 404, 'NOT_FOUND');
        expectFault(await client.get(`${C}${path}`), 404, 'NOT_FOUND');
      }
      const { data, meta } = expectStatus(await client.get('/health-checks'), 200);
      expect(meta).to.deep.equal({});
      expect((data as { healthy: boolean; checks: { id: string; healthy: boolean }[] }).healthy).to.equal(true);
      expect((data as { checks: { id: string; healthy: boolean }[] }).checks[0]).to.include({
        id: 'database',
        healthy: true,
      });
    } finally {
      await controller.stop();
    }
  });

  it('tell a database that cannot be reached from a process that is dead', async () => {
    const controller = await startLogged(database, { EDGE_DATABASE_PATIENCE: '200ms' });
    try {
      const client = controller.client();
      const name = (await database.query('SELECT current_database() AS name')).rows[0]?.['name'] as string;
      await adminQuery(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid()`,
      );
      try {
        const unready = await until('it is not ready', async () => {
          const answer = await client.get('/readyz');
          return answer.status === 503 && answer;
        });
        expect(unready.json).to.have.property('status', 'not ready');
        expect(unready.json)
          .to.have.property('reason')
          .that.matches(/^the database /);
        expectStatus(await client.get('/livez'), 200);
        const health = await client.get('/health-checks');
        expect(health.status).to.equal(503);
        expect((health.data as { healthy: boolean }).healthy).to.equal(false);
        const refused = await client.post(`${C}/authenticate?method=password`, ADMIN);
        expectFault(refused, 503, 'UNAVAILABLE');
        expect(Number(refused.headers['retry-after'])).to.be.at.least(1);
        expectStatus(await client.get('/version'), 200);
      } finally {
        await adminQuery(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      }
      await until('it is ready again', async () => (await client.get('/readyz')).status === 200);
      expectStatus(await client.post(`${C}/authenticate?method=password`, ADMIN), 200);
    } finally {
      await controller.stop();
    }
  });
});
