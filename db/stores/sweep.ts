/**
 * Clearing away what has ended by itself: a bounded number of rows, so that no statement takes long. Rows that others
 * hold are left for the next sweep, so that several controllers sweep at the same time and none waits in a circle.
 */
import { change } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

interface Swept {
  readonly table: string;
  /** Its primary key. */
  readonly key?: string;
  /** The condition, with an order where that helps to find them. */
  readonly where: string;
}

/** The statement that removes up to `$1` of them; the condition's own values begin with `$2`. Count what it removes. */
export const sweeping = ({ table, key = 'id', where }: Swept): Statement =>
  change(
    `${table.replaceAll('_', '-')}-sweep`,
    ({ returningActor }) => `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where}
    LIMIT $1 FOR UPDATE SKIP LOCKED)${returningActor}`,
  );
