/** Results of running a statement: its rows, the first of them, how many there are. */
import type { RowForm, Rows } from './connection.js';
import type { Db, OnVersion } from './contracts.js';
import type { Statement } from './statement.js';

export abstract class Executor implements Db {
  abstract execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>>;

  get onVersion(): OnVersion | undefined {
    return undefined;
  }

  async one<R>(statement: Statement<R>, values?: readonly unknown[]): Promise<R | undefined> {
    return (await this.execute(statement, values)).rows[0];
  }

  async many<R>(statement: Statement<R>, values?: readonly unknown[]): Promise<R[]> {
    return (await this.execute(statement, values)).rows;
  }

  async count(statement: Statement, values?: readonly unknown[]): Promise<number> {
    return (await this.execute(statement, values)).rowCount;
  }
}

/** Runs whatever it is given in one place, such as a transaction's connection. */
export class ExecutorOn extends Executor {
  constructor(
    override readonly execute: Db['execute'],
    readonly versionListener?: OnVersion,
  ) {
    super();
  }

  override get onVersion(): OnVersion | undefined {
    return this.versionListener;
  }
}
