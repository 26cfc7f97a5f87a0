/**
 * Pages whose keys are found by a query that is planned for its values, inside of a statement that stays prepared: it
 * reads the rows of any keys. Most of the time of such a page went into planning what reads the rows
 * (docs/decisions/0056-keys-planned-apart.md).
 */
import pg from 'pg';

/** Values that `page_keys` of the schema hands on. */
const MOST_VALUES = 20;
/** Limit and offset, which are bound last. */
const BOUNDS = 2;

/** How pg writes values, which its types leave out. */
const { utils } = pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => string | null } };

/** Whether a query of these values, and of the bounds of its page, can be run apart. */
export const canBeApart = (values: readonly unknown[]): boolean => values.length + BOUNDS <= MOST_VALUES;

/** The keys as a table `page` of a statement whose first `others` values are its own. */
export const apartSql = (others: number): string =>
  `page_keys($${others + 1}, $${others + 2}) WITH ORDINALITY page (key, total_count, place)`;

/** Values of the statement around `keys`. @param values  those of `keys`, the first `others` of both */
export const valuesApart = (keys: string, values: readonly unknown[], others: number): unknown[] => [
  ...values.slice(0, others),
  keys,
  values.map((value) => utils.prepareValue(value)),
];
