/** Schemas of OpenAPI 2.0 as schemas of OpenAPI 3.1, which are JSON Schema 2020-12. */
import { splitReference } from '../spec-document.js';
import type { JsonObject, JsonValue, OpenApiDocument, Schema } from '../spec-document.js';
import { subTypesOf } from '../spec-lookup.js';

/** What both forms write alike. */
const ALIKE: readonly string[] = [
  'title',
  'description',
  'type',
  'format',
  'default',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
  'readOnly',
];

/** A name that both `definitions` and `components/schemas` have. */
export const schemaReference = (name: string): string => `#/components/schemas/${name}`;

/** All definitions, for `components/schemas`. */
export function toSchemas(document: OpenApiDocument): JsonObject {
  return Object.fromEntries(
    Object.entries(document.definitions).map(([name, definition]) => {
      const schema = toSchema(definition, `definition ${name}`);
      if (definition.discriminator === undefined) return [name, schema];
      return [name, { ...schema, discriminator: toDiscriminator(document, name, definition.discriminator) }];
    }),
  );
}

/**
 * One schema.
 * @param where  for the message of a failure
 * @throws Error for a keyword that has no place here: nothing is left out in silence
 */
export function toSchema(source: Schema, where: string): JsonObject {
  const { 'x-nullable': isNullable = false, ...rest } = source;
  const schema: JsonObject = {};
  for (const [keyword, value] of Object.entries(rest)) Object.assign(schema, convert(keyword, value, where));
  return isNullable ? orNull(schema) : schema;
}

function convert(keyword: string, value: unknown, where: string): JsonObject {
  switch (keyword) {
    case '$ref':
      return { $ref: schemaReference(splitReference(value as string)?.[1] ?? '') };
    case 'type':
      // Bytes have no type in JSON Schema; generators of clients go by this format.
      return value === 'file' ? { type: 'string', format: 'binary' } : { type: value as string };
    case 'format':
      return value === 'byte' ? { contentEncoding: 'base64' } : { format: value as string };
    case 'example':
      return { examples: [value as JsonValue] };
    case 'items':
      return { items: toSchema(value as Schema, `${where}[]`) };
    case 'additionalProperties':
      return { additionalProperties: typeof value === 'boolean' ? value : toSchema(value as Schema, `${where}{}`) };
    case 'properties':
      return {
        properties: Object.fromEntries(
          Object.entries(value as Record<string, Schema>).map(([name, property]) => [
            name,
            toSchema(property, `${where}.${name}`),
          ]),
        ),
      };
    case 'allOf':
      return { allOf: (value as Schema[]).map((part) => toSchema(part, where)) };
    case 'discriminator':
      return {}; // `toSchemas` writes it, with what it leads to
    default:
      if (!ALIKE.includes(keyword) && !keyword.startsWith('x-'))
        throw new Error(`${where}: '${keyword}' is not known to the derivation of OpenAPI 3.1`);
      return { [keyword]: value as JsonValue };
  }
}

/** The same schema, for which null will do as well. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, ...rest } = schema;
  if (typeof type !== 'string' || 'allOf' in schema || '$ref' in schema) {
    const { description, ...alone } = schema;
    return { ...(description === undefined ? {} : { description }), anyOf: [alone, { type: 'null' }] };
  }
  return { type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}), ...rest };
}

/** The property, and which schema each of its values means. A schema's own name needs no entry. */
function toDiscriminator(document: OpenApiDocument, base: string, propertyName: string): JsonObject {
  const entries = subTypesOf(document, base).flatMap(([name, { 'x-discriminator-value': value }]) =>
    value === undefined ? [] : [[value, schemaReference(name)] as const],
  );
  return { propertyName, mapping: Object.fromEntries(entries) };
}
