// Turns definitions into the JSON Schemas (draft 7) that ajv compiles, one set per form.
//
// Requests report the first fault in the order of property names: a required property opens a new member of `allOf`, so
// that its absence is noticed after the faults of the properties before it. Responses need no order and stay plain.

import type { Catalog, MergedProperty, SubType } from './catalog.js';
import type { ArraySchema, Form, NumberSchema, ObjectSchema, Schema, StringSchema } from './model.js';
import { integerRanges, requestOnlyFormats, stringFormats } from './formats.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export class SchemaSet {
  /** By id: what was asked for and all that it refers to. */
  readonly schemas = new Map<string, JsonSchema>();

  constructor(
    private readonly catalog: Catalog,
    private readonly form: Form,
  ) {}

  /** The id of a definition's schema, which is built if it is not there yet. */
  id(name: string, orNull = false): string {
    const id = `${this.form}_${name}${orNull ? '_or_null' : ''}`;
    if (!this.schemas.has(id)) {
      this.schemas.set(id, {});
      this.schemas.set(id, this.named(name, orNull));
    }
    return id;
  }

  /** The id of the schema of one element, when a definition is an object whose `data` is a list. */
  itemId(name: string): string | null {
    const envelope = this.catalog.resolve(this.catalog.definition(name));
    if (envelope.kind !== 'object') return null;
    const data = this.catalog.merge(envelope).properties.find((property) => property.name === 'data');
    const [schema] = data?.schemas ?? [];
    if (!schema || data?.schemas.length !== 1) return null;
    const list = this.catalog.resolve(schema);
    if (list.kind !== 'array') return null;
    if (list.minItems !== null || list.maxItems !== null || list.uniqueItems)
      list.node.fail('a list that is an answer is checked element by element, and has no rules of its own');
    if (list.items.kind === 'ref' && !list.items.nullable) return this.id(list.items.name);
    const id = `${this.form}_${schema.kind === 'ref' ? schema.name : name}_item`;
    this.schemas.set(id, this.schema(list.items, false));
    return id;
  }

  private named(name: string, orNull: boolean): JsonSchema {
    const schema = this.catalog.definition(name);
    const subTypes = this.catalog.subTypes(name);
    if (schema.kind === 'object' && subTypes.length > 0) return this.union(schema, subTypes, orNull);
    if (schema.kind === 'object') return this.object(schema, orNull || schema.nullable, name);
    return this.schema(schema, orNull);
  }

  /** The value is looked at first, so that an unknown one is the only fault that is reported. */
  private union(schema: ObjectSchema, subTypes: readonly SubType[], orNull: boolean): JsonSchema {
    const property = schema.discriminator ?? '';
    const branches = subTypes.map((subType) => ({
      properties: { [property]: { type: 'string', enum: this.values(subType) } },
      $ref: this.id(subType.name),
    }));
    const known = { type: 'string', enum: subTypes.flatMap((one) => this.values(one)) };
    return {
      type: types('object', orNull),
      allOf: [
        {
          required: [property],
          ...(this.form === 'request' ? { nullIsAbsent: true } : {}),
          properties: { [property]: known },
        },
        { required: [property], discriminator: { propertyName: property }, oneOf: branches },
      ],
    };
  }

  private values(subType: SubType): string[] {
    return this.form === 'request' ? [subType.value, subType.name] : [subType.value];
  }

  private schema(schema: Schema, orNull: boolean): JsonSchema {
    const isNull = orNull || schema.nullable;
    switch (schema.kind) {
      case 'ref': {
        const target = this.catalog.get(schema);
        if (target.kind !== 'object' && target.kind !== 'array') return this.schema(target, isNull);
        return { $ref: this.id(schema.name, isNull && !target.nullable) };
      }
      case 'any':
        return {};
      case 'string':
        return this.string(schema, isNull);
      case 'integer':
      case 'number':
        return this.number(schema, isNull);
      case 'boolean':
        return { type: types('boolean', isNull) };
      case 'array':
        return this.array(schema, isNull);
      case 'object':
        return this.object(schema, isNull, null);
    }
  }

  private array(schema: ArraySchema, isNull: boolean): JsonSchema {
    const { minItems, maxItems, uniqueItems, node } = schema;
    // Comparing anything but strings costs the square of the length.
    if (uniqueItems && this.catalog.resolve(schema.items).kind !== 'string')
      node.at('uniqueItems').fail('only for strings');
    return {
      type: types('array', isNull),
      ...given({ minItems, maxItems, uniqueItems: uniqueItems || null }),
      ...this.elements('items', schema.items),
    };
  }

  private string(schema: StringSchema, isNull: boolean): JsonSchema {
    const { format } = schema;
    const isChecked =
      format !== null && format in stringFormats && (this.form === 'request' || !requestOnlyFormats.includes(format));
    const { minLength, pattern } = schema;
    // What is stored is shown, whatever the bound was when it was written.
    const maxLength = this.form === 'request' ? schema.maxLength : null;
    const values = this.form === 'request' && schema.isLenient ? null : schema.enum;
    return {
      type: types('string', isNull),
      ...given({ enum: values && isNull ? [...values, null] : values, minLength, maxLength, pattern }),
      ...given({ format: isChecked ? format : null }),
    };
  }

  private number(schema: NumberSchema, isNull: boolean): JsonSchema {
    const range = this.form === 'request' && schema.format !== null ? integerRanges[schema.format] : undefined;
    const [lowest = -Infinity, highest = Infinity] = range ?? [];
    const minimum = Math.max(schema.minimum ?? -Infinity, lowest);
    const maximum = Math.min(schema.maximum ?? Infinity, highest);
    return {
      type: types(schema.kind, isNull),
      ...(minimum === -Infinity ? {} : { minimum }),
      ...(maximum === Infinity ? {} : { maximum }),
    };
  }

  private elements(keyword: string, schema: Schema): JsonSchema {
    const inner = this.schema(schema, false);
    return Object.keys(inner).length === 0 ? {} : { [keyword]: inner };
  }

  private object(schema: ObjectSchema, isNull: boolean, name: string | null): JsonSchema {
    const { properties, additional } = this.catalog.merge(schema);
    const union = this.catalog.unionOf(schema);
    const members = properties.map((property) => {
      const isDiscriminator = union?.property === property.name && name !== null && schema.discriminatorValue !== null;
      const narrowed = {
        type: 'string',
        enum: isDiscriminator ? this.values({ name, schema, value: schema.discriminatorValue }) : [],
      };
      return { property, schema: isDiscriminator ? narrowed : this.property(property) };
    });
    return {
      type: types('object', isNull),
      ...(this.form === 'request' ? this.ordered(members) : this.plain(members)),
      ...(additional ? this.elements('additionalProperties', additional) : {}),
      // What is stored is shown, whatever the bound was when it was written.
      ...given({ maxBytes: this.form === 'request' ? schema.maxBytes : null }),
    };
  }

  private property(property: MergedProperty): JsonSchema {
    const isNull = property.schemas.every((schema) => this.catalog.nullable(schema));
    const [first, ...others] = property.schemas.map((schema) => this.schema(schema, isNull));
    return others.length === 0 ? (first ?? {}) : { allOf: [first, ...others] };
  }

  private plain(members: readonly Member[]): JsonSchema {
    const required = members.filter(({ property }) => property.required).map(({ property }) => property.name);
    return { ...(required.length > 0 ? { required } : {}), ...propertiesOf(members) };
  }

  private ordered(members: readonly Member[]): JsonSchema {
    const groups: Member[][] = [];
    for (const member of members) {
      const last = groups.at(-1);
      if (member.property.required || !last) groups.push([member]);
      else last.push(member);
    }
    const [only = {}, ...others] = groups.map((group): JsonSchema => {
      const [first] = group;
      if (!first?.property.required) return propertiesOf(group);
      const mayBeNull = first.property.schemas.every((schema) => this.catalog.nullable(schema));
      return { required: [first.property.name], ...(mayBeNull ? {} : { nullIsAbsent: true }), ...propertiesOf(group) };
    });
    return others.length === 0 ? only : { allOf: [only, ...others] };
  }
}

interface Member {
  readonly property: MergedProperty;
  readonly schema: JsonSchema;
}

/** Properties that can have any value need no schema. */
function propertiesOf(members: readonly Member[]): JsonSchema {
  const checked = members.filter(({ schema }) => Object.keys(schema).length > 0);
  return checked.length === 0
    ? {}
    : { properties: Object.fromEntries(checked.map(({ property, schema }) => [property.name, schema])) };
}

function types(type: string, isNull: boolean): string | string[] {
  return isNull ? [type, 'null'] : type;
}

function given(keywords: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== null));
}
