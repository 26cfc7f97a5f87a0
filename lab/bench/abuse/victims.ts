/**
 * Callers that only want their usual answers: each kind asks at an easy pace on a connection and in a thread of its
 * own.
 */
import { LoadGenerator, SERIAL } from '../load.js';
import type { LoadResult } from '../load.js';
import { CLIENT, MANAGEMENT, requestBytes } from '../world.js';
import { get } from './attack.js';
import { encoded, filtered } from './world.js';
import type { AbuseWorld } from './world.js';

export const KINDS = ['identity', 'services', 'admin', 'login'] as const;
export type Kind = (typeof KINDS)[number];

export type Suffered = Readonly<Record<Kind, Pick<LoadResult, 'p50Ms' | 'p99Ms' | 'statuses'>>>;

const REST_MS: Readonly<Record<Kind, number>> = { identity: 15, services: 15, admin: 15, login: 100 };

const NEW = encoded(`name contains "${SERIAL}"`);

function requestsOf(kind: Kind, world: AbuseWorld) {
  const {
    victim: {
      client: { token },
      username,
      password,
    },
    overseer,
  } = world;
  switch (kind) {
    case 'identity':
      return [get(`${CLIENT}/current-identity`, token)];
    // One that is kept, and one that has to be read.
    case 'services':
      return [get(`${CLIENT}/services`, token), get(filtered(`name contains "${SERIAL}"`), token)];
    case 'admin':
      return [
        get(`${MANAGEMENT}/identities?limit=10`, overseer.token),
        get(`${MANAGEMENT}/identities?filter=${NEW}`, overseer.token),
      ];
    case 'login':
      return [{ method: 'POST', path: `${CLIENT}/authenticate?method=password`, body: { username, password } }];
  }
}

export class Victims {
  readonly #threads = KINDS.map((kind) => [kind, new LoadGenerator(1)] as const);

  constructor(readonly world: AbuseWorld) {}

  async suffer(seconds: number): Promise<Suffered> {
    const results = await Promise.all(
      this.#threads.map(async ([kind, thread]) => {
        const requests = requestsOf(kind, this.world).map((parts) => requestBytes(this.world, parts));
        return [
          kind,
          await thread.run(this.world.target, {
            requests,
            mode: 'cycle',
            connections: 1,
            seconds,
            restMs: REST_MS[kind],
          }),
        ] as const;
      }),
    );
    return Object.fromEntries(results) as unknown as Suffered;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(([, thread]) => thread.close()));
  }
}
