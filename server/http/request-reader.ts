/** Reader of a response: who it is, and until when it may read. */
import type { ServerResponse } from 'node:http';
import { ListPermit } from '../../db/postgres/list-permit.js';
import type { ListReader } from '../../db/postgres/contracts.js';
import { StopSource } from '../../domain/scheduling/stop-signal.js';
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';

export class RequestReader implements ListReader {
  readonly permit = new ListPermit();
  readonly #gone = new StopSource();
  #isWatching = false;

  constructor(
    readonly identityId: string,
    readonly response: ServerResponse,
  ) {}

  /** Stops once the answer is over: given, given up, or without a reader. Only lists ask for it. */
  get signal(): StopSignal {
    if (!this.#isWatching) {
      this.#isWatching = true;
      if (this.response.destroyed) this.abandon();
      else this.response.once('close', () => this.abandon());
    }
    return this.#gone;
  }

  /** The answer is no longer wanted. */
  abandon(): void {
    this.#gone.stop();
  }
}
