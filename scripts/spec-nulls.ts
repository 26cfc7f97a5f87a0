// The one rule of null in requests: an optional property may be null, which means that it is absent. Clients of this
// field send explicit nulls for what they leave out. The bundled documents say so on each of these properties, and the
// validators take null exactly where a document says `x-nullable`.

import { httpMethods, resolveParameter, splitReference } from './spec-bundle.js';
import type { OpenApiDocument, Schema } from './spec-bundle.js';

/** Marks the optional properties of everything that a body can hold, in place. */
export function declareNulls(document: OpenApiDocument): void {
  for (const { owner, name, property } of optionalProperties(document)) {
    if (takesNull(document, property)) continue;
    if (property.type !== undefined || property.allOf !== undefined) property['x-nullable'] = true;
    // Keywords next to `$ref` mean nothing, so the reference moves into a list of one.
    else if (property.$ref !== undefined) owner[name] = { allOf: [{ $ref: property.$ref }], 'x-nullable': true };
  }
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
  const target = document.definitions[splitReference(schema.$ref)?.[1] ?? ''];
  return target !== undefined && takesNull(document, target);
}

/** The names of what bodies lead to; a definition with a discriminator leads to its sub-types as well. */
export function requestDefinitions(document: OpenApiDocument): string[] {
  const seen = new Set<string>();
  const queue = bodies(document).flatMap(([, schema]) => referencesOf(schema));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const definition = document.definitions[name];
    if (definition === undefined || seen.has(name)) continue;
    seen.add(name);
    queue.push(...referencesOf(definition));
    if (definition.discriminator !== undefined) queue.push(...subTypesOf(document, name));
  }
  return [...seen].sort();
}

function bodies(document: OpenApiDocument): [where: string, schema: Schema][] {
  return Object.values(document.paths).flatMap((item) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      return (operation?.parameters ?? [])
        .map((parameter) => resolveParameter(document, parameter))
        .flatMap(({ name, schema }): [string, Schema][] =>
          schema === undefined ? [] : [[`${operation?.operationId ?? ''}.${name}`, schema]],
        );
    }),
  );
}

function requiredByHeirs(document: OpenApiDocument, name: string): string[] {
  return subTypesOf(document, name).flatMap((heir) => {
    const { required = [], allOf = [] } = document.definitions[heir] ?? {};
    return [...required, ...allOf.flatMap((part) => part.required ?? []), ...requiredByHeirs(document, heir)];
  });
}

function subTypesOf(document: OpenApiDocument, name: string): string[] {
  return Object.entries(document.definitions)
    .filter(([, sub]) => sub.allOf?.some((part) => splitReference(part.$ref ?? '')?.[1] === name))
    .map(([subName]) => subName);
}

function referencesOf(schema: Schema): string[] {
  const { $ref, items, additionalProperties, properties = {}, allOf = [] } = schema;
  return [
    ...($ref === undefined ? [] : [splitReference($ref)?.[1] ?? '']),
    ...[...Object.values(properties), ...allOf].flatMap(referencesOf),
    ...(items === undefined ? [] : referencesOf(items)),
    ...(typeof additionalProperties === 'object' ? referencesOf(additionalProperties) : []),
  ];
}
