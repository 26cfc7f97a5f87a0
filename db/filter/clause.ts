/** A condition together with how PostgreSQL finds what it holds for, which decides the statement that reads a page. */

/**
 * - `key`: by one value of a unique column
 * - `twoKeys`: by one value of each of two unique columns, or by two of the same
 * - `owner`: by the index on an owner, who has few
 * - `keys`: by any number of such values, or among what they find
 * - `inverted`: by an index on the members of an array or of tags. It has all matches before it has the first of a
 * page.
 * - `rows`: by none of these
 */
export type FoundBy = 'key' | 'twoKeys' | 'owner' | 'keys' | 'inverted' | 'rows';

/** Expressions of `text[]` that need no row. */
export interface Members {
  readonly attributes: string;
  readonly ids?: string;
  /** There is one attribute, and no id. */
  readonly isOne: boolean;
}

/** Bounds of a unique column, which a walk in its order begins or ends at. */
export interface Range {
  readonly key: string;
  readonly sql: string;
  /** Nothing else is asked. */
  readonly isWhole: boolean;
}

export interface Clause {
  /** SQL condition on the row `t`; '' matches everything. */
  readonly sql: string;
  readonly foundBy: FoundBy;
  /** Set where it holds for exactly the rows that have some of these role attributes, or one of these ids. */
  readonly members?: Members;
  /** Set where it holds for rows within this range alone. */
  readonly range?: Range;
  /** Set where a sample of all rows has none for which it holds. */
  readonly isRare?: true;
  /** Short, and another for another text: for the names of statements. Absent: the text itself. */
  readonly name?: string;
}

/** The column that triggers count (`role_attribute_counts`). */
export const ROLE_ATTRIBUTES = 't.role_attributes';

export const membersOf = (attributes: string, wanted: readonly string[], ids?: string): Members => ({
  attributes,
  isOne: new Set(wanted).size === 1 && ids === undefined,
  ...(ids !== undefined && { ids }),
});

export const nameOf = ({ name, sql }: Clause): string => name ?? sql;

export const EVERYTHING: Clause = { sql: '', foundBy: 'rows' };

/** Finds no row, so nobody has to be asked. */
export const NOTHING: Clause = { sql: 'FALSE', foundBy: 'keys' };

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

/** The range of the first part that has one, with all others of its column. */
export function rangeOfAll(parts: readonly Clause[]): Range | undefined {
  const ranges = parts.flatMap(({ range }) => range ?? []);
  const [first] = ranges;
  if (first === undefined) return undefined;
  const own = ranges.filter(({ key }) => key === first.key);
  const isWhole = own.length === parts.length && own.every((range) => range.isWhole);
  return { key: first.key, sql: own.map(({ sql }) => sql).join(' AND '), isWhole };
}

/** Rows that meet both clauses. */
export function andClause(first: Clause, second: Clause): Clause {
  if (first.sql === '') return second;
  if (second.sql === '') return first;
  if (first === NOTHING || second === NOTHING) return NOTHING;
  const range = rangeOfAll([first, second]);
  const isRare = first.isRare === true || second.isRare === true;
  return {
    sql: `(${first.sql}) AND (${second.sql})`,
    foundBy: foundByAll([first, second]),
    ...(range && { range }),
    ...(isRare && { isRare }),
    name: `${nameOf(first)} AND ${nameOf(second)}`,
  };
}
