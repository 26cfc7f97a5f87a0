/** A schema with its references followed and what it extends put into it, as those who make values need it. */
import { nameOf } from './document.js';
import type { Schema, ServedDocument } from './document.js';

export type Shape = Omit<Schema, '$ref' | 'allOf'>;
type Definitions = Pick<ServedDocument, 'definitions'>;

/** @throws Error for a reference to nothing */
export function shapeOf(document: Definitions, schema: Schema): Shape {
  if (schema.$ref !== undefined) return shapeOf(document, definitionOf(document, nameOf(schema.$ref)));
  const { allOf, ...own } = schema;
  if (allOf === undefined) return own;
  const parts = [...allOf.map((part) => shapeOf(document, part)), own];
  const merged = Object.assign({}, ...parts) as Shape;
  return {
    ...merged,
    ...(parts.some((part) => part.properties !== undefined)
      ? { properties: Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema> }
      : {}),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

export function definitionOf({ definitions }: Definitions, name: string): Schema {
  const found = definitions[name];
  if (found === undefined) throw new Error(`the document has no definition ${name}`);
  return found;
}

export interface Heir {
  readonly name: string;
  readonly schema: Schema;
  /** What the discriminator is for this one. */
  readonly value: string;
}

/** The definitions that extend one with a discriminator. */
export function heirsOf({ definitions }: Definitions, base: string): Heir[] {
  return Object.entries(definitions)
    .filter(([, { allOf = [] }]) => allOf.some(({ $ref }) => $ref === `#/definitions/${base}`))
    .map(([name, schema]) => ({ name, schema, value: schema['x-discriminator-value'] ?? name }));
}

export interface Heirs {
  /** The discriminator. */
  readonly by: string;
  readonly heirs: readonly Heir[];
}

/** The heirs of what a schema refers to, if that has a discriminator. */
export function heirsBehind(document: Definitions, { $ref }: Schema): Heirs | undefined {
  if ($ref === undefined) return undefined;
  const by = definitionOf(document, nameOf($ref)).discriminator;
  return by === undefined ? undefined : { by, heirs: heirsOf(document, nameOf($ref)) };
}
