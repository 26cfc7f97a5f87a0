/** What the readers of user-supplied JSON Schemas share: a node's form, and how a fault is told. */
import { invalidField, type DomainError } from '../errors.js';

export type SchemaNode = { readonly [keyword: string]: unknown };

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A refused schema: `invalid schema <text>` on the field `schema`, with at most 200 characters of what was wrong. */
export function invalidSchema(text: string, value: unknown = ''): DomainError {
  const shown = typeof value === 'object' ? JSON.stringify(value) : value;
  return invalidField('schema', `invalid schema ${text}`, typeof shown === 'string' ? shown.slice(0, 200) : shown);
}
