/** What the APIs cost beside routers: the same requests without any, with all of them, and while they come back. */
import type { ApiClient } from '../api-client.js';
import { LoadGenerator } from '../load.js';
import type { LoadResult } from '../load.js';
import { CLIENT, MANAGEMENT, requestBytes } from '../world.js';
import type { RequestParts } from '../world.js';
import { childCpuSeconds, cpuSeconds } from './processes.js';

export interface RestCase {
  readonly name: string;
  readonly request: RequestParts;
}

export interface RestFigure {
  readonly name: string;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  /** Of the controller's process, and of PostgreSQL's. */
  readonly cpuMsEach: number;
  readonly databaseMsEach: number;
}

export interface RestTarget {
  readonly url: string;
  /** Asked for at each use: it may be restarted. */
  readonly pid: () => number;
}

const CONNECTIONS = 4;

/** @param client  of an identity that may dial the service */
export function restCases(admin: ApiClient, client: ApiClient, ids: { identityId: string; serviceId: string }) {
  const { identityId, serviceId } = ids;
  const read = (name: string, path: string, token = admin.token): RestCase => ({
    name,
    request: { method: 'GET', path, token },
  });
  return [
    read('current API session', `${CLIENT}/current-api-session`, client.token),
    read('identity by id', `${MANAGEMENT}/identities/${identityId}`),
    read('identities 10', `${MANAGEMENT}/identities?limit=10`),
    read('edge routers 10', `${MANAGEMENT}/edge-routers?limit=10`),
    read('client services 10', `${CLIENT}/services?limit=10`, client.token),
    {
      name: 'session again',
      request: { method: 'POST', path: `${CLIENT}/sessions`, token: client.token, body: { serviceId, type: 'Dial' } },
    },
    {
      name: 'identity patched',
      request: {
        method: 'PATCH',
        path: `${MANAGEMENT}/identities/${identityId}`,
        token: admin.token,
        body: { tags: { floor: '1' } },
      },
    },
  ] satisfies RestCase[];
}

export class RestProbe {
  readonly #load = new LoadGenerator(1);

  constructor(readonly target: RestTarget) {}

  /** One case after another, as fast as they go. */
  async measure(cases: readonly RestCase[], seconds: number): Promise<RestFigure[]> {
    const figures: RestFigure[] = [];
    for (const { name, request } of cases) {
      const pid = this.target.pid();
      await this.#run([request], { seconds: 0.3, connections: CONNECTIONS });
      const [cpu, database] = [cpuSeconds(pid), childCpuSeconds(pid)];
      const result = await this.#run([request], { seconds, connections: CONNECTIONS });
      const each = (before: number, after: number) => ((after - before) * 1000) / Math.max(1, result.completed);
      figures.push({
        name,
        ...result,
        cpuMsEach: each(cpu, cpuSeconds(pid)),
        databaseMsEach: each(database, childCpuSeconds(pid)),
      });
    }
    return figures;
  }

  /** At an easy pace on two connections: what somebody notices while something else goes on. */
  watch(cases: readonly RestCase[], seconds: number): Promise<LoadResult> {
    return this.#run(
      cases.map(({ request }) => request),
      { seconds, connections: 2, restMs: 20 },
    );
  }

  close(): Promise<void> {
    return this.#load.close();
  }

  #run(requests: readonly RequestParts[], plan: { seconds: number; connections: number; restMs?: number }) {
    const { hostname: host, port } = new URL(this.target.url);
    const target = { host, port: Number(port) };
    return this.#load.run(target, {
      requests: requests.map((parts) => requestBytes({ target }, parts)),
      mode: 'cycle',
      ...plan,
    });
  }
}
