/** Shared by the readers of user-supplied JSON Schemas: the form of a node, and how a fault is reported. */
import { invalidField, type DomainError } from '../errors.js';
import { jsonStart } from '../value-text.js';

const SHOWN_CHARACTERS = 200;

export type SchemaNode = { readonly [keyword: string]: unknown };

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A refused schema: `invalid schema <text>` on the field `schema`, with at most 200 characters of what was wrong. */
export function invalidSchema(text: string, value: unknown = ''): DomainError {
  const shown = typeof value === 'object' ? jsonStart(value, SHOWN_CHARACTERS) : value;
  return invalidField(
    'schema',
    `invalid schema ${text}`,
    typeof shown === 'string' ? shown.slice(0, SHOWN_CHARACTERS) : shown,
  );
}
