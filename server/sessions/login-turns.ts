/**
 * Turns of those who log in by a certificate or a token. A few are under way at a time and the others wait, in order of
 * arrival, one network after the other: however many come back at once, each is served once, and none
 * has to try again. A wait costs only the connection, and does not count as work on the request.
 */
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release, SemaphoreLoad } from '../../domain/scheduling/fair-semaphore.js';
import { addressOf, networkOf } from '../base/client-address.js';
import type { Exchange } from '../http/exchange.js';

/** Enough to keep the processor busy while the database answers. */
const UNDER_WAY = 16;
const OF_ONE_NETWORK = 8;
/** Their connections are bounded, and each has one request. */
const WAITING = 1_000_000;
/** A login that takes longer goes on beside the next one: the keys of an issuer may have to be fetched. */
const LONGEST_MS = 250;

export class LoginTurns {
  readonly #turns = new FairSemaphore({ permits: UNDER_WAY, perHolder: OF_ONE_NETWORK, waiting: WAITING });

  get load(): SemaphoreLoad {
    return this.#turns.load;
  }

  /** @throws what the work throws; DomainError `timeout` when the client has gone before its turn */
  async run<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
    const release = atMostOnce(await this.#turnOf(exchange));
    const timer = setTimeout(release, LONGEST_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async #turnOf(exchange: Exchange): Promise<Release> {
    const network = networkOf(addressOf(exchange.request.socket));
    const turn = this.#turns.acquire(network, exchange.reader?.signal);
    if (!(turn instanceof Promise)) return turn;
    exchange.since = Number.POSITIVE_INFINITY;
    try {
      return await turn;
    } finally {
      exchange.since = performance.now();
    }
  }
}

function atMostOnce(release: Release): Release {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    release();
  };
}
