/** Filters and orders of lists, of the fields that a list says it has: each of them must be taken. */
import fc from 'fast-check';
import type { Hints } from './values.js';

/** Tests, each with a field that it needs. */
const TESTS: readonly (readonly [field: string, filter: string])[] = [
  ['id', 'id = "x"'],
  ['id', 'id != null'],
  ['id', 'not (id = "a" or id = "b")'],
  ['id', 'true sort by id desc skip 1 limit none'],
  ['name', 'name contains "a"'],
  ['name', 'name icontains "ÄB" and name not in ["a", "b"]'],
  ['createdAt', 'createdAt > datetime(2020-01-01T00:00:00Z)'],
  ['updatedAt', 'updatedAt between datetime(2020-01-01T00:00:00Z) and datetime(2030-01-01T00:00:00+02:00)'],
  ['isSystem', 'isSystem or not isSystem'],
  ['roleAttributes', 'anyOf(roleAttributes) = "web"'],
  ['roleAttributes', 'isEmpty(roleAttributes) or count(roleAttributes) > 1'],
  ['tags', 'tags.team = null or tags.team = "a"'],
];

const ORDERS: readonly (readonly [field: string, sort: string])[] = [
  ['id', 'id'],
  ['id', 'id asc'],
  ['name', 'name desc'],
  ['createdAt', 'createdAt desc'],
  ['updatedAt', 'updatedAt, id desc'],
];

/** Hints of an operation, with filters and orders that a list with these fields must take. */
export function withFields(hints: Hints, fields: readonly string[]): Hints {
  const of = (all: readonly (readonly [field: string, text: string])[]) =>
    all.filter(([field]) => fields.includes(field)).map(([, text]) => text);
  const filters = fc.constantFrom('true', '', 'true limit 3', 'limit none', ...of(TESTS));
  const orders = fc.constantFrom('', ...of(ORDERS));
  return (name) => (name === 'query filter' ? filters : name === 'query sort' ? orders : hints(name));
}
