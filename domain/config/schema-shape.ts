/**
 * Reads a user-supplied JSON Schema (draft-04 to draft-07) and writes it anew in one plain form: known keywords with
 * values of the right kind, every reference resolved inside the document, each subschema weighed. What is not written
 * here never reaches the validator: later drafts' keywords, vendor extensions, annotations. Nothing is ever fetched.
 */
import { compilePattern, type Pattern } from './patterns.js';
import { invalidSchema, isNode, type SchemaNode } from './schema-fault.js';
import { createReferences, type References } from './schema-references.js';

export const MAX_SCHEMA_CHARACTERS = 65_536;
const MAX_DEPTH = 48;
/** Compiling takes about 0.2 ms for each, twice that at its first use. */
const MAX_SUBSCHEMAS = 500;
/** Of all patterns together: 0.5 ms of compiling for 300. */
const MAX_INSTRUCTIONS = 20_000;
const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];

/**
 * A subschema in plain form. `weight` is what one evaluation costs apart from the size of the data. `then` and `else`
 * stand inside an `anyOf` marked `branch`, so that their failing is told as one fault.
 */
export type PlainSchema = boolean | { weight: number; [keyword: string]: unknown };

/** How a keyword's value is read. In-place kinds apply to the same value as the schema that they stand in. */
type Kind = 'schema' | 'schemaInPlace' | 'branch' | 'schemas' | 'schemaMap' | 'schemaMapByPattern' | 'items' | 'dependencies' | 'type'
  | 'number' | 'positive' | 'count' | 'flag' | 'names' | 'values' | 'any' | 'pattern' | 'text';

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['type', 'type'], ['enum', 'values'], ['const', 'any'],
  ['multipleOf', 'positive'], ['maximum', 'number'], ['minimum', 'number'],
  ['exclusiveMaximum', 'number'], ['exclusiveMinimum', 'number'],
  ['maxLength', 'count'], ['minLength', 'count'], ['pattern', 'pattern'], ['format', 'text'],
  ['items', 'items'], ['additionalItems', 'schema'], ['maxItems', 'count'], ['minItems', 'count'],
  ['uniqueItems', 'flag'], ['contains', 'schema'],
  ['maxProperties', 'count'], ['minProperties', 'count'], ['required', 'names'], ['properties', 'schemaMap'],
  ['patternProperties', 'schemaMapByPattern'], ['additionalProperties', 'schema'], ['propertyNames', 'schema'],
  ['dependencies', 'dependencies'],
  ['if', 'schemaInPlace'], ['then', 'branch'], ['else', 'branch'], ['not', 'schemaInPlace'],
  ['allOf', 'schemas'], ['anyOf', 'schemas'], ['oneOf', 'schemas'],
]);
/** Read for faults, used only when something refers to them. */
const CONTAINERS = ['definitions', '$defs'];

/** The `$defs` entry that a subschema applies in place with; undefined below a property, an item or a name. */
type Place = string | undefined;

interface Reading {
  readonly references: References;
  readonly patterns: Map<string, Pattern>;
  subschemas: number;
  instructions: number;
}

export interface PlainDocument {
  /** Entry 0 is the document, the others are what is referred to. */
  readonly schema: { readonly $ref: '#/$defs/0'; readonly $defs: Readonly<Record<string, PlainSchema>> };
  /** Every pattern of the schema, compiled, by its text. */
  readonly patterns: ReadonlyMap<string, Pattern>;
}

/**
 * @throws DomainError `invalidField` on `schema`: too long, too deep, too large, not a schema, or with a reference that
 *   leads outside or in a circle
 */
export function plainSchema(document: SchemaNode): PlainDocument {
  refuseDepth(document, 0);
  if (JSON.stringify(document).length > MAX_SCHEMA_CHARACTERS) throw invalidSchema(`is longer than ${MAX_SCHEMA_CHARACTERS} characters`);
  const references = createReferences(document);
  const reading: Reading = { references, patterns: new Map(), subschemas: 0, instructions: 0 };
  const $defs: Record<string, PlainSchema> = {};
  for (let next = references.next(); next; next = references.next()) {
    $defs[next.name] = subschema(next.node, reading, next.name);
  }
  references.refuseCircles();
  return { schema: { $ref: '#/$defs/0', $defs }, patterns: reading.patterns };
}

/** Depth of the whole document, values of `enum` and `const` included. */
function refuseDepth(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalidSchema(`is nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) refuseDepth(item, depth + 1);
}

function subschema(node: unknown, reading: Reading, place: Place): PlainSchema {
  if (typeof node === 'boolean') return node;
  if (!isNode(node)) throw invalidSchema('has a subschema that is neither an object nor a boolean', node);
  reading.subschemas += 1;
  if (reading.subschemas > MAX_SUBSCHEMAS) throw invalidSchema(`has more than ${MAX_SUBSCHEMAS} subschemas`);
  const own: { weight: number; [keyword: string]: unknown } = { weight: 1 };
  if (node['$ref'] !== undefined) own['$ref'] = reference(node, reading, place);
  for (const container of CONTAINERS) if (node[container] !== undefined) read('schemaMap', container, node[container], reading, place);
  // Up to draft-07 nothing beside a reference counts (JSON Schema core, draft-07, section 8.3).
  if (own['$ref'] !== undefined && !reading.references.siblingsCount) return own;
  for (const [keyword, value] of Object.entries(withNumericBounds(node))) {
    const kind = KINDS.get(keyword);
    if (kind === undefined || value === undefined) continue;
    own[keyword] = read(kind, keyword, value, reading, place);
    own.weight += weightOf(kind, value);
  }
  return own;
}

function reference(node: SchemaNode, reading: Reading, place: Place): string {
  const name = reading.references.resolve(node);
  if (place !== undefined) reading.references.link(place, name);
  return `#/$defs/${name}`;
}

/** Draft-04's `exclusiveMinimum: true` beside `minimum: 5` is draft-06's `exclusiveMinimum: 5`. */
function withNumericBounds(node: SchemaNode): SchemaNode {
  const plain: Record<string, unknown> = { ...node };
  for (const [exclusive, bound] of [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']] as const) {
    if (typeof plain[exclusive] !== 'boolean') continue;
    if (plain[exclusive]) plain[exclusive] = plain[bound];
    else delete plain[exclusive];
    if (plain[exclusive] !== undefined) delete plain[bound];
  }
  return plain;
}

/** Counts what an evaluation may have to go through: names to look for, values to compare with. */
function weightOf(kind: Kind, value: unknown): number {
  if (kind === 'values' || kind === 'any') return JSON.stringify(value).length >> 4;
  if (kind === 'schemaMapByPattern') return 4 * Object.keys(value as object).length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function read(kind: Kind, keyword: string, value: unknown, reading: Reading, place: Place): unknown {
  const below = (item: unknown) => subschema(item, reading, undefined);
  const inPlace = (item: unknown) => subschema(item, reading, place);
  switch (kind) {
    case 'schema': return below(value);
    case 'schemaInPlace': return inPlace(value);
    case 'branch': return { weight: 1, anyOf: [inPlace(value)], branch: keyword };
    case 'schemas': return list(keyword, value, 1).map(inPlace);
    case 'schemaMap': return eachOf(keyword, value, below);
    case 'schemaMapByPattern': return eachOf(keyword, value, (item, source) => {
      readPattern(source, reading);
      return below(item);
    });
    case 'items': return Array.isArray(value) ? value.map(below) : below(value);
    case 'dependencies': return eachOf(keyword, value, (item) => (Array.isArray(item) ? names(keyword, item) : inPlace(item)));
    case 'type': return readTypes(value);
    case 'pattern': return readPattern(value, reading);
    case 'names': return names(keyword, value);
    case 'values': return list(keyword, value, 1);
    default: return scalar(kind, keyword, value);
  }
}

function scalar(kind: Kind, keyword: string, value: unknown): unknown {
  const isFinite = typeof value === 'number' && Number.isFinite(value);
  switch (kind) {
    case 'number': return isFinite ? value : refuse(keyword, 'a number', value);
    case 'positive': return isFinite && value > 0 ? value : refuse(keyword, 'a number above 0', value);
    case 'count': return isFinite && Number.isInteger(value) && value >= 0 ? value : refuse(keyword, 'an integer of at least 0', value);
    case 'flag': return typeof value === 'boolean' ? value : refuse(keyword, 'a boolean', value);
    case 'text': return typeof value === 'string' ? value : refuse(keyword, 'a string', value);
    default: return value;
  }
}

function readTypes(value: unknown): string | string[] {
  const wanted = typeof value === 'string' ? [value] : list('type', value, 1);
  const bad = wanted.find((type) => typeof type !== 'string' || !TYPES.includes(type));
  if (bad !== undefined) throw invalidSchema(`has a primitive type that is NOT VALID -- given: /${String(bad)}/ Expected valid values are:[${TYPES.join(' ')}]`, bad);
  return [...new Set(wanted as string[])];
}

function readPattern(value: unknown, reading: Reading): string {
  if (typeof value !== 'string') return refuse('pattern', 'a string', value);
  if (reading.patterns.has(value)) return value;
  try {
    const pattern = compilePattern(value);
    reading.patterns.set(value, pattern);
    reading.instructions += pattern.instructions;
  } catch (error) {
    throw invalidSchema(`has a bad pattern: ${(error as Error).message}`, value);
  }
  if (reading.instructions > MAX_INSTRUCTIONS) throw invalidSchema('has too many large patterns', value);
  return value;
}

function names(keyword: string, value: unknown): string[] {
  const given = list(keyword, value, 0);
  if (!given.every((name) => typeof name === 'string')) return refuse(keyword, 'a list of strings', value);
  return [...new Set(given as string[])];
}

function list(keyword: string, value: unknown, atLeast: number): unknown[] {
  if (!Array.isArray(value) || value.length < atLeast) return refuse(keyword, atLeast > 0 ? 'a list that is not empty' : 'a list', value);
  return value;
}

function eachOf(keyword: string, value: unknown, map: (item: unknown, name: string) => unknown): Record<string, unknown> {
  if (!isNode(value)) return refuse(keyword, 'an object', value);
  if (Object.hasOwn(value, '__proto__')) return refuse(keyword, 'without the name __proto__', value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item, name)]));
}

function refuse(keyword: string, wanted: string, value: unknown): never {
  throw invalidSchema(`has a keyword '${keyword}' that must be ${wanted}`, value);
}
