/** A valid body made invalid in one place, in each way that its schema may refuse. The validator has the last word. */
import type { Schema, ServedDocument } from './document.js';
import { heirsBehind, shapeOf } from './shapes.js';
import type { Shape } from './shapes.js';

export interface Mutation {
  /** For people: where, and what was done. */
  readonly what: string;
  readonly value: unknown;
}

/** Another value for one place; undefined as the value takes the member away. */
type Change = readonly [what: string, value: unknown];

/** All mutations of a value; most are invalid, and those that are not are for the caller to leave out. */
export function mutationsOf(document: ServedDocument, schema: Schema, value: unknown): Mutation[] {
  const found: Mutation[] = [];
  const visit = (at: Schema, inner: unknown, path: readonly string[], put: (value: unknown) => unknown): void => {
    const shape = shapeAt(document, at, inner);
    for (const [what, other] of changesOf(shape, inner))
      found.push({ what: `${path.join('.') || 'body'}: ${what}`, value: put(other) });
    if (Array.isArray(inner))
      for (const [index, item] of inner.entries())
        visit(shape.items ?? {}, item, [...path, String(index)], (other) => put(inner.with(index, other)));
    else if (isObject(inner))
      for (const [name, member] of Object.entries(inner)) {
        const property = shape.properties?.[name];
        if (property !== undefined)
          visit(property, member, [...path, name], (other) => put(replaced(inner, name, other)));
      }
    if (isObject(inner))
      for (const name of shape.required ?? [])
        found.push({ what: `${[...path, name].join('.')}: left out`, value: put(replaced(inner, name, undefined)) });
  };
  visit(schema, value, [], (other) => other);
  return found;
}

function shapeAt(document: ServedDocument, schema: Schema, value: unknown): Shape {
  const found = heirsBehind(document, schema);
  const heir = isObject(value) ? found?.heirs.find((one) => one.value === value[found.by]) : undefined;
  return shapeOf(document, heir?.schema ?? schema);
}

function changesOf(shape: Shape, value: unknown): Change[] {
  const changes: Change[] = [
    ['null', null],
    ['a number', 7],
    ['a text', 'no such thing'],
    ['a boolean', true],
    ['a list', [[]]],
    ['an object', { odd: 1 }],
    ['a fraction', 0.5],
  ];
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, format } = shape;
  if (maxLength !== undefined) changes.push(['too long', 'x'.repeat(maxLength + 1)]);
  if (minLength !== undefined && minLength > 0) changes.push(['too short', 'x'.repeat(minLength - 1)]);
  if (minimum !== undefined) changes.push(['too small', minimum - 1]);
  if (maximum !== undefined) changes.push(['too large', maximum + 1]);
  if (format === 'int32') changes.push(['beyond 32 bits', 2 ** 31]);
  if (format === 'int64') changes.push(['beyond 64 bits', 2 ** 70]);
  if (format === 'date-time') changes.push(['no time', '2024-02-03'], ['no day', '2024-02-03 x 10:00:00Z']);
  if (Array.isArray(value)) {
    const items = value as unknown[];
    if (maxItems !== undefined) {
      const more = Array.from(
        { length: maxItems + 1 },
        (_, index): unknown => items[index % (items.length || 1)] ?? 'x',
      );
      changes.push(['too many', more]);
    }
    if (minItems !== undefined && minItems > 0) changes.push(['too few', items.slice(0, minItems - 1)]);
  }
  return changes;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function replaced(object: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const others = Object.entries(object).filter(([key]) => key !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}
