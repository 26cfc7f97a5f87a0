/** A condition together with how PostgreSQL finds what it holds for, which decides the statement that reads a page. */

/**
 * - `key`: by one value of a unique column
 * - `twoKeys`: by one value of each of two unique columns, or by two of the same
 * - `keys`: by any number of such values, or among what they find
 * - `inverted`: by an index on the members of an array or of tags. It has all matches before it has the first of a
 * page.
 * - `rows`: by none of these
 */
export type FoundBy = 'key' | 'twoKeys' | 'keys' | 'inverted' | 'rows';

export interface Clause {
  /** SQL condition on the row `t`; '' matches everything. */
  readonly sql: string;
  readonly foundBy: FoundBy;
  /** Short, and another for another text: for the names of statements. Absent: the text itself. */
  readonly name?: string;
}

export const nameOf = ({ name, sql }: Clause): string => name ?? sql;

export const EVERYTHING: Clause = { sql: '', foundBy: 'rows' };

/** One index is enough: the other conditions are asked of what it finds. */
export function foundByAll(parts: readonly Clause[]): FoundBy {
  if (parts.some(({ foundBy }) => foundBy === 'inverted')) return 'inverted';
  return parts.some(({ foundBy }) => foundBy !== 'rows') ? 'keys' : 'rows';
}

/** Each needs an index: one without has every row looked at. */
export function foundByAny(parts: readonly Clause[]): FoundBy {
  if (parts.some(({ foundBy }) => foundBy === 'rows')) return 'rows';
  if (parts.some(({ foundBy }) => foundBy === 'inverted')) return 'inverted';
  return parts.length === 2 && parts.every(({ foundBy }) => foundBy === 'key') ? 'twoKeys' : 'keys';
}

/** Rows that meet both clauses. */
export function andClause(first: Clause, second: Clause): Clause {
  if (first.sql === '') return second;
  if (second.sql === '') return first;
  return {
    sql: `(${first.sql}) AND (${second.sql})`,
    foundBy: foundByAll([first, second]),
    name: `${nameOf(first)} AND ${nameOf(second)}`,
  };
}
