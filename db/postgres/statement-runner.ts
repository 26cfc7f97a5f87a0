/** One statement on one connection, and what its failure and its name mean for the connection. */
import { send } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import type { RequestScope } from './contracts.js';
import { translate } from './errors.js';
import { sendTogether } from './one-message.js';
import { DatabaseUnavailable, OUTAGES } from './outages.js';
import { timed } from './request-clock.js';
import type { ServerClient } from './servers.js';
import type { ShortChange } from './shared-commits.js';
import { read } from './statement.js';
import type { BoundStatement, Sendable, Statement } from './statement.js';
import { watched } from './statement-watch.js';
import type { ConnectionKind, StatementCounts } from './statement-watch.js';

/** Listeners to the statements, and the kind of connection that they run on. */
export interface RunOptions {
  readonly connection: ConnectionKind;
  readonly counts?: StatementCounts | undefined;
  readonly scope?: Pick<RequestScope, 'clock' | 'trace'> | undefined;
}

/** Runs a statement on the connection that it was made for. */
export type StatementRunner = <R>(
  statement: Statement<R> | Sendable,
  values?: readonly unknown[],
  form?: RowForm,
) => Promise<Rows<R>>;

/** @throws DomainError for a known constraint or an unreachable database */
export function runOn(
  client: ServerClient,
  { connection, counts, scope }: RunOptions = { connection: 'pool' },
): StatementRunner {
  const watch = { connection, counts, trace: scope?.trace };
  return async <R>(statement: Sendable, values: readonly unknown[] = [], form: RowForm = 'objects') => {
    const { name, text, label } = statement;
    try {
      if (name !== null) client.prepared.add(name);
      return await timed(scope?.clock, 'database', () =>
        watched(watch, label, () => send<R>(client, name, text, values, form)),
      );
    } catch (error) {
      throw translate(error);
    }
  };
}

/** A change that waits for a lock, or takes long, does so alone: together with others it would hold them up. */
const HURRY = read(
  'hurry',
  "SELECT set_config('lock_timeout', '200ms', true), set_config('statement_timeout', '500ms', true)",
);

/** Changes as one transaction. @throws as `runOn` */
export async function runInHurry(
  client: ServerClient,
  changes: readonly ShortChange[],
  counts: StatementCounts | undefined,
): Promise<Rows<unknown>[]> {
  const answers = await runTogether(client, [{ statement: HURRY, values: [] }, ...changes], counts);
  return answers.slice(1);
}

/** A statement of a message, and the request that it is of. */
export interface ScopedStatement extends BoundStatement {
  readonly scope?: Pick<RequestScope, 'clock' | 'trace'> | undefined;
}

/** Statements in one message. Each is counted and traced as if it had taken all of its time. @throws as `runOn` */
export async function runTogether(
  client: ServerClient,
  statements: readonly ScopedStatement[],
  counts: StatementCounts | undefined,
): Promise<Rows<unknown>[]> {
  for (const { statement } of statements) if (statement.name !== null) client.prepared.add(statement.name);
  const sent = sendTogether(client, statements);
  const answered = statements.map(({ statement, scope }) =>
    timed(scope?.clock, 'database', () =>
      watched({ connection: 'pool', counts, trace: scope?.trace }, statement.label, () => sent),
    ),
  );
  try {
    await Promise.all(answered);
    return await sent;
  } catch (error) {
    throw translate(error);
  }
}

/** The error when it means that the connection must not be used again. */
export function connectionFault(error: unknown): Error | undefined {
  return error instanceof DatabaseUnavailable && OUTAGES[error.outage].breaksConnection ? error : undefined;
}

/**
 * True when as many statements are prepared on a connection as may be. It then ends, which frees what they take in the
 * server: some tens of kilobytes each, megabytes for a large one.
 */
export function isFull(client: ServerClient, most: number): boolean {
  return client.prepared.size >= most;
}
