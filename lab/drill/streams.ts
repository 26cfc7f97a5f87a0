/** What clients do during an event: creates at a fixed rate without retries, reads of them, logins, looks at readyz. */
import { ApiClient } from '../bench/api-client.js';
import type { Answer } from '../bench/api-client.js';
import { LOGIN, pause } from './sessions.js';
import type { Credentials } from './sessions.js';
import type { Tally } from './tally.js';

const IDENTITIES = '/edge/management/v1/identities';
const READ_EVERY_MS = 50;
const LOOK_EVERY_MS = 100;
/** Rare: each of them is a password to hash. */
const LOGIN_EVERY_MS = 500;
export const NAME_PREFIX = 'drill-';

export interface Target {
  /** With a session of an administrator. */
  readonly admin: ApiClient;
  readonly name: string;
}

export interface Pace {
  /** Over all targets. */
  readonly createsPerSecond: number;
  /** Of each target. */
  readonly connections: number;
  /** Logins as well. */
  readonly credentials?: Credentials;
}

let serial = 0;

/** Runs until it is aborted and all that was sent is answered. */
export async function runStreams(
  targets: readonly Target[],
  tally: Tally,
  signal: AbortSignal,
  { createsPerSecond, connections, credentials }: Pace,
): Promise<void> {
  const all = targets.length * connections;
  const periodMs = (1000 * all) / createsPerSecond;
  const lanes = targets.flatMap((target, index) =>
    Array.from({ length: connections }, (_, lane) => {
      const offsetMs = (periodMs * (lane * targets.length + index)) / all;
      return every(periodMs, offsetMs, signal, () => create(target.admin, tally));
    }),
  );
  const others = targets.flatMap(({ admin }) => [
    every(READ_EVERY_MS, 0, signal, () => read(admin, tally)),
    every(LOOK_EVERY_MS, 0, signal, async () => {
      tally.looked(await attempt(admin, 'GET', '/readyz'));
    }),
    ...(credentials === undefined ? [] : [logins(admin.baseUrl, credentials, tally, signal)]),
  ]);
  await Promise.all([...lanes, ...others]);
}

async function create(admin: ApiClient, tally: Tally): Promise<void> {
  const name = `${NAME_PREFIX}${(serial += 1)}`;
  const sentAt = performance.now();
  const answer = await attempt(admin, 'POST', IDENTITIES, { name, type: 'User', isAdmin: false });
  const now = performance.now();
  tally.created(name, answer, now, now - sentAt);
}

async function logins(url: string, credentials: Credentials, tally: Tally, signal: AbortSignal): Promise<void> {
  const stranger = new ApiClient(url);
  await every(LOGIN_EVERY_MS, 0, signal, async () => {
    tally.loggedIn(await attempt(stranger, 'POST', LOGIN, credentials));
  });
  stranger.close();
}

/** What was acknowledged last, mostly by the other controller. */
async function read(admin: ApiClient, tally: Tally): Promise<void> {
  if (tally.lastId !== undefined) tally.read(await attempt(admin, 'GET', `${IDENTITIES}/${tally.lastId}`));
}

/** At a fixed rate; what a slow answer makes late is not made up for. */
async function every(periodMs: number, offsetMs: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  for (let due = performance.now() + offsetMs; !signal.aborted; due = Math.max(due + periodMs, performance.now())) {
    await pause(Math.max(0, due - performance.now()), signal);
    if (!signal.aborted) await act();
  }
}

/** Undefined when the connection broke. */
const attempt = (client: ApiClient, method: string, path: string, body?: unknown): Promise<Answer | undefined> =>
  client.send(method, path, body).catch(() => undefined);
