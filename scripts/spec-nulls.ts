// The one rule of null in requests: an optional property may be null, which means that it is absent. Clients of this
// field send explicit nulls for what they leave out. The bundled documents say so on each of these properties, and the
// validators take null exactly where a document says `x-nullable`.

import { httpMethods } from './spec-document.js';
import type { OpenApiDocument, Schema } from './spec-document.js';
import { bodyOf, definitionsFrom, dereference, subTypesOf } from './spec-lookup.js';

/** Marks the optional properties of everything that a body can hold, in place. */
export function declareNulls(document: OpenApiDocument): void {
  const optional = optionalProperties(document);
  // What is referred to by such properties alone is nullable itself.
  const uses = countReferences([document.paths, document.definitions, document.responses]);
  for (const [reference, count] of countReferences(optional.map(({ property: { $ref = '' } }) => ({ $ref })))) {
    const target = dereference(document, { $ref: reference });
    if (target !== undefined && target.allOf === undefined && uses.get(reference) === count)
      target['x-nullable'] = true;
  }
  for (const { owner, name, property } of optional) {
    if (!takesNull(document, property)) owner[name] = { ...withoutReference(document, property), 'x-nullable': true };
  }
}

/** How often each `$ref` occurs in a value. */
function countReferences(value: unknown, counts = new Map<string, number>()): Map<string, number> {
  if (typeof value !== 'object' || value === null) return counts;
  for (const [key, part] of Object.entries(value)) {
    if (key === '$ref' && typeof part === 'string') counts.set(part, (counts.get(part) ?? 0) + 1);
    else countReferences(part, counts);
  }
  return counts;
}

/**
 * Keywords next to `$ref` mean nothing. So a reference to what has a name in client libraries, an object or an enum, is
 * the one member of `allOf`, with its type next to it as tools want it; any other is replaced by what it refers to.
 */
function withoutReference(document: OpenApiDocument, property: Schema): Schema {
  const { $ref, allOf, ...rest } = property;
  const reference = $ref ?? allOf?.[0]?.$ref;
  const target = reference === undefined ? undefined : dereference(document, { $ref: reference });
  if (reference === undefined || target === undefined) return property;
  const isNamed = target.enum !== undefined || target.properties !== undefined || target.allOf !== undefined;
  if (!isNamed) return { ...structuredClone(target), ...rest };
  return { type: target.type ?? 'object', allOf: [{ $ref: reference }], ...rest };
}

export interface OptionalProperty {
  /** The definition that it is in, and the names that lead to it: `identityCreate.enrollment.ott`. */
  readonly where: string;
  readonly name: string;
  readonly property: Schema;
  /** The `properties` that hold it. */
  readonly owner: Record<string, Schema>;
}

/**
 * What a request may leave out, inherited properties at the definition that declares them. A property that some heir
 * of the definition requires is none.
 */
export function optionalProperties(document: OpenApiDocument): OptionalProperty[] {
  const found: OptionalProperty[] = [];
  const visit = (where: string, schema: Schema, inherited: readonly string[]): void => {
    const required = [...inherited, ...(schema.required ?? [])];
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!required.includes(name))
        found.push({ where: `${where}.${name}`, name, property, owner: schema.properties ?? {} });
      visit(`${where}.${name}`, property, []);
    }
    const members = (schema.allOf ?? []).filter((part) => part.$ref === undefined);
    const demanded = [...required, ...members.flatMap((part) => part.required ?? [])];
    for (const member of members) visit(where, member, demanded);
    if (schema.items !== undefined) visit(`${where}[]`, schema.items, []);
    if (typeof schema.additionalProperties === 'object') visit(`${where}{}`, schema.additionalProperties, []);
  };
  for (const name of requestDefinitions(document)) {
    const definition = document.definitions[name];
    if (definition !== undefined) visit(name, definition, requiredByHeirs(document, name));
  }
  for (const [where, schema] of bodies(document)) visit(where, schema, []);
  return found;
}

/** Whether a schema, or the definition that it refers to, may be null. One without a type may be anything. */
export function takesNull(document: OpenApiDocument, schema: Schema): boolean {
  if (schema['x-nullable'] === true) return true;
  if (schema.$ref === undefined) return schema.type === undefined && schema.allOf === undefined;
  const target = dereference(document, schema);
  return target !== undefined && takesNull(document, target);
}

/** The names of what bodies lead to. */
export const requestDefinitions = (document: OpenApiDocument): string[] =>
  definitionsFrom(
    document,
    bodies(document).map(([, schema]) => schema),
  );

function bodies(document: OpenApiDocument): [where: string, schema: Schema][] {
  return Object.values(document.paths).flatMap((item) =>
    httpMethods.flatMap((method): [string, Schema][] => {
      const operation = item[method];
      if (operation === undefined) return [];
      const body = bodyOf(document, operation);
      return body?.schema === undefined ? [] : [[`${operation.operationId}.${body.name}`, body.schema]];
    }),
  );
}

function requiredByHeirs(document: OpenApiDocument, name: string): string[] {
  return subTypesOf(document, name).flatMap(([heir, { required = [], allOf = [] }]) => [
    ...required,
    ...allOf.flatMap((part) => part.required ?? []),
    ...requiredByHeirs(document, heir),
  ]);
}
