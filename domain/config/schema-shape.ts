/**
 * Reads a user-supplied JSON Schema (draft-04 to draft-07) and writes it again in one plain form: known keywords with
 * values of the right kind, every reference resolved inside the document, each subschema weighed. What is not written
 * here never reaches the validator: later drafts' keywords, vendor extensions, annotations. Nothing is ever fetched.
 */
import { compilePattern, type Pattern } from './patterns.js';
import { invalidSchema, isNode, type SchemaNode } from './schema-fault.js';
import { createReferences, type References } from './schema-references.js';

const MAX_SCHEMA_CHARACTERS = 65_536;
const MAX_DEPTH = 48;
/** Compiling takes 0.2 to 0.5 ms for each, on a thread of its own that other configs wait for. */
const MAX_SUBSCHEMAS = 250;
/** Limit of all patterns of a schema together: 300 instructions take 0.5 ms to compile. */
const MAX_INSTRUCTIONS = 20_000;
const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];

/**
 * A subschema in plain form. `weight` is what one evaluation costs apart from the size of the data. `then` and `else`
 * stand inside an `anyOf` marked `branch`, so that their failing is reported as one fault.
 */
export type PlainSchema = boolean | { weight: number; [keyword: string]: unknown };

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
  /** Memory of the compiled form in KiB, estimated rather too high. */
  readonly kib: number;
}

/** Measured with 20 to 240 subschemas of many keywords, and with patterns of 14 to 900 instructions. */
const [KIB_OF_SUBSCHEMA, KIB_OF_INSTRUCTION] = [10, 1];

/** A schema with as many values at most, none of them a pattern, is compiled within a few milliseconds. */
const MOST_SMALL_VALUES = 48;

/** Whether no other request has to wait for long while it is compiled. */
export function isSmallSchema(schema: object): boolean {
  let values = 0;
  const isWithin = (value: unknown): boolean => {
    values += 1;
    if (values > MOST_SMALL_VALUES) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.entries(value).every(([name, item]) => !name.startsWith('pattern') && isWithin(item));
  };
  return isWithin(schema);
}

/**
 * @throws DomainError `invalidField` on `schema`: too long, too deep, too large, not a schema, or with a reference that
 *   leads outside or in a circle
 */
export function plainSchema(document: SchemaNode): PlainDocument {
  refuseDepth(document, 0);
  if (JSON.stringify(document).length > MAX_SCHEMA_CHARACTERS)
    throw invalidSchema(`is longer than ${MAX_SCHEMA_CHARACTERS} characters`);
  const references = createReferences(document);
  const reading: Reading = { references, patterns: new Map(), subschemas: 0, instructions: 0 };
  const $defs: Record<string, PlainSchema> = {};
  for (let next = references.next(); next; next = references.next()) {
    $defs[next.name] = subschema(next.node, reading, next.name);
  }
  references.refuseCircles();
  const kib = reading.subschemas * KIB_OF_SUBSCHEMA + reading.instructions * KIB_OF_INSTRUCTION;
  return { schema: { $ref: '#/$defs/0', $defs }, patterns: reading.patterns, kib };
}

/** Depth of the whole document, values of `enum` and `const` included. */
function refuseDepth(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalidSchema(`is nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) refuseDepth(item, depth + 1);
}

function subschema(node: unknown, reading: Reading, place: Place): PlainSchema {
  if (typeof node === 'boolean') return node;
  if (!isNode(node)) throw invalidSchema('has a subschema that is neither an object nor a boolean', node);
  reading.subschemas += 1;
  if (reading.subschemas > MAX_SUBSCHEMAS) throw invalidSchema(`has more than ${MAX_SUBSCHEMAS} subschemas`);
  const own: { weight: number; [keyword: string]: unknown } = { weight: 1 };
  if (node['$ref'] !== undefined) own['$ref'] = reference(node, reading, place);
  for (const container of CONTAINERS)
    if (node[container] !== undefined) byName(node[container], container, reading, undefined);
  // Up to draft-07 nothing next to a reference counts (JSON Schema core, draft-07, section 8.3).
  if (own['$ref'] !== undefined && !reading.references.siblingsCount) return own;
  for (const [keyword, value] of Object.entries(withNumericBounds(node))) {
    const reader = readers.get(keyword);
    if (reader === undefined || value === undefined) continue;
    own[keyword] = reader(value, keyword, reading, place);
    own.weight += weightOf(keyword, value);
  }
  return own;
}

function reference(node: SchemaNode, reading: Reading, place: Place): string {
  const name = reading.references.resolve(node);
  if (place !== undefined) reading.references.link(place, name);
  return `#/$defs/${name}`;
}

/** Draft-04's `exclusiveMinimum: true` next to `minimum: 5` is draft-06's `exclusiveMinimum: 5`. */
function withNumericBounds(node: SchemaNode): SchemaNode {
  const plain: Record<string, unknown> = { ...node };
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof plain[exclusive] !== 'boolean') continue;
    if (plain[exclusive]) plain[exclusive] = plain[bound];
    else delete plain[exclusive];
    if (plain[exclusive] !== undefined) delete plain[bound];
  }
  return plain;
}

/** Counts what an evaluation may have to go through: names to look for, values to compare with. */
function weightOf(keyword: string, value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (keyword === 'enum' || keyword === 'const') return JSON.stringify(value).length >> 4;
  const entries = Object.keys(value).length;
  return keyword === 'patternProperties' ? 4 * entries : entries;
}

/** How a keyword's value is read. */
type Reader = (value: unknown, keyword: string, reading: Reading, place: Place) => unknown;

/** A subschema for a part of the value, and one for the value itself. */
const below: Reader = (value, _, reading) => subschema(value, reading, undefined);
const inPlace: Reader = (value, _, reading, place) => subschema(value, reading, place);
const branch: Reader = (value, keyword, reading, place) => ({
  weight: 1,
  anyOf: [subschema(value, reading, place)],
  branch: keyword,
});
const eachInPlace: Reader = (value, keyword, reading, place) =>
  list(keyword, value, 1).map((item) => subschema(item, reading, place));
const byName: Reader = (value, keyword, reading) =>
  eachOf(keyword, value, (item) => subschema(item, reading, undefined));
const byPattern: Reader = (value, keyword, reading) =>
  eachOf(keyword, value, (item, source) => {
    readPattern(source, keyword, reading);
    return subschema(item, reading, undefined);
  });
const items: Reader = (value, keyword, reading, place) =>
  Array.isArray(value)
    ? value.map((item) => subschema(item, reading, undefined))
    : below(value, keyword, reading, place);
const dependencies: Reader = (value, keyword, reading, place) =>
  eachOf(keyword, value, (item) => (Array.isArray(item) ? names(item, keyword) : subschema(item, reading, place)));
const values: Reader = (value, keyword) => list(keyword, value, 1);
const anything: Reader = (value) => value;

function number(wanted: string, isWanted: (value: number) => boolean = () => true): Reader {
  return (value, keyword) => (typeof value === 'number' && isWanted(value) ? value : refuse(keyword, wanted, value));
}
const bound = number('a number');
const positive = number('a number above 0', (value) => value > 0);
const count = number('an integer of at least 0', (value) => Number.isInteger(value) && value >= 0);
const flag: Reader = (value, keyword) => (typeof value === 'boolean' ? value : refuse(keyword, 'a boolean', value));
const text: Reader = (value, keyword) => (typeof value === 'string' ? value : refuse(keyword, 'a string', value));

function types(value: unknown): string[] {
  const wanted = typeof value === 'string' ? [value] : list('type', value, 1);
  return wanted.map((type) => {
    if (typeof type === 'string' && TYPES.includes(type)) return type;
    const given = typeof type === 'string' ? type : JSON.stringify(type);
    throw invalidSchema(
      `has a primitive type that is NOT VALID -- given: /${given}/ Expected valid values are:[${TYPES.join(' ')}]`,
      type,
    );
  });
}

function readPattern(value: unknown, keyword: string, reading: Reading): string {
  if (typeof value !== 'string') return refuse(keyword, 'a string', value);
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

function names(value: unknown, keyword: string): string[] {
  return [
    ...new Set(
      list(keyword, value, 0).map((name) =>
        typeof name === 'string' ? name : refuse(keyword, 'a list of strings', value),
      ),
    ),
  ];
}

function list(keyword: string, value: unknown, atLeast: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length < atLeast)
    return refuse(keyword, atLeast > 0 ? 'a list that is not empty' : 'a list', value);
  return value as unknown[];
}

function eachOf(
  keyword: string,
  value: unknown,
  map: (item: unknown, name: string) => unknown,
): Record<string, unknown> {
  if (!isNode(value)) return refuse(keyword, 'an object', value);
  if (Object.hasOwn(value, '__proto__')) return refuse(keyword, 'without the name __proto__', value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item, name)]));
}

function refuse(keyword: string, wanted: string, value: unknown): never {
  throw invalidSchema(`has a keyword '${keyword}' that must be ${wanted}`, value);
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['type', types],
  ['enum', values],
  ['const', anything],
  ['multipleOf', positive],
  ['maximum', bound],
  ['minimum', bound],
  ['exclusiveMaximum', bound],
  ['exclusiveMinimum', bound],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', readPattern],
  ['format', text],
  ['items', items],
  ['additionalItems', below],
  ['contains', below],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', flag],
  ['properties', byName],
  ['patternProperties', byPattern],
  ['additionalProperties', below],
  ['propertyNames', below],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', names],
  ['dependencies', dependencies],
  ['if', inPlace],
  ['then', branch],
  ['else', branch],
  ['not', inPlace],
  ['allOf', eachInPlace],
  ['anyOf', eachInPlace],
  ['oneOf', eachInPlace],
]);
