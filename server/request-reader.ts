/** Who reads what a request asks for, and until when: a signal that is made only for a list which takes its time. */
import type { ServerResponse } from 'node:http';
import type { ListReader } from '../db/request-scope.js';

export class RequestReader implements ListReader {
  #abort: AbortController | undefined;
  #isAbandoned = false;

  constructor(readonly identityId: string, readonly response: ServerResponse) {}

  /** Aborted once the answer is over: given, given up, or without a reader. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#isAbandoned || this.response.destroyed) this.#abort.abort();
      else this.response.once('close', () => { this.abandon(); });
    }
    return this.#abort.signal;
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#abort?.abort();
  }
}
