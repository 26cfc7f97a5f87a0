/**
 * Clearing away what has ended by itself: a bounded number of rows, so that no statement takes long. Rows that others
 * hold are left for the next sweep, so that several controllers sweep beside each other and none waits in a circle.
 */
import type { Db } from '../postgres/contracts.js';

interface Ended {
  readonly table: string;
  /** Its primary key. */
  readonly key?: string;
  /** The condition, with an order where that helps to find them. */
  readonly where: string;
}

/**
 * Removes up to `max` of them; answers how many.
 * @param values  of the condition, from `$2` on
 */
export async function sweep(
  db: Db,
  { table, key = 'id', where }: Ended,
  max: number,
  ...values: unknown[]
): Promise<number> {
  const { rowCount } = await db.write(
    `${table.replaceAll('_', '-')}-sweep`,
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where}
    LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [max, ...values],
  );
  return rowCount;
}
