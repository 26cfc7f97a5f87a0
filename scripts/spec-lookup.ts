// Looking things up in a bundled document: what a schema refers to, what extends it, what it leads to.

import { resolveParameter, splitReference } from './spec-document.js';
import type { OpenApiDocument, Operation, Parameter, Schema } from './spec-document.js';

/** The name of the definition that a schema refers to; undefined for one that is written in place. */
export const definitionName = ({ $ref = '' }: Schema): string | undefined => splitReference($ref)?.[1];

/** The schema itself, or the definition that it refers to; undefined when that does not exist. */
export function dereference(document: OpenApiDocument, schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : document.definitions[definitionName(schema) ?? ''];
}

/** The definitions that extend another. */
export function subTypesOf(document: OpenApiDocument, base: string): [name: string, schema: Schema][] {
  return Object.entries(document.definitions).filter(([, { allOf = [] }]) =>
    allOf.some((part) => definitionName(part) === base),
  );
}

export function bodyOf(document: OpenApiDocument, { parameters = [] }: Operation): Parameter | undefined {
  return parameters.map((one) => resolveParameter(document, one)).find(({ in: place }) => place === 'body');
}

/** The names of what schemas lead to, sorted; a definition with a discriminator leads to its sub-types as well. */
export function definitionsFrom(document: OpenApiDocument, schemas: readonly Schema[]): string[] {
  const seen = new Set<string>();
  const queue = schemas.flatMap(namesIn);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const definition = document.definitions[name];
    if (definition === undefined || seen.has(name)) continue;
    seen.add(name);
    queue.push(...namesIn(definition));
    if (definition.discriminator !== undefined) queue.push(...subTypesOf(document, name).map(([subName]) => subName));
  }
  return [...seen].sort();
}

/** The definitions that a schema refers to, at any depth of its own. */
function namesIn(schema: Schema): string[] {
  const { items, additionalProperties, properties = {}, allOf = [] } = schema;
  const name = definitionName(schema);
  return [
    ...(name === undefined ? [] : [name]),
    ...[...Object.values(properties), ...allOf].flatMap(namesIn),
    ...(items === undefined ? [] : namesIn(items)),
    ...(typeof additionalProperties === 'object' ? namesIn(additionalProperties) : []),
  ];
}
