/** A list without limit, read in batches of one snapshot. */
import type { Release } from '../../domain/scheduling/fair-semaphore.js';
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';
import { DomainError } from '../../domain/errors.js';
import type { FullListOptions } from './contracts.js';
import type { Loan } from './list-loan.js';
import { unprepared } from './statement.js';
import type { Statement } from './statement.js';
import { BEGIN_SNAPSHOT, BEGIN_WHOLE_SNAPSHOT } from './transaction-commands.js';

/** A list that is read in batches, all of one snapshot. */
export class ListCursor<R> {
  #release: Release;
  #loan: Loan | undefined;
  #isReading = false;

  constructor(
    loan: Loan,
    release: Release,
    readonly options: FullListOptions,
  ) {
    this.#loan = loan;
    this.#release = release;
  }

  /** @returns the first batch */
  async open({ text }: Statement<R>, values: readonly unknown[]): Promise<R[]> {
    await this.#loan?.run(this.options.isReadAtOnce ? BEGIN_WHOLE_SNAPSHOT : BEGIN_SNAPSHOT);
    await this.#loan?.run(unprepared('DECLARE', `DECLARE page NO SCROLL CURSOR FOR ${text}`), values);
    return this.#next();
  }

  /** Lets the list hold this permit instead of its earlier one. */
  moveTo(release: Release): void {
    this.#release();
    this.#release = release;
  }

  async *rest(): AsyncGenerator<R[]> {
    try {
      for (;;) {
        const rows = await this.#next();
        if (rows.length > 0) yield rows;
        if (rows.length < this.options.batchSize) return;
      }
    } finally {
      await this.close();
    }
  }

  /** Closes itself as soon as `signal` is aborted, also between two batches and before the first. */
  restUntil(signal: StopSignal): AsyncGenerator<R[]> {
    const abandon = () => {
      if (!this.#isReading) void this.close();
    };
    signal.addEventListener('abort', abandon, { once: true });
    if (signal.aborted) abandon();
    return this.rest();
  }

  async #next(): Promise<R[]> {
    if (this.#loan === undefined) throw new DomainError('timeout');
    this.#isReading = true;
    try {
      const { batchSize, form } = this.options;
      return (await this.#loan.run(unprepared<R>('FETCH', `FETCH ${batchSize} FROM page`), [], form)).rows;
    } finally {
      this.#isReading = false;
    }
  }

  async close(fault?: unknown): Promise<void> {
    const loan = this.#loan;
    this.#loan = undefined;
    if (loan === undefined) return;
    try {
      await loan.endTransaction(fault);
    } finally {
      this.#release();
    }
  }
}
