/**
 * Lines of the log for refused requests of clients without a session, which anyone may send in any number. A burst has
 * a line each; what comes beyond becomes one line a second, with its number and the network that most of it came from.
 */
import { networkOf } from '../base/client-address.js';
import type { Logger } from '../base/log.js';

/** Refusals that get lines of their own: so many at once, then so many a second. */
export const LINES_AT_ONCE = 100;
export const LINES_A_SECOND = 10;
const SECOND_MS = 1_000;
/** Networks that are told apart in a second. */
const MOST_NETWORKS = 1_000;

export interface RefusedLinesOptions {
  readonly log: Logger;
  readonly nowMs?: () => number;
}

export class RefusedLines {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #left = LINES_AT_ONCE;
  #filledMs: number;
  #counts = new Map<string, number>();
  #total = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ log, nowMs = () => performance.now() }: RefusedLinesOptions) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#filledMs = nowMs();
  }

  /** Whether a refusal of this address has a line of its own; otherwise it is counted. */
  admits(address: string): boolean {
    const now = this.#nowMs();
    this.#left = Math.min(LINES_AT_ONCE, this.#left + ((now - this.#filledMs) / SECOND_MS) * LINES_A_SECOND);
    this.#filledMs = now;
    if (this.#left >= 1) {
      this.#left -= 1;
      return true;
    }
    this.#total += 1;
    const network = networkOf(address);
    const count = this.#counts.get(network);
    if (count !== undefined || this.#counts.size < MOST_NETWORKS) this.#counts.set(network, (count ?? 0) + 1);
    this.#timer ??= setTimeout(() => {
      this.tell();
    }, SECOND_MS).unref();
    return false;
  }

  /** Writes the line of what was counted, if there is any. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#total === 0) return;
    const [[network, ofNetwork] = ['', 0]] = [...this.#counts].sort(([, one], [, other]) => other - one);
    this.#log.info({ refused: this.#total, network, ofNetwork }, 'requests refused');
    this.#counts = new Map();
    this.#total = 0;
  }
}
