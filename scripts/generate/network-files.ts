/**
 * The JSON Schema of network files, out of what the management API takes: draft 7, which editors know best. A file
 * refers by name where a request has ids, and has no field that the schema does not know.
 */
import { KIND_NAMES } from '../../domain/network-files/kind-names.js';
import { KINDS } from '../../domain/network-files/kinds.js';
import type { KindField, EntityKind, Reference } from '../../domain/network-files/kind-fields.js';
import { schemaReference } from '../openapi/schema.js';
import type { JsonObject, JsonValue } from '../spec-document.js';
import { asText } from '../../domain/network-files/values.js';

type Schemas = Readonly<Record<string, JsonObject>>;

const PREFIX = schemaReference('');
/** What JSON Schema of draft 7 has, and a file needs. */
const DROPPED = ['examples', 'discriminator', 'readOnly', 'contentEncoding'];

/** @param schemas  `components.schemas` of the OpenAPI 3.1 document of the management API */
export function networkFilesSchema(schemas: Schemas): JsonObject {
  const kinds = KIND_NAMES.map((name) => KINDS[name]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Files of a network of edge-controller',
    description: 'What a network is made of, by name: what `edge-controller export` writes and `import` reads.',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      kinds.map((kind) => [
        kind.name,
        { type: ['array', 'null'], description: listOf(kind), items: { $ref: `#/definitions/${kind.name}` } },
      ]),
    ),
    definitions: Object.fromEntries(kinds.map((kind) => [kind.name, kindSchema(kind, schemas)])),
  };
}

const listOf = ({ title, key }: EntityKind): string => `Each ${title}, known by its ${key}.`;

function kindSchema(kind: EntityKind, schemas: Schemas): JsonObject {
  const base = schemas[kind.definition];
  if (base === undefined) throw new Error(`network files: the spec has no definition ${kind.definition}`);
  const mapping = (base['discriminator'] as JsonObject | undefined)?.['mapping'] as Record<string, string> | undefined;
  if (mapping === undefined) return objectOf(kind, whole(base, schemas), schemas);
  const { typeId } = (whole(base, schemas)['properties'] ?? {}) as JsonObject;
  const variants = Object.entries(mapping).map(([value, target]) => {
    const variant = objectOf(kind, whole(schemas[target.slice(PREFIX.length)] ?? {}, schemas), schemas);
    const own = { ...variant, properties: { ...(variant['properties'] as JsonObject), typeId: { const: value } } };
    const isOfType = { properties: { typeId: { const: value } }, required: ['typeId'] };
    return { if: isOfType, then: own };
  });
  return {
    type: 'object',
    required: ['name', 'typeId'],
    properties: { typeId: inlined(typeId as JsonObject, schemas) },
    allOf: variants,
  };
}

/** The definition with the fields of files in the place of those of requests. */
function objectOf(kind: EntityKind, definition: JsonObject, schemas: Schemas): JsonObject {
  const given = (definition['properties'] ?? {}) as Record<string, JsonObject>;
  const isRequired = new Set(definition['required'] as string[] | undefined);
  const fields = kind.fields.filter((field) => field.isApart === true || bodyOf(field) in given);
  requireAll(kind, Object.keys(given));
  return {
    type: 'object',
    description: asText(definition['description'] ?? ''),
    required: fields.filter((field) => isRequired.has(bodyOf(field))).map(({ name }) => name),
    additionalProperties: false,
    properties: Object.fromEntries(
      fields.map((field) => [field.name, fieldSchema(kind, field, given[bodyOf(field)], schemas)]),
    ),
  };
}

const bodyOf = ({ name, body }: KindField): string => body ?? name;

/** A field that the spec gets is one that files have to have. */
function requireAll({ name, fields }: EntityKind, properties: readonly string[]): void {
  const missing = properties.filter((property) => !fields.some((field) => bodyOf(field) === property));
  if (missing.length > 0)
    throw new Error(`network files: ${name} in domain/network-files/kinds.ts lacks ${missing.join(', ')}`);
}

function fieldSchema(kind: EntityKind, field: KindField, source: JsonObject | undefined, schemas: Schemas): JsonObject {
  if (source === undefined) return APART[`${kind.name}.${field.name}`] ?? unknown(kind, field);
  const { default: usual, ...schema } = inlined(source, schemas);
  const { fallback } = field;
  const named = (field.references ?? []).reduce(withNames, schema);
  // In short: `enrollment: ott`. A pattern is for texts alone, all else for objects.
  if (field.name === 'enrollment') return { ...named, type: ['object', 'string', 'null'], pattern: '^ott$' };
  const isNothing = fallback === undefined || fallback === null;
  const shown = isNothing ? {} : { default: (fallback ?? usual ?? null) as JsonValue };
  return { ...named, ...shown };
}

const unknown = ({ name }: EntityKind, field: KindField): never => {
  throw new Error(`network files: nothing is said of ${name}.${field.name}`);
};

/** Fields that are no part of the bodies that make an entity. */
const APART: Readonly<Record<string, JsonObject>> = {
  'authPolicies.isDefault': {
    type: 'boolean',
    description: 'Whether it is the policy of identities that name none, which every network has; it may be renamed.',
  },
  'identities.isDefaultAdmin': {
    type: 'boolean',
    description: 'Whether it is the default administrator, which every network has; it may be renamed.',
  },
  'identities.serviceConfigs': {
    type: ['array', 'null'],
    description: 'Configs that the identity gets for a service in the place of its own of the same type.',
    items: {
      type: 'object',
      required: ['service', 'config'],
      additionalProperties: false,
      properties: {
        service: { type: 'string', description: 'Name of the service.' },
        config: { type: 'string', description: 'Name of the config.' },
      },
    },
  },
};

/** The words about ids become words about names. */
function withNames(schema: JsonObject, { path, target, form }: Reference): JsonObject {
  const [first, ...rest] = path;
  if (first !== undefined) {
    const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
    const inner = withNames(properties[first] ?? {}, { path: rest, target, form });
    return { ...schema, properties: { ...properties, [first]: inner } };
  }
  const title = target === 'controllers' ? 'controller' : KINDS[target].title;
  const description = {
    name: `Name of the ${title}${target === 'controllers' ? ', or `global` for all' : ''}.`,
    names: `Names, each of one ${title}.`,
    keys: `By the name of the ${title}.`,
    selectors: `Selectors, a set: \`#attribute\`, \`@\` and the name of one ${title}, or \`#all\` alone.`,
    pairs: asText(schema['description'] ?? ''),
  }[form];
  return { ...schema, description };
}

/** An object with the members of all that it is made of. */
function whole(schema: JsonObject, schemas: Schemas): JsonObject {
  const { allOf, ...own } = resolved(schema, schemas);
  if (!Array.isArray(allOf)) return own;
  const parts = [own, ...allOf.map((part) => whole(part as JsonObject, schemas))];
  const { description = '' } = own;
  return {
    description,
    properties: Object.assign({}, ...parts.map((part) => part['properties'] ?? {})) as JsonObject,
    required: [...new Set(parts.flatMap((part) => (part['required'] as string[] | undefined) ?? []))],
  };
}

function resolved(schema: JsonObject, schemas: Schemas): JsonObject {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = schemas[$ref.slice(PREFIX.length)];
  if (target === undefined) throw new Error(`network files: ${$ref} leads nowhere`);
  return { ...resolved(target, schemas), ...rest };
}

/** Without references; objects take no other members than they declare. */
function inlined(schema: JsonObject, schemas: Schemas): JsonObject {
  const { allOf, anyOf, ...own } = resolved(schema, schemas);
  if (Array.isArray(anyOf)) return { ...orNull(anyOf, schemas), ...described(own) };
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => inlined(part as JsonObject, schemas));
    return { ...(Object.assign({}, ...parts) as JsonObject), ...inlined(own, schemas) };
  }
  const kept = Object.entries(own).filter(([keyword]) => !DROPPED.includes(keyword) && !keyword.startsWith('x-'));
  const result: JsonObject = {};
  for (const [keyword, value] of kept) {
    if (keyword === 'format' && /^(?:int|float|double)/.test(asText(value))) continue;
    if (keyword === 'items') result[keyword] = inlined(value as JsonObject, schemas);
    else if (keyword === 'properties') result[keyword] = eachInlined(value as JsonObject, schemas);
    else if (keyword === 'additionalProperties' && typeof value === 'object')
      result[keyword] = inlined(value as JsonObject, schemas);
    else result[keyword] = value;
  }
  return 'properties' in result ? { additionalProperties: false, ...result } : result;
}

const eachInlined = (properties: JsonObject, schemas: Schemas): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, item]) => [name, inlined(item as JsonObject, schemas)]));

const described = ({ description }: JsonObject): JsonObject => (description === undefined ? {} : { description });

/** One of two, of which the other is null, as one schema: its faults can be told in a sentence. */
function orNull(anyOf: readonly JsonValue[], schemas: Schemas): JsonObject {
  const [schema, ...others] = anyOf as JsonObject[];
  if (schema === undefined || others.length !== 1 || others[0]?.['type'] !== 'null')
    throw new Error('network files: only a choice of something and null is known');
  const { type, enum: values, ...rest } = inlined(schema, schemas);
  return {
    type: [type as string, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest,
  };
}
