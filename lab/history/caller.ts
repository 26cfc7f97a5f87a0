/** One client: it asks either controller, through links that break, and writes down what it was answered. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../test/support/client.js';
import type { Answer, Client, RequestOptions } from '../../test/support/client.js';
import type { Outcome } from './record.js';

/** Longer than any request is worked on (limits.handlerTimeout). */
const PATIENCE_MS = 15_000;

export interface Place {
  readonly name: string;
  /** Through the link. */
  readonly url: string;
}

/** What came of one request. */
export interface Result {
  readonly at: string;
  readonly start: number;
  readonly end: number;
  readonly outcome: Outcome;
  readonly answer: string;
  readonly reply?: Answer;
}

export class Caller {
  readonly #clients = new Map<string, Client>();

  /** @param token  of an API session, which all controllers know */
  constructor(
    readonly name: string,
    readonly places: readonly Place[],
    readonly token?: string,
  ) {}

  /** Never throws. @param place  index of the controller */
  async ask(place: number, method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Result> {
    const { name: at, url } = this.places[place % this.places.length] as Place;
    const client = this.#clients.get(url) ?? createClient(url, this.token);
    this.#clients.set(url, client);
    const start = performance.now();
    const halt = new AbortController();
    try {
      const reply = await Promise.race([client.send(method, path, body, options), tooLate(halt.signal)]);
      const end = performance.now();
      if (reply === undefined) {
        this.#drop(url);
        return { at, start, end, outcome: 'unknown', answer: 'late' };
      }
      return { at, start, end, outcome: outcomeOf(reply.status), answer: answerOf(reply), reply };
    } catch (error) {
      return { at, start, end: performance.now(), ...failureOf(error) };
    } finally {
      halt.abort();
    }
  }

  close(): void {
    for (const url of this.#clients.keys()) this.#drop(url);
  }

  #drop(url: string): void {
    this.#clients.get(url)?.close();
    this.#clients.delete(url);
  }
}

const tooLate = (signal: AbortSignal): Promise<undefined> =>
  delay(PATIENCE_MS, undefined, { signal, ref: false }).catch(() => undefined);

/** A refusal of the server is certain, unless it says that it does not know. */
const outcomeOf = (status: number): Outcome => (status < 300 ? 'ok' : status < 500 ? 'failed' : 'unknown');

const answerOf = ({ status, error }: Answer): string =>
  status < 300 ? String(status) : `${status} ${error?.code ?? ''}`.trim();

/** An answer that its document does not declare is thrown without a code, and is shown as it is. */
function failureOf(error: unknown): { outcome: Outcome; answer: string } {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return { outcome: 'failed', answer: 'refused' };
  return { outcome: 'unknown', answer: code === undefined ? `undeclared: ${message.slice(0, 200)}` : `cut ${code}` };
}

/** Ends early when aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);
