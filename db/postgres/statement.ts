/** One statement on one connection, and what its failure and its name mean for the connection. */
import { during } from './request-clock.js';
import type { RequestScope } from './request-scope.js';
import { translate } from './errors.js';
import { DatabaseUnavailable, OUTAGES } from './outages.js';
import { send } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import type { ServerClient } from './servers.js';
import { watched } from './statement-watch.js';
import type { ConnectionKind, StatementCounts } from './statement-watch.js';

/** Who hears of the statements, and on what kind of connection they run. */
export interface RunOptions {
  readonly connection: ConnectionKind;
  readonly counts?: StatementCounts | undefined;
  readonly scope?: Pick<RequestScope, 'clock' | 'trace'> | undefined;
}

/** @throws DomainError for a known constraint or an unreachable database */
export function runOn(client: ServerClient, { connection, counts, scope }: RunOptions = { connection: 'pool' }) {
  const watch = { connection, counts, trace: scope?.trace };
  return async <R>(
    name: string | null,
    sql: string,
    values: readonly unknown[] = [],
    form: RowForm = 'objects',
  ): Promise<Rows<R>> => {
    try {
      if (name !== null) client.prepared.add(name);
      return await during(scope?.clock, 'database', () =>
        watched(watch, name, sql, () => send<R>(client, name, sql, values, form)),
      );
    } catch (error) {
      throw translate(error);
    }
  };
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
