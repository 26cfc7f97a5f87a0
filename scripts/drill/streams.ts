/** What clients do during an event: creates at a fixed rate without retries, reads of them, looks at /readyz. */
import type { Answer, ApiClient } from '../bench/api-client.js';
import { pause } from './sessions.js';
import type { Tally } from './tally.js';

const CREATES_PER_SECOND = 80;
/** Of each controller. */
const CREATE_CONNECTIONS = 8;
const IDENTITIES = '/edge/management/v1/identities';
const READ_EVERY_MS = 50;
const LOOK_EVERY_MS = 100;
export const NAME_PREFIX = 'drill-';

export interface Target {
  /** With a session of an administrator. */
  readonly admin: ApiClient;
  readonly name: string;
}

let serial = 0;

/** Runs until it is aborted and all that was sent is answered. */
export async function runStreams(targets: readonly Target[], tally: Tally, signal: AbortSignal): Promise<void> {
  const connections = targets.length * CREATE_CONNECTIONS;
  const periodMs = 1000 * connections / CREATES_PER_SECOND;
  const lanes = targets.flatMap((target, index) => Array.from({ length: CREATE_CONNECTIONS }, (_, lane) => {
    const offsetMs = periodMs * (lane * targets.length + index) / connections;
    return every(periodMs, offsetMs, signal, () => create(target.admin, tally));
  }));
  const others = targets.flatMap(({ admin }) => [
    every(READ_EVERY_MS, 0, signal, () => read(admin, tally)),
    every(LOOK_EVERY_MS, 0, signal, async () => { tally.looked(await attempt(admin, 'GET', '/readyz')); }),
  ]);
  await Promise.all([...lanes, ...others]);
}

async function create(admin: ApiClient, tally: Tally): Promise<void> {
  const name = `${NAME_PREFIX}${serial += 1}`;
  const answer = await attempt(admin, 'POST', IDENTITIES, { name, type: 'User', isAdmin: false });
  tally.created(name, answer, performance.now());
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
