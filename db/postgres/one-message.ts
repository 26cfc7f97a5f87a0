/**
 * Several statements as one message and one transaction: PostgreSQL commits where the message ends, and one that fails
 * undoes those before it. pg has no query of this kind; as its cursors are, this is one that `client.query` takes.
 */
import type { Connection, QueryResult, Submittable } from 'pg';
import { rowsFrom, TYPES } from './connection.js';
import type { KnowingClient, Rows } from './connection.js';
import { PreparedQuery, standIn } from './prepared-query.js';
import type { KnownColumns, QueryDone } from './prepared-query.js';
import type { BoundStatement } from './statement.js';

/** Statements of a connection, by their names, as pg keeps them. */
interface Prepared {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** Each query ends its own message with a `Sync`, which would commit it: of several, the last one alone has it. */
const withoutSync = standIn(() => ({ sync: { value: () => undefined } }));

type Done = (error: Error | undefined, results: readonly QueryResult<never>[]) => void;

class OneMessage implements Submittable {
  readonly #queries: readonly PreparedQuery[];
  readonly #results: QueryResult<never>[] = [];
  /** Those that PostgreSQL has carried out. */
  #done = 0;
  /** Values that cannot be sent. */
  #fault: Error | undefined;

  constructor(
    bound: readonly BoundStatement[],
    known: KnownColumns,
    readonly onEnd: Done,
  ) {
    const keep: QueryDone = (error, result) => {
      if (error == null) this.#results.push(result);
      else this.#fault = error;
    };
    this.#queries = bound.map(({ statement, values }) =>
      PreparedQuery.ofObjects(known, statement, values, keep, TYPES),
    );
  }

  /** Name and text of the one that PostgreSQL is at: pg asks for them when it hears that it was prepared. */
  get name(): string | undefined {
    return this.#queries[this.#done]?.name;
  }

  get text(): string | undefined {
    return this.#queries[this.#done]?.text;
  }

  /** Texts of all of them. */
  get texts(): readonly string[] {
    return this.#queries.map(({ text }) => text);
  }

  submit(connection: Connection): null {
    connection.stream.cork();
    const unended = withoutSync(connection);
    for (const query of this.#queries) query.prepare(unended);
    if (this.#fault !== undefined) connection.stream.destroy(this.#fault);
    connection.sync();
    connection.stream.uncork();
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#done]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#done]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#queries[this.#done]?.handleCommandComplete(message, connection);
    this.#done += 1;
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.onEnd(undefined, this.#results);
  }

  handleError(error: Error, connection: Connection & Partial<Prepared>): void {
    // PostgreSQL passes over the rest of the message, so those that it was to prepare are not prepared.
    const { parsedStatements = {}, submittedNamedStatements = {} } = connection;
    for (const { name = '' } of this.#queries.slice(this.#done))
      if (parsedStatements[name] === undefined) Reflect.deleteProperty(submittedNamedStatements, name);
    this.onEnd(error, []);
  }
}

/** Sends them over a connection that nothing else uses. @throws the first failure: then none was made */
export async function sendTogether(client: KnowingClient, bound: readonly BoundStatement[]): Promise<Rows<unknown>[]> {
  const results = await new Promise<readonly QueryResult<never>[]>((resolve, reject) => {
    client.query(
      new OneMessage(bound, client.known.objects, (error, answers) => {
        if (error === undefined) resolve(answers);
        else reject(error);
      }),
    );
  });
  return results.map(rowsFrom);
}
