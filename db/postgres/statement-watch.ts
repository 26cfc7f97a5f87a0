/**
 * Observers of statements: counts of the whole process, and the trace of one request. Without either, a
 * statement costs nothing more.
 */
import { DurationCounts } from '../../domain/duration-counts.js';

/** Kind of connection that a statement runs on (docs/architecture.md). */
export type ConnectionKind = 'lane' | 'pool' | 'list' | 'replica';

export const CONNECTION_KINDS: readonly ConnectionKind[] = ['lane', 'pool', 'list', 'replica'];

/** Is called for each statement of one request. */
export interface StatementTrace {
  /**
   * @param name  our own word for it, never its text
   * @returns what is called at its end, with its error if it failed
   */
  begin(name: string, connection: ConnectionKind): (error?: unknown) => void;
}

/** How long statements took, and how many failed for whatever reason, a broken constraint among them. */
export class StatementCounts {
  readonly times = {
    lane: new DurationCounts(),
    pool: new DurationCounts(),
    list: new DurationCounts(),
    replica: new DurationCounts(),
  };
  readonly failures = { lane: 0, pool: 0, list: 0, replica: 0 };

  ended(connection: ConnectionKind, ms: number, hasFailed: boolean): void {
    this.times[connection].add(ms);
    if (hasFailed) this.failures[connection] += 1;
  }
}

export interface StatementWatch {
  readonly connection: ConnectionKind;
  readonly counts: StatementCounts | undefined;
  readonly trace: StatementTrace | undefined;
}

/** @param label  the statement's */
export function watched<T>(watch: StatementWatch, label: string, work: () => Promise<T>): Promise<T> {
  return watch.counts === undefined && watch.trace === undefined ? work() : observed(watch, label, work);
}

async function observed<T>({ connection, counts, trace }: StatementWatch, label: string, work: () => Promise<T>) {
  const since = performance.now();
  const end = trace?.begin(label, connection);
  let fault: unknown;
  try {
    return await work();
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    counts?.ended(connection, performance.now() - since, fault !== undefined);
    end?.(fault);
  }
}
