/**
 * Queries of prepared statements that ask for the columns of their rows once for each connection: PostgreSQL never
 * changes those of a prepared statement, so it need not write them each time, nor pg read them.
 */
import pg from 'pg';
import type { Connection, QueryResult } from 'pg';
import type { Sendable } from './statement.js';

/** Columns as pg's result has them when it has read their description. */
interface Columns {
  readonly fields: readonly unknown[];
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}

/** Columns by the names of statements. */
export type KnownColumns = Map<string, Columns>;

export type QueryDone = (error: Error | null | undefined, result: QueryResult<never>) => void;

/** A query as pg makes it: what its types leave out. */
interface Query {
  name: string | undefined;
  readonly text: string;
  readonly _result: Columns & { _types: unknown };
  _accumulateRows: boolean;
  submit(connection: Connection): Error | null;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

type QueryClass = new (config: unknown, values: readonly unknown[], done: QueryDone) => Query;

/** Returns a function that gives a connection with other methods for each connection, the same one every time. */
export function standIn(methods: (connection: Connection) => PropertyDescriptorMap): (of: Connection) => Connection {
  const made = new WeakMap<Connection, Connection>();
  return (connection) => {
    let found = made.get(connection);
    if (found === undefined) {
      found = Object.create(connection, methods(connection)) as Connection;
      made.set(connection, found);
    }
    return found;
  };
}

/** Sends no request for columns. */
const withoutDescribe = standIn((connection) => ({
  describe: { value: () => undefined },
  sync: {
    value: () => {
      connection.sync();
    },
  },
}));

export class PreparedQuery extends (pg.Query as unknown as QueryClass) {
  readonly #known: KnownColumns;

  /** @param known  columns of this connection, of statements whose rows come in the same form */
  constructor(known: KnownColumns, config: unknown, values: readonly unknown[], done: QueryDone) {
    super(config, values, done);
    this.#known = known;
  }

  /**
   * A query of rows as objects, named after it is made: pg copies an object of settings property by property, which
   * costs 5 us a statement, and takes a text as it is.
   */
  static ofObjects(
    known: KnownColumns,
    { name, text }: Pick<Sendable, 'name' | 'text'>,
    values: readonly unknown[],
    done: QueryDone,
    types: unknown,
  ): PreparedQuery {
    const query = new PreparedQuery(known, text, values, done);
    query.name = name ?? undefined;
    query._result._types = types;
    return query;
  }

  override prepare(connection: Connection): void {
    const columns = this.name === undefined ? undefined : this.#known.get(this.name);
    if (columns === undefined) {
      super.prepare(connection);
      return;
    }
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    super.prepare(withoutDescribe(connection));
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}
