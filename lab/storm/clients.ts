/** Clients that all come back at once: each logs in by its certificate or token on a new connection, until it is in. */
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { SecureContext } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import { CLIENT as C } from '../../test/support/paths.js';

/** An answer that takes longer is given up, as an SDK would. */
const PATIENCE_MS = 30_000;
/** Waited after a refusal that says nothing of it, and up to as long again by chance. */
const RETRY_MS = 1_000;

export interface StormTally {
  /** How long each client waited until it was in, in milliseconds from the begin of the storm. */
  readonly waits: number[];
  /** Attempts that did not let a client in, by what came of them. */
  readonly refusals: Map<string, number>;
  /** Attempts in all. */
  attempts: number;
}

export const newTally = (): StormTally => ({ waits: [], refusals: new Map(), attempts: 0 });

interface Attempt {
  /** Status of the answer, or the code of the error. */
  readonly what: string;
  readonly retryMs: number;
}

export interface Client {
  /** Has the certificate that it shows in the handshake. */
  readonly secureContext?: SecureContext;
  /** JWT of an external provider. */
  readonly token?: string;
  /** Address that it comes from: the clients of a network have one each. */
  readonly localAddress?: string;
}

/** Address of the client of that number. Linux alone has all of 127.0.0.0/8; elsewhere all share one. */
export const sourceOf = (index: number): { readonly localAddress?: string } =>
  process.platform === 'linux' ? { localAddress: `127.1.${(index >> 8) & 255}.${index & 255}` } : {};

function attempt(url: string, path: string, body: object, client: Client): Promise<Attempt> {
  const payload = JSON.stringify(body);
  const { token, ...way } = client;
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    // The types of `https` leave out what it hands to the connection.
    const options: RequestOptions & Pick<Client, 'secureContext'> = {
      method: 'POST',
      agent: false,
      rejectUnauthorized: false,
      timeout: PATIENCE_MS,
      headers,
      ...way,
    };
    const asking = request(new URL(path, url), options, (answer) => {
      const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
      answer.resume();
      answer.once('close', () => {
        asking.destroy();
        resolve({ what: String(answer.statusCode), retryMs: Number.isNaN(seconds) ? RETRY_MS : seconds * 1_000 });
      });
    });
    asking.once('timeout', () => asking.destroy(Object.assign(new Error('late'), { code: 'late' })));
    asking.once('error', (error: NodeJS.ErrnoException) => {
      resolve({ what: error.code ?? error.message, retryMs: RETRY_MS });
    });
    asking.end(payload);
  });
}

/** Resolves when this client is in, or the time is up. */
export async function comeBack(
  url: string,
  client: Client,
  tally: StormTally,
  { beganAt, untilMs }: { readonly beganAt: number; readonly untilMs: number },
): Promise<void> {
  const method = client.token === undefined ? 'cert' : 'ext-jwt';
  while (performance.now() < untilMs) {
    tally.attempts += 1;
    const { what, retryMs } = await attempt(url, `${C}/authenticate?method=${method}`, {}, client);
    if (what === '200') {
      tally.waits.push(performance.now() - beganAt);
      return;
    }
    tally.refusals.set(what, (tally.refusals.get(what) ?? 0) + 1);
    await delay(retryMs * (1 + Math.random()));
  }
}

/** One login by password, which is not tried again. */
export async function knock(url: string, username: string, password: string, tally: StormTally): Promise<void> {
  const beganAt = performance.now();
  tally.attempts += 1;
  const { what } = await attempt(url, `${C}/authenticate?method=password`, { username, password }, {});
  if (what === '200') tally.waits.push(performance.now() - beganAt);
  else tally.refusals.set(what, (tally.refusals.get(what) ?? 0) + 1);
}
