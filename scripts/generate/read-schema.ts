// Reads schemas. Every keyword is looked at: what is not known here stops the generator.

import { readFormat } from './formats.js';
import type { ArraySchema, NumberSchema, ObjectSchema, RefSchema, Schema, StringSchema } from './model.js';
import type { Node } from './node.js';

const ANNOTATIONS = ['title', 'description', 'example', 'default', 'readOnly', 'x-nullable', 'x-kept'];

export function readSchema(node: Node): Schema {
  if (node.has('$ref')) return readRef(node, false);
  if (node.has('allOf')) return readAllOf(node);
  const common = readCommon(node);
  if (!node.has('type')) {
    if (node.has('properties')) node.fail('properties need type: object');
    node.only(...ANNOTATIONS, 'x-example');
    return { ...common, kind: 'any' };
  }
  const type = node.at('type').oneOf('string', 'integer', 'number', 'boolean', 'array', 'object');
  switch (type) {
    case 'string':
      return readString(node);
    case 'integer':
    case 'number':
      return readNumber(node, type);
    case 'boolean':
      node.only('type', ...ANNOTATIONS);
      return { ...common, kind: 'boolean' };
    case 'array':
      return readArray(node);
    case 'object':
      return readObject(node);
  }
}

function readCommon(node: Node): { node: Node; description: string | null; nullable: boolean } {
  node.flag('readOnly');
  return { node, description: node.optionalString('description'), nullable: node.flag('x-nullable') };
}

function readRef(node: Node, bare: boolean): RefSchema {
  if (bare) node.only('$ref');
  else node.only('$ref', ...ANNOTATIONS);
  return { ...readCommon(node), kind: 'ref', name: readTarget(node, 'definitions') };
}

/** The name in a reference into one section; that it exists is checked when it is resolved. */
export function readTarget(node: Node, section: string): string {
  const reference = node.at('$ref').string();
  const prefix = `#/${section}/`;
  const name = reference.slice(prefix.length);
  if (!reference.startsWith(prefix) || !/^[A-Za-z0-9_-]+$/.test(name))
    node.at('$ref').fail(`a reference into ${prefix} is expected`);
  return name;
}

function readString(node: Node): StringSchema {
  node.only(
    'type',
    'format',
    'enum',
    'pattern',
    'minLength',
    'maxLength',
    'x-lenient',
    'x-enum-varnames',
    ...ANNOTATIONS,
  );
  const pattern = node.optionalString('pattern');
  if (pattern !== null) {
    try {
      new RegExp(pattern, 'u');
    } catch {
      node.at('pattern').fail('not a regular expression');
    }
  }
  return {
    ...readCommon(node),
    kind: 'string',
    format: readFormat(node, 'string'),
    enum: readEnum(node),
    isLenient: readLenient(node),
    pattern,
    minLength: node.optionalNumber('minLength'),
    maxLength: node.optionalNumber('maxLength'),
  };
}

export function readEnum(node: Node): string[] | null {
  if (!node.has('enum')) return null;
  const values = node.at('enum').strings();
  if (values.length === 0 || new Set(values).size !== values.length)
    node.at('enum').fail('distinct values are expected');
  return values;
}

/** Whether requests may spell the values of an enum in other ways too. */
export function readLenient(node: Node): boolean {
  if (node.has('x-lenient') && !node.has('enum')) node.at('x-lenient').fail('only beside enum');
  return node.flag('x-lenient');
}

function readNumber(node: Node, kind: 'integer' | 'number'): NumberSchema {
  node.only('type', 'format', 'minimum', 'maximum', ...ANNOTATIONS);
  return {
    ...readCommon(node),
    kind,
    format: readFormat(node, kind),
    minimum: node.optionalNumber('minimum'),
    maximum: node.optionalNumber('maximum'),
  };
}

function readArray(node: Node): ArraySchema {
  node.only('type', 'items', 'minItems', 'maxItems', 'uniqueItems', ...ANNOTATIONS);
  return {
    ...readCommon(node),
    kind: 'array',
    items: readSchema(node.at('items')),
    minItems: node.optionalNumber('minItems'),
    maxItems: node.optionalNumber('maxItems'),
    uniqueItems: node.flag('uniqueItems'),
  };
}

function readObject(node: Node): ObjectSchema {
  node.only(
    'type',
    'properties',
    'required',
    'additionalProperties',
    'x-max-bytes',
    'discriminator',
    'x-discriminator-value',
    ...ANNOTATIONS,
  );
  const properties = readProperties(node);
  const additional = readAdditional(node);
  if (additional && properties.size > 0) node.at('additionalProperties').fail('not beside properties');
  const required = readRequired(node);
  for (const name of required) {
    if (!properties.has(name)) node.at('required').fail(`there is no property ${name}`);
  }
  return {
    ...readCommon(node),
    kind: 'object',
    bases: [],
    properties,
    required,
    additional,
    maxBytes: readMaxBytes(node),
    discriminator: node.optionalString('discriminator'),
    discriminatorValue: node.optionalString('x-discriminator-value'),
  };
}

/** For free content, which no property bounds. */
function readMaxBytes(node: Node): number | null {
  if (!node.has('x-max-bytes')) return null;
  if (node.has('properties')) node.at('x-max-bytes').fail('not beside properties');
  const bytes = node.optionalNumber('x-max-bytes');
  if (!Number.isSafeInteger(bytes) || Number(bytes) < 2) node.at('x-max-bytes').fail('a number of bytes is expected');
  return bytes;
}

function readProperties(node: Node): Map<string, Schema> {
  if (!node.has('properties')) return new Map();
  return new Map(
    node
      .at('properties')
      .entries()
      .map(([name, property]) => [name, readSchema(property)]),
  );
}

function readRequired(node: Node): Set<string> {
  return new Set(node.has('required') ? node.at('required').strings() : []);
}

/** `true` and `{}` mean any value, and so does leaving it out. */
function readAdditional(node: Node): Schema | null {
  if (!node.has('additionalProperties')) return null;
  const value = node.at('additionalProperties');
  if (value.value === true) return null;
  if (value.value === false) value.fail('unknown properties are always allowed');
  const schema = readSchema(value);
  return schema.kind === 'any' ? null : schema;
}

/** References are what is extended; inline members and keywords next to `allOf` add up to its own properties. */
function readAllOf(node: Node): Schema {
  node.only('allOf', 'type', 'properties', 'required', 'x-discriminator-value', ...ANNOTATIONS);
  const members = node.at('allOf').items();
  if (members.length === 0) node.at('allOf').fail('it is empty');
  const isAlias = members.length === 1 && members[0]?.has('$ref') === true && !node.has('properties');
  // Next to the one reference it repeats the type of what is meant, which may be an enum.
  if (node.has('type')) node.at('type').oneOf('object', ...(isAlias ? ['string' as const] : []));
  const bases: RefSchema[] = [];
  const properties = new Map<string, Schema>();
  const required = readRequired(node);
  const add = (part: Node): void => {
    for (const [name, schema] of readProperties(part)) {
      if (properties.has(name)) part.at('properties').at(name).fail('it is described twice');
      properties.set(name, schema);
    }
  };
  for (const member of members) {
    if (member.has('$ref')) {
      bases.push(readRef(member, true));
      continue;
    }
    member.only('type', 'properties', 'required', 'description');
    if (member.has('type')) member.at('type').oneOf('object');
    add(member);
    for (const name of readRequired(member)) required.add(name);
  }
  add(node);
  const discriminatorValue = node.optionalString('x-discriminator-value');
  const [only] = bases;
  if (only && bases.length === 1 && properties.size === 0 && required.size === 0 && discriminatorValue === null) {
    return { ...readCommon(node), kind: 'ref', name: only.name };
  }
  return {
    ...readCommon(node),
    kind: 'object',
    bases,
    properties,
    required,
    additional: null,
    maxBytes: null,
    discriminator: null,
    discriminatorValue,
  };
}
