/**
 * What a document says is valid, by a JSON Schema validator of its own: it shares nothing with the validators that the
 * generator makes for the server, so that a fault of theirs is seen.
 */
import { Ajv2019 } from 'ajv/dist/2019.js';
import type { ValidateFunction } from 'ajv/dist/2019.js';
import { nameOf } from './document.js';
import type { Schema, ServedDocument } from './document.js';
import { definitionOf, heirsOf } from './shapes.js';

type JsonSchema = Record<string, unknown>;

export interface Validator {
  /** Why a value is not what the schema says; undefined when it is. */
  readonly faultOf: (schema: Schema, value: unknown) => string | undefined;
}

const FORMATS: Readonly<Record<string, RegExp | true>> = {
  'date-time': /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  byte: /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/,
  password: true,
  binary: true,
};
const BOUNDS: Readonly<Record<string, { minimum: number; maximum: number }>> = {
  int32: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { minimum: -(2 ** 63), maximum: 2 ** 63 },
};
/** Keywords that mean the same in JSON Schema. */
const ALIKE = [
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
] as const;

/** @param isClosed  whether members that the document does not declare are faults, as in answers */
export function makeValidator(document: ServedDocument, isClosed: boolean): Validator {
  const ajv = new Ajv2019({ strict: false, allErrors: false, unicodeRegExp: true, formats: { ...FORMATS } });
  ajv.addKeyword({
    keyword: 'maxBytes',
    schemaType: 'number',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
  });
  const wanted = new Set<string>();
  const refer = (name: string, isPart: boolean): JsonSchema => {
    const id = `${isPart ? 'part' : 'whole'}-${name}`;
    if (!wanted.has(id)) {
      wanted.add(id);
      const definition = definitionOf(document, name);
      ajv.addSchema(
        isPart || definition.discriminator === undefined ? convert(definition, isPart) : anyHeir(name, definition),
        id,
      );
    }
    return { $ref: id };
  };
  const convert = (schema: Schema, isPart: boolean): JsonSchema => {
    if (schema.$ref !== undefined) return refer(nameOf(schema.$ref), isPart);
    const rules: JsonSchema = { ...BOUNDS[schema.format ?? ''] };
    for (const keyword of ALIKE) if (schema[keyword] !== undefined) rules[keyword] = schema[keyword];
    if (schema.type !== undefined && schema.type !== 'file') rules['type'] = schema.type;
    if (schema.type === 'string' && schema.format !== undefined) rules['format'] = schema.format;
    if (schema['x-max-bytes'] !== undefined) rules['maxBytes'] = schema['x-max-bytes'];
    if (schema.items !== undefined) rules['items'] = convert(schema.items, false);
    if (schema.allOf !== undefined) rules['allOf'] = schema.allOf.map((part) => convert(part, true));
    if (schema.properties !== undefined)
      rules['properties'] = Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [name, convert(property, false)]),
      );
    if (typeof schema.additionalProperties === 'object')
      rules['additionalProperties'] = convert(schema.additionalProperties, false);
    else if (schema.additionalProperties === true) rules['additionalProperties'] = true;
    const hasMembers = schema.properties !== undefined || schema.allOf !== undefined;
    if (isClosed && !isPart && hasMembers) rules['unevaluatedProperties'] = false;
    return schema['x-nullable'] === true ? { anyOf: [{ type: 'null' }, rules] } : rules;
  };
  /** What the base says, and what the one heir says that the discriminator names. */
  const anyHeir = (name: string, base: Schema): JsonSchema => {
    const by = base.discriminator ?? '';
    const heirs = heirsOf(document, name);
    const cases = heirs.map((heir) => ({
      if: { properties: { [by]: { enum: [heir.value, heir.name] } } },
      then: convert(heir.schema, true),
    }));
    return {
      allOf: [refer(name, true), ...cases],
      properties: { [by]: { enum: heirs.flatMap((heir) => [heir.value, heir.name]) } },
      ...(isClosed ? { unevaluatedProperties: false } : {}),
    };
  };
  const compiled = new Map<Schema, ValidateFunction>();
  return {
    faultOf(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) compiled.set(schema, (validate = ajv.compile(convert(schema, false))));
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}
