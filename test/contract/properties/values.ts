/**
 * Values that a schema accepts, as arbitraries of fast-check: short ones as a rule, and those at its bounds now and
 * then.
 */
import fc from 'fast-check';
import type { Parameter, Schema, ServedDocument } from './document.js';
import { heirsBehind, shapeOf } from './shapes.js';
import type { Heirs, Shape } from './shapes.js';

type Arbitrary = fc.Arbitrary<unknown>;
/** Values of a member or parameter that mean more than its schema says, such as the id of something that is there. */
export type Hints = (name: string) => Arbitrary | undefined;

/** A text beyond this length is made of equal letters: what is slow to make proves no more. */
const LONGEST_MIXED = 40;
const LONGEST = 70_000;

export function valuesOf(document: ServedDocument, schema: Schema, hints: Hints): Arbitrary {
  const heirs = heirsBehind(document, schema);
  if (heirs !== undefined) return ofHeirs(document, heirs, hints);
  const shape = shapeOf(document, schema);
  const values = ofType(document, shape, hints);
  return isNullable(document, schema) ? fc.oneof({ weight: 9, arbitrary: values }, fc.constant(null)) : values;
}

/** Of any heir; most are of the one that the hint of the discriminator names, if it has a hint. */
function ofHeirs(document: ServedDocument, { by, heirs }: Heirs, hints: Hints): Arbitrary {
  const all = heirs.map((heir) => {
    const fixed: Hints = (name) => (name === by ? fc.constant(heir.value) : hints(name));
    return { value: heir.value, objects: objects(document, shapeOf(document, heir.schema), fixed) };
  });
  const any = fc.oneof(...all.map((heir) => heir.objects));
  const named = hints(by)?.chain((value) => all.find((heir) => heir.value === value)?.objects ?? any);
  return named === undefined ? any : fc.oneof({ weight: 6, arbitrary: named }, { weight: 3, arbitrary: any });
}

/** Whether null is a value of a schema; a definition may say so for all that refer to it. */
export function isNullable(document: ServedDocument, schema: Schema): boolean {
  return shapeOf(document, schema)['x-nullable'] === true;
}

function ofType(document: ServedDocument, shape: Shape, hints: Hints): Arbitrary {
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum);
  switch (shape.type) {
    case 'string':
      return texts(shape);
    case 'integer':
      return integers(shape);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: shape.minimum ?? -1e6, max: shape.maximum ?? 1e6 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arrays(document, shape, hints);
    case 'object':
      return shape.properties === undefined ? free(document, shape, hints) : objects(document, shape, hints);
    case undefined:
    default:
      return json;
  }
}

/** Any JSON of a few members. NUL and numbers of extreme size, which no schema can exclude, are rare. */
const json: Arbitrary = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 8 }), fc.constantFrom(0.5, -1e-3)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys(), tie('value'), { maxKeys: 3 }),
  ),
})).value;

function keys(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('team', 'Größe', 'a.b', 'name', 'constructor', ''), fc.string({ maxLength: 8 }));
}

function free(document: ServedDocument, { additionalProperties }: Shape, hints: Hints): Arbitrary {
  const values = typeof additionalProperties === 'object' ? valuesOf(document, additionalProperties, hints) : json;
  return fc.dictionary(keys(), values, { maxKeys: 4 });
}

function objects(document: ServedDocument, { properties = {}, required = [] }: Shape, hints: Hints): Arbitrary {
  const members = Object.entries(properties).map(([name, schema]): [string, Arbitrary] => {
    const plain = valuesOf(document, schema, hints);
    const hinted = hints(name);
    const values = hinted === undefined ? plain : fc.oneof({ weight: 6, arbitrary: hinted }, plain);
    return [name, required.includes(name) ? values : fc.option(values, { nil: undefined, freq: 2 })];
  });
  const stranger = fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    fc.tuple(fc.constantFrom('unheardOf', 'x-y', '_links'), json),
  );
  return fc.tuple(fc.record(Object.fromEntries(members)), stranger).map(([object, extra]) => {
    const given = Object.entries(object).filter(([, value]) => value !== undefined);
    return Object.fromEntries(extra === undefined ? given : [...given, extra]);
  });
}

function arrays(document: ServedDocument, shape: Shape, hints: Hints): Arbitrary {
  const { items = {}, minItems = 0, maxItems = 5, uniqueItems } = shape;
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 5)) };
  const values = valuesOf(document, items, hints);
  return uniqueItems === true
    ? fc.uniqueArray(values, { ...bounds, selector: (value) => JSON.stringify(value) })
    : fc.array(values, bounds);
}

function integers({ format, minimum, maximum }: Shape): fc.Arbitrary<number> {
  const widest = format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const [min, max] = [Math.max(minimum ?? -widest, -widest), Math.min(maximum ?? widest, widest)];
  const few = fc.integer({ min: Math.max(min, Math.min(0, max)), max: Math.min(max, Math.max(min, 0) + 100) });
  return fc.oneof({ weight: 4, arbitrary: few }, fc.constantFrom(min, max), fc.integer({ min, max }));
}

function texts(shape: Shape): fc.Arbitrary<string> {
  switch (shape.format) {
    case 'date-time':
      return fc
        .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'uuid':
      return fc.uuid();
    case 'byte':
      return fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case undefined:
    default:
      return plainTexts(shape);
  }
}

function plainTexts({ minLength = 0, maxLength = LONGEST }: Shape): fc.Arbitrary<string> {
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONGEST_MIXED)) };
  const words = fc
    .constantFrom('web', 'Büro 7', '名前', '🚪', 'a b', '<&>', "'; --", '%_\\', '#all', '@id')
    .filter((word) => [...word].length >= minLength && [...word].length <= maxLength);
  return fc.oneof(
    { weight: 25, arbitrary: fc.string({ ...bounds, unit: 'grapheme-ascii' }) },
    { weight: 10, arbitrary: maxLength >= 8 ? words : fc.string({ ...bounds, unit: 'grapheme-ascii' }) },
    { weight: 5, arbitrary: fc.string({ ...bounds, unit: 'binary' }) },
    ...(maxLength < LONGEST ? [fc.constantFrom('x', 'ü', '💥').map((letter) => letter.repeat(maxLength))] : []),
    { weight: 2, arbitrary: fc.constantFrom('x'.repeat(minLength)) },
    ...(maxLength >= 8 ? [fc.constant('NUL is \0')] : []),
  );
}

/** Texts of a parameter, as they are written in a query, a header or a path. */
export interface ParameterTexts {
  readonly texts: readonly string[];
  /** Whether there is a hint and one of the texts does not come from it. */
  readonly isFree: boolean;
}

export function parameterValues(
  document: ServedDocument,
  parameter: Parameter,
  hints: Hints,
): fc.Arbitrary<ParameterTexts> {
  const one: Schema = parameter.type === 'array' ? (parameter.items ?? {}) : { ...parameter, required: [] };
  const plain = one.pattern === undefined ? valuesOf(document, one, hints) : matching(one, one.pattern);
  const hint = hints(`${parameter.in} ${parameter.name}`);
  const free = plain.map((value) => ({ text: String(value), isFree: hint !== undefined }));
  const hinted = hint?.map((value) => ({ text: String(value), isFree: false }));
  const drawn = hinted === undefined ? free : fc.oneof({ weight: 9, arbitrary: hinted }, free);
  const all = parameter.type === 'array' ? fc.array(drawn, { minLength: 1, maxLength: 3 }) : fc.tuple(drawn);
  return all.map((found) => ({
    texts: found.map(({ text }) => text),
    isFree: found.some(({ isFree }) => isFree),
  }));
}

function matching({ minLength = 0, maxLength = LONGEST }: Shape, pattern: string): fc.Arbitrary<string> {
  return fc
    .stringMatching(new RegExp(pattern), { size: '-1' })
    .filter((text) => text.length >= minLength && text.length <= maxLength);
}
