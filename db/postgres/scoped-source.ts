/** The database for one request: each statement goes with the request's scope. */
import type { RowForm, Rows } from './connection.js';
import type {
  Database,
  Db,
  OnVersion,
  RequestScope,
  Source,
  TransactionOptions,
  FullListOptions,
} from './contracts.js';
import { Executor } from './executor.js';
import type { Statement } from './statement.js';
import type { Touched } from './touched.js';

export class ScopedSource extends Executor implements Source {
  constructor(
    readonly database: Database,
    readonly scope: RequestScope,
  ) {
    super();
  }

  override get onVersion(): OnVersion | undefined {
    return this.scope.onVersion;
  }

  execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    return this.database.execute(statement, values, form, this.scope);
  }

  touched(touched: Touched): void {
    this.database.touched(touched, this.scope);
  }

  listAll<R>(statement: Statement<R>, values: readonly unknown[], options: FullListOptions) {
    return this.database.listAll(statement, values, options, this.scope);
  }

  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions) {
    return this.database.transaction(work, options, this.scope);
  }
}
