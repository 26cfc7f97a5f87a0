/**
 * Two controllers on one database behind a balancer that never tries again: a restart of each in turn fails no request.
 */
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import { startBalancer } from '../support/ready-balancer.js';
import type { Balancer } from '../support/ready-balancer.js';
import { createClient, expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop, START_DEADLINE_MS } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { MANAGEMENT as M } from '../support/paths.js';

/** Longer than two signals may be apart that count as one. */
const SAME_SIGNAL_MS = 700;
const LEAVING = 'connections are still accepted while balancers find out; then it stops';

describe('a rolling restart behind a balancer', function rolling() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let database: TestDatabase;
  let balancer: Balancer | undefined;
  const key = randomBytes(32).toString('base64');
  before(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => {
    balancer?.close();
  });
  after(async () => {
    await shop.end();
    await database.close();
  });

  const start = (port: number, name: string, more: Readonly<Record<string, string>> = {}): ControllerProcess =>
    shop.start(shop.place(), {
      env: {
        EDGE_LISTEN: `127.0.0.1:${port}`,
        EDGE_NAME: name,
        DATABASE_URL: database.url,
        EDGE_MASTER_KEY: key,
        EDGE_DATABASE_POOL_SIZE: '4',
        EDGE_ADMIN_USERNAME: ADMIN.username,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_LIMIT_LAME_DUCK: '6s',
        ...more,
      },
    });

  /** Once: a process that is at its end is ended by the signal itself. */
  const killAgain = async (controller: ControllerProcess) => {
    const end = performance.now() + SAME_SIGNAL_MS;
    await until('a second signal counts as one', () => performance.now() > end);
    controller.kill('SIGTERM');
  };

  it('fails no request on new connections or on kept ones', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const running = new Map<number, ControllerProcess>();
    for (const port of ports) {
      running.set(port, start(port, `controller-${port}`));
      await running.get(port)?.ready();
    }
    balancer = await startBalancer(ports);
    const { url, healthy } = balancer;
    await until('both are in use', () => healthy().length === 2);
    const login = createClient(url);
    const { token } = expectStatus(await login.post(`${M}/authenticate?method=password`, ADMIN), 200).data as {
      token: string;
    };
    login.close();

    const stream = startStream(url, token);
    for (const port of ports) {
      const before = stream.answered();
      expect(await running.get(port)?.stop()).to.deep.equal({ code: 0, signal: null });
      expect(healthy()).to.have.lengthOf(1);
      running.set(port, start(port, `controller-${port}`));
      await running.get(port)?.ready();
      await until('both are in use', () => healthy().length === 2, START_DEADLINE_MS);
      expect(stream.answered()).to.be.greaterThan(before);
    }
    expect(await stream.stop()).to.deep.equal([]);
  });

  it('waits no longer when it is asked to stop again', async () => {
    const controller = start(await freePort(), 'impatient', { EDGE_LIMIT_LAME_DUCK: '10m' });
    const url = await controller.ready();
    controller.kill('SIGTERM');
    const client = shop.client(url);
    const leaving = await until('it is leaving', async () => {
      const answer = await client.get('/readyz');
      return answer.status === 503 && answer;
    });
    expect(leaving.json).to.deep.equal({ status: 'draining' });
    const fresh = shop.client(url);
    const answer = expectStatus(await fresh.get('/version'), 200);
    expect(answer.headers.connection).not.to.equal('close');
    await killAgain(controller);
    expect(await controller.ended).to.deep.equal({ code: 0, signal: null });
  });

  it('waits no longer with workers either', async () => {
    const controller = start(await freePort(), 'impatient-workers', { EDGE_LIMIT_LAME_DUCK: '10m', EDGE_WORKERS: '2' });
    await controller.ready();
    const said = (text: string) => controller.log().filter(({ msg }) => msg === text).length;
    controller.kill('SIGTERM');
    await until('both workers are leaving', () => said(LEAVING) === 2);
    await killAgain(controller);
    expect(await controller.ended).to.deep.equal({ code: 0, signal: null });
    expect(said('stopping at once'), 'of both workers and the first process').to.be.at.least(3);
  });

  it('is announced by every worker, which then stop', async () => {
    const controller = start(await freePort(), 'with-workers', { EDGE_LIMIT_LAME_DUCK: '12s', EDGE_WORKERS: '2' });
    const url = await controller.ready();
    controller.kill('SIGTERM');
    await until('each answers that it is leaving', async () => {
      const looks = await Promise.all(
        Array.from({ length: 6 }, () => {
          const client = createClient(url);
          return client.get('/readyz').finally(() => {
            client.close();
          });
        }),
      );
      return looks.every(({ status }) => status === 503);
    });
    expect(await controller.ended).to.deep.equal({ code: 0, signal: null });
  });
});

/** Requests on two connections that are kept and on new ones. */
function startStream(url: string, token: string) {
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  const ask = (agent: Agent) =>
    new Promise<void>((resolve) => {
      const path = answered % 2 === 0 ? `${M}/identities?limit=1` : `${M}/current-api-session`;
      const asked = request(`${url}${path}`, { agent, headers: { 'zt-session': token } }, (response) => {
        response.resume();
        response.on('error', (error) => {
          failures.push(`answer: ${error.message}`);
        });
        response.on('close', () => {
          answered += 1;
          if (response.statusCode !== 200) failures.push(`status ${response.statusCode ?? 0}`);
          resolve();
        });
      });
      asked.on('error', (error) => {
        failures.push(`request: ${error.message}`);
        resolve();
      });
      asked.end();
    });
  const lane = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1, rejectUnauthorized: false });
    while (!isOver) await ask(agent);
    agent.destroy();
  };
  const lanes = [lane(true), lane(true), lane(false), lane(false)];
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(lanes);
      return failures;
    },
  };
}
