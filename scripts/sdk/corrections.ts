/**
 * What is done to a document for one generator alone, because that generator makes code of the true document that does
 * not compile or does not work. Each correction leaves what is sent and received as it is. Nothing is ever changed in
 * what comes out.
 */
import { isObject } from '../spec-document.js';
import type { JsonObject, JsonValue } from '../spec-document.js';

export interface Correction {
  /** Names of OpenAPI Generator. */
  readonly generators: readonly string[] | 'all';
  readonly what: string;
  readonly why: string;
  readonly apply: (document: JsonObject) => void;
}

export const corrections: readonly Correction[] = [
  {
    generators: 'all',
    what: 'the description of the whole API is cut after its first paragraph',
    why: 'It is a page long, and each generated file begins with it.',
    apply: shortenDescription,
  },
  {
    generators: 'all',
    what: '`x-enum-varnames` are left out',
    why: 'They are for Go without the prefix that ours has; the others need none, and keep shorter names.',
    apply: leaveOutConstants,
  },
  {
    generators: ['go'],
    what: 'a definition with a discriminator has the properties of all its kinds, and the kinds are gone',
    why:
      'Go has no inheritance: the generated functions take the common part alone, so that what belongs to the kind ' +
      'is neither sent nor read; and kinds of what has a date do not compile (undefined: time).',
    apply: joinKinds,
  },
  {
    generators: ['go', 'java'],
    what: '`x-nullable` is left out where only requests have it',
    why: 'There null means the same as absence, but each such member would be wrapped (NullableString, JsonNullable).',
    apply: leaveOutNulls,
  },
  {
    generators: ['go', 'python'],
    what: 'an enumeration inside of another definition becomes a definition',
    why: 'Go makes a plain string of it; Python refuses an answer with a value that is not in the list.',
    apply: nameEnumerations,
  },
];

/** Templates of ours that replace the generator's, in scripts/sdk-generator/templates/. */
export const templates: readonly { generator: string; file: string; why: string }[] = [
  {
    generator: 'go',
    file: 'model_enum.mustache',
    why: 'Its own refuses a value that is not in the list, or (enumUnknownDefaultCase) forgets which it was.',
  },
  {
    generator: 'python',
    file: 'model_enum.mustache',
    why: 'Its own refuses a value that is not in the list.',
  },
  {
    generator: 'typescript-fetch',
    file: 'README.mustache',
    why: 'The sample of its own does not compile: ids without quotes, and the key of the API twice.',
  },
];

/** A copy of the document, corrected for the generator. */
export function correctedFor(generator: string, document: JsonObject): JsonObject {
  const copy = structuredClone(document);
  for (const { generators, apply } of corrections)
    if (generators === 'all' || generators.includes(generator)) apply(copy);
  return copy;
}

function shortenDescription(document: JsonObject): void {
  const { description } = objectAt(document, 'info');
  if (typeof description !== 'string') return;
  objectAt(document, 'info')['description'] = description.split('\n\n')[0] ?? '';
}

function leaveOutConstants(document: JsonObject): void {
  for (const definition of Object.values(objectAt(document, 'definitions')))
    if (isObject(definition)) delete definition['x-enum-varnames'];
}

/** A name that kinds have for values of different types is left out: Go has it in `AdditionalProperties`. */
function joinKinds(document: JsonObject): void {
  const definitions = objectAt(document, 'definitions');
  for (const [name, parent] of Object.entries(definitions)) {
    if (!isObject(parent) || !('discriminator' in parent)) continue;
    const properties: JsonObject = { ...objectAt(parent, 'properties') };
    const ambiguous = new Set<string>();
    for (const [kindName, kind] of Object.entries(definitions)) {
      if (!isKindOf(name, kind)) continue;
      for (const [key, property] of partsOf(kind).flatMap((part) => propertiesOf(part, name, definitions))) {
        const other = properties[key];
        if (other === undefined) properties[key] = property;
        else if (JSON.stringify(shapeOf(other)) !== JSON.stringify(shapeOf(property))) ambiguous.add(key);
      }
      Reflect.deleteProperty(definitions, kindName);
    }
    for (const key of ambiguous) Reflect.deleteProperty(properties, key);
    parent['properties'] = properties;
    delete parent['discriminator'];
  }
}

function partsOf(definition: JsonValue): JsonObject[] {
  const parts = isObject(definition) ? definition['allOf'] : undefined;
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

const isKindOf = (parent: string, definition: JsonValue): boolean =>
  partsOf(definition).some((part) => part['$ref'] === `#/definitions/${parent}`);

/** Those of one part of an `allOf`; none of the parent itself. */
function propertiesOf(part: JsonObject, parent: string, definitions: JsonObject): [string, JsonValue][] {
  const reference = part['$ref'];
  if (reference === `#/definitions/${parent}`) return [];
  const target = typeof reference === 'string' ? definitions[reference.replace('#/definitions/', '')] : part;
  return isObject(target) ? Object.entries(objectAt(target, 'properties')) : [];
}

/** What makes a schema another type, leaving out its words and bounds. */
function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => ['$ref', 'type', 'format', 'items', 'enum'].includes(key));
  return Object.fromEntries(kept.map(([key, part]) => [key, shapeOf(part)]));
}

function leaveOutNulls(document: JsonObject): void {
  const definitions = objectAt(document, 'definitions');
  const answered = new Set<string>();
  const reach = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(reach);
    if (!isObject(value)) return;
    const name = typeof value['$ref'] === 'string' ? value['$ref'].replace(/^#\/definitions\//, '') : undefined;
    const definition = name === undefined || answered.has(name) ? undefined : definitions[name];
    if (name !== undefined && definition !== undefined) {
      answered.add(name);
      reach(definition);
      if (isObject(definition) && 'discriminator' in definition)
        for (const [kind, other] of Object.entries(definitions))
          if (isKindOf(name, other)) reach({ $ref: `#/definitions/${kind}` });
    }
    Object.values(value).forEach(reach);
  };
  const clean = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(clean);
    if (!isObject(value)) return;
    if (value['x-nullable'] === true) delete value['x-nullable'];
    Object.values(value).forEach(clean);
  };
  const operations = Object.values(objectAt(document, 'paths'))
    .filter(isObject)
    .flatMap((path) => Object.values(path).filter(isObject));
  for (const operation of operations) reach(objectAt(operation, 'responses'));
  reach(objectAt(document, 'responses'));
  for (const operation of operations) clean(operation['parameters'] ?? null);
  for (const [name, definition] of Object.entries(definitions)) if (!answered.has(name)) clean(definition);
}

/** `configTypeDetail.target` becomes `configTypeDetailTarget`; those of `permissions` `permissionsElement`. */
function nameEnumerations(document: JsonObject): void {
  const definitions = objectAt(document, 'definitions');
  const replace = (holder: JsonObject, key: string, name: string) => {
    const schema = holder[key];
    if (!isObject(schema)) return;
    if (schema['type'] === 'string' && 'enum' in schema) {
      if (name in definitions) throw new Error(`${name}: there is such a definition already`);
      definitions[name] = schema;
      holder[key] = { $ref: `#/definitions/${name}` };
    } else {
      visit(schema, name);
    }
  };
  const visit = (schema: JsonObject, name: string): void => {
    for (const key of Object.keys(objectAt(schema, 'properties')))
      replace(objectAt(schema, 'properties'), key, `${name}${key.charAt(0).toUpperCase()}${key.slice(1)}`);
    if (isObject(schema['items'])) replace(schema, 'items', `${name}Element`);
    if (Array.isArray(schema['allOf'])) for (const part of schema['allOf'].filter(isObject)) visit(part, name);
  };
  for (const [name, definition] of Object.entries(definitions)) if (isObject(definition)) visit(definition, name);
}

function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = holder[key];
  return isObject(value) ? value : {};
}
