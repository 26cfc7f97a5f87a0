/** A connection of the lists while one of them has it, and the cancel of its statement. */
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';
import { DomainError } from '../../domain/errors.js';
import { cut } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import type { PooledClient } from './servers.js';
import type { Statement } from './statement.js';
import { connectionFault, isFull } from './statement-runner.js';
import type { StatementRunner } from './statement-runner.js';
import { COMMIT } from './transaction-commands.js';

/** Names in use, and as many that have gone out of use since. */
const MAX_PREPARED = 200;
/** A statement that goes on after its cancel is cancelled again. */
const CANCEL_AGAIN_MS = 500;

/** A connection on loan. It goes back once its statement has ended and a cancel that was sent has been answered. */
export class Loan {
  readonly #signal: StopSignal | undefined;
  readonly #run: StatementRunner;
  #isBusy = false;
  /** The statement under way is over. */
  #onOver: () => void = () => undefined;
  #cancelling: Promise<void> | undefined;
  /** The server may still be at work, or the cancel still on its way. */
  #doubt: Error | undefined;

  /** @param cancel  ends the statement that runs on `client` */
  constructor(
    readonly client: PooledClient,
    readonly cancel: () => Promise<void>,
    { signal, run }: { signal: StopSignal | undefined; run: StatementRunner },
  ) {
    this.#signal = signal;
    this.#run = run;
    signal?.addEventListener('abort', this.#abandon);
  }

  readonly #abandon = () => {
    if (!this.#isBusy || this.#cancelling !== undefined) return;
    this.#cancelling = this.#cancelUntilOver().catch((error: unknown) => {
      this.#doubt = new Error('a statement may still be running', { cause: error });
      cut(this.client);
    });
  };

  /** PostgreSQL forgets a request that comes between two messages of one statement. */
  async #cancelUntilOver(): Promise<void> {
    for (await this.cancel(); this.#isBusy; await this.cancel()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CANCEL_AGAIN_MS);
        this.#onOver = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (!this.#isBusy) return;
    }
  }

  async run<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    if (this.#signal?.aborted === true) throw new DomainError('timeout');
    this.#isBusy = true;
    try {
      return await this.#run(statement, values, form);
    } finally {
      this.#isBusy = false;
      this.#onOver();
      if (this.#cancelling !== undefined) await this.#cancelling;
    }
  }

  /** @param fault  why the loan ends before its work was done */
  end(fault?: unknown): void {
    this.#signal?.removeEventListener('abort', this.#abandon);
    this.client.release(connectionFault(fault) ?? this.#doubt ?? isFull(this.client, MAX_PREPARED));
  }

  /** Ends the transaction, whatever became of it, and the loan. */
  async endTransaction(fault?: unknown): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abandon);
    let broken = connectionFault(fault) ?? this.#doubt;
    if (broken === undefined)
      await this.#run(COMMIT).catch((error: unknown) => {
        broken = error as Error;
      });
    this.end(broken);
  }
}
