/**
 * The one place for long work on the whole database: a connection of its own, opened when it is needed, and a lock that
 * one piece of work holds over all controllers. It ends with the connection, whatever ends that.
 */
import { MAINTENANCE_LOCK } from './advisory-locks.js';
import { DomainError } from '../../domain/errors.js';
import type { Actor } from './attribution.js';
import { prepareConnection, cut } from './connection.js';
import type { Rows } from './connection.js';
import type { Db } from './contracts.js';
import { translate } from './errors.js';
import { ServerClient } from './servers.js';
import type { ServerConfig } from './servers.js';
import { sessionConfig } from './connection.js';
import { ExecutorOn } from './executor.js';
import { unprepared } from './statement.js';
import { runOn } from './statement-runner.js';

const CONNECT_MS = 5_000;
/** A statement may look at a whole table. */
const STATEMENT_MS = 600_000;

export interface MaintenanceLane {
  run<R>(sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
  /** All of `work` is committed, or nothing of it. @param begin  the statement that opens the transaction */
  transaction<T>(work: (tx: Db) => Promise<T>, begin?: string): Promise<T>;
}

export const READ_ALL = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Time that a caller is asked to wait for other work: a snapshot of a small network is done by then. */
const RETRY_SECONDS = 5;

/**
 * Runs `work` while it holds the lock.
 * @param signal  cuts the connection, which ends the work with an error
 * @param actor  who is recorded for what is done; absent: a controller without a name
 * @throws DomainError `rateLimited` when other work holds it, `unavailable` without a connection; what `work` throws
 */
export async function withMaintenanceLane<T>(
  connection: ServerConfig,
  signal: AbortSignal,
  work: (lane: MaintenanceLane) => Promise<T>,
  actor?: Actor,
): Promise<T> {
  const locked = async (lane: MaintenanceLane) => {
    if (!(await takeLock(lane, MAINTENANCE_LOCK)))
      throw new DomainError('rateLimited', {
        headers: { 'retry-after': String(RETRY_SECONDS) },
        logReason: 'other work on the database is under way',
      });
    try {
      return await work(lane);
    } finally {
      // Before anyone hears that it is done; without a connection it is gone already.
      await lane.run('SELECT pg_advisory_unlock($1)', [MAINTENANCE_LOCK]).catch(() => undefined);
    }
  };
  return withLane(connection, signal, locked, actor);
}

/** @returns whether this connection has the lock now, which it keeps to its end */
export async function takeLock({ run }: Pick<MaintenanceLane, 'run'>, lock: number): Promise<boolean> {
  const { rows } = await run<{ isOurs: boolean }>('SELECT pg_try_advisory_lock($1) AS "isOurs"', [lock]);
  return rows[0]?.isOurs === true;
}

/** The same without the lock: for a database that nothing uses yet, and for looking. */
export async function withLane<T>(
  connection: ServerConfig,
  signal: AbortSignal,
  work: (lane: MaintenanceLane) => Promise<T>,
  actor?: Actor,
): Promise<T> {
  const client = new ServerClient(
    sessionConfig({
      application_name: 'edge-controller maintenance',
      connectionTimeoutMillis: CONNECT_MS,
      ...connection,
    }),
  );
  client.on('error', () => undefined); // the statement under way reports the failure
  const end = () => {
    cut(client);
  };
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await prepareConnection(client, { statementTimeoutMs: STATEMENT_MS, actor });
    } catch (error) {
      throw translate(error);
    }
    return await work(laneOn(client));
  } finally {
    signal.removeEventListener('abort', end);
    if (!signal.aborted) await client.end().catch(() => undefined);
  }
}

function laneOn(client: ServerClient): MaintenanceLane {
  const execute = runOn(client);
  const run = <R>(sql: string, values?: readonly unknown[]) => execute<R>(unprepared('maintenance', sql), values);
  const db = new ExecutorOn(execute);
  return {
    run,
    async transaction(work, begin = 'BEGIN') {
      await run(begin);
      try {
        const result = await work(db);
        await run('COMMIT');
        return result;
      } catch (error) {
        await run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
  };
}
