/**
 * What the statements of one request have in common: who waits for them, and the clock that counts their time. It is
 * handed to the database by the request's own stores (`Stores.forRequest`).
 */
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';
import type { Actor } from './attribution.js';
import type { RowForm } from './connection.js';
import type { KeptPlace } from './kept-place.js';
import type { WholeOptions } from './list-lane.js';
import type { Precondition } from './precondition.js';
import type { RequestClock } from './request-clock.js';
import type { StatementTrace } from './statement-watch.js';
import type { Db, Source, TransactionOptions } from './db.js';
import type { Touched } from './touched.js';

/** Who asked for a list: whose share of the database it takes, and until when its answer is wanted. */
export interface ListReader {
  /** Lists of one identity take turns. */
  readonly identityId: string;
  /** Stops when the answer is not wanted any more. */
  readonly signal: StopSignal;
  /** Of its lists, until the answer is text. */
  readonly place: KeptPlace;
}

/** Gets the version of a row as a change leaves it: `updated_at`. Of several calls for one row the last one counts. */
export type OnVersion = (table: string, id: string, version: Date) => void;

export interface RequestScope {
  readonly reader?: ListReader;
  /** Absent: the time is not asked for. */
  readonly clock?: RequestClock | undefined;
  /** Who makes the changes, as the audit record names them; absent: the controller by itself. */
  readonly actor?: Actor;
  /** Absent: the request is not traced. */
  readonly trace?: StatementTrace | undefined;
  /** Absent: whatever the request changes may have been changed before. */
  readonly precondition?: Precondition | undefined;
  /** Absent: the answer says nothing of versions. */
  readonly onVersion?: OnVersion | undefined;
}

/** The database for one request. */
export class ScopedSource implements Source {
  constructor(
    readonly source: Source,
    readonly scope: RequestScope,
  ) {}

  get onVersion(): OnVersion | undefined {
    return this.scope.onVersion;
  }

  run<R>(name: string | null, sql: string, values?: readonly unknown[], form?: RowForm) {
    return this.source.run<R>(name, sql, values, form, this.scope);
  }

  write<R>(name: string | null, sql: string, values?: readonly unknown[]) {
    return this.source.write<R>(name, sql, values, this.scope);
  }

  writeAside<R>(name: string | null, sql: string, values?: readonly unknown[]) {
    return this.source.writeAside<R>(name, sql, values, this.scope);
  }

  touched(touched: Touched): void {
    this.source.touched(touched, this.scope);
  }

  read<R>(name: string, sql: string, values?: readonly unknown[], form?: RowForm) {
    return this.source.read<R>(name, sql, values, form, this.scope);
  }

  list<R>(name: string | null, sql: string, values: readonly unknown[], form?: RowForm) {
    return this.source.list<R>(name, sql, values, form, this.scope);
  }

  whole<R>(sql: string, values: readonly unknown[], options: WholeOptions) {
    return this.source.whole<R>(sql, values, options, this.scope);
  }

  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions) {
    return this.source.transaction(work, options, this.scope);
  }
}
