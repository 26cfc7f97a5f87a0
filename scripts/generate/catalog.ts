// Questions about the definitions of one document: what extends what, what may be null, what is reachable.

import { isDeepStrictEqual } from 'node:util';
import { byName } from './node.js';
import type { Form, Model, ObjectSchema, RefSchema, Schema } from './model.js';

/** A property as all of an object's bases and the object itself describe it. */
export interface MergedProperty {
  readonly name: string;
  /** More than one when descriptions differ: all of them hold. */
  readonly schemas: readonly Schema[];
  readonly required: boolean;
  /** Bases (by definition name) that have it. */
  readonly inheritedFrom: readonly string[];
  /** It is exactly what the only base that has it says. */
  readonly unchanged: boolean;
}

export interface MergedObject {
  /** In the order of their names. */
  readonly properties: readonly MergedProperty[];
  readonly additional: Schema | null;
}

export interface SubType {
  readonly name: string;
  readonly schema: ObjectSchema;
  /** The short form of the discriminator's value. */
  readonly value: string;
}

export class Catalog {
  private readonly subTypesOf = new Map<string, SubType[]>();
  private readonly merged = new Map<ObjectSchema, MergedObject>();

  constructor(readonly model: Model) {
    for (const [name, schema] of model.definitions) this.collectSubType(name, schema);
    for (const [name, schema] of model.definitions) {
      if (schema.kind === 'object' && schema.discriminator !== null) this.checkUnion(name, schema);
    }
  }

  get(ref: RefSchema): Schema {
    return this.model.definitions.get(ref.name) ?? ref.node.fail(`definitions has no ${ref.name}`);
  }

  definition(name: string): Schema {
    const found = this.model.definitions.get(name);
    if (!found) throw new Error(`${this.model.api}: definitions has no ${name}`);
    return found;
  }

  nullable(schema: Schema): boolean {
    return schema.nullable || schema.kind === 'any' || (schema.kind === 'ref' && this.nullable(this.get(schema)));
  }

  /** What is at the end of a chain of references. */
  resolve(schema: Schema): Exclude<Schema, RefSchema> {
    return schema.kind === 'ref' ? this.resolve(this.get(schema)) : schema;
  }

  /** The sub-types of a definition with a discriminator, in the order of their names. */
  subTypes(name: string): readonly SubType[] {
    return this.subTypesOf.get(name) ?? [];
  }

  /** The definition with a discriminator that an object extends, directly or not. */
  unionOf(schema: ObjectSchema): { name: string; schema: ObjectSchema; property: string } | null {
    for (const ref of schema.bases) {
      const base = this.base(ref);
      if (base.discriminator !== null) return { name: ref.name, schema: base, property: base.discriminator };
      const further = this.unionOf(base);
      if (further) return further;
    }
    return null;
  }

  /** The object that a reference in `allOf` extends. */
  base(ref: RefSchema): ObjectSchema {
    const schema = this.resolve(ref);
    return schema.kind === 'object' ? schema : ref.node.fail(`${ref.name} is not an object and cannot be extended`);
  }

  merge(schema: ObjectSchema): MergedObject {
    const known = this.merged.get(schema);
    if (known) return known;
    const inherited = schema.bases.map((ref) => ({ ref, object: this.merge(this.base(ref)) }));
    const names = new Set([
      ...inherited.flatMap(({ object }) => object.properties.map(({ name }) => name)),
      ...schema.properties.keys(),
    ]);
    for (const name of schema.required) {
      if (!names.has(name)) schema.node.fail(`there is no property ${name}, which is required`);
    }
    const properties = [...names].sort(byName).map((name): MergedProperty => {
      const origins = inherited.flatMap(({ ref, object }) =>
        object.properties
          .filter((property) => property.name === name)
          .map((property) => ({ base: ref.name, property })),
      );
      const own = schema.properties.get(name);
      const schemas = [...origins.flatMap(({ property }) => property.schemas), ...(own ? [own] : [])];
      const required = schema.required.has(name) || origins.some(({ property }) => property.required);
      const [first] = origins;
      return {
        name,
        schemas: distinct(schemas),
        required,
        inheritedFrom: origins.map(({ base }) => base),
        unchanged: !own && origins.length === 1 && first?.property.required === required,
      };
    });
    const additionals = [
      ...inherited.flatMap(({ object }) => object.additional ?? []),
      ...(schema.additional ? [schema.additional] : []),
    ];
    const [additional = null] = additionals;
    if (additional && properties.length > 0)
      schema.node.fail('additionalProperties of one part would apply to the properties of another');
    if (additionals.length > 1) schema.node.fail('two parts have additionalProperties');
    const result = { properties, additional };
    this.merged.set(schema, result);
    return result;
  }

  /** The definitions that one form's roots lead to, bases and sub-types included, in the order of their names. */
  reachable(form: Form): string[] {
    const seen = new Set<string>();
    const visit = (schema: Schema): void => {
      if (schema.kind === 'ref') {
        if (seen.has(schema.name)) return;
        seen.add(schema.name);
        visit(this.get(schema));
        for (const subType of this.subTypes(schema.name)) {
          if (seen.has(subType.name)) continue;
          seen.add(subType.name);
          visit(subType.schema);
        }
      } else if (schema.kind === 'array') visit(schema.items);
      else if (schema.kind === 'object') {
        schema.bases.forEach(visit);
        for (const property of schema.properties.values()) visit(property);
        if (schema.additional) visit(schema.additional);
      }
    };
    for (const name of this.roots(form)) {
      const schema = this.definition(name);
      visit({ kind: 'ref', name, node: schema.node, description: null, nullable: false });
    }
    return [...seen].sort(byName);
  }

  /** The definitions of bodies, or of responses. */
  roots(form: Form): string[] {
    const names = this.model.operations.flatMap(({ body, responses }) =>
      form === 'request' ? [body?.definition] : [...responses.values()].map(({ definition }) => definition),
    );
    return [...new Set(names.filter((name) => typeof name === 'string'))].sort(byName);
  }

  private collectSubType(name: string, schema: Schema): void {
    if (schema.kind !== 'object') return;
    const union = this.unionOf(schema);
    const value = schema.discriminatorValue;
    if (value === null) {
      if (union)
        schema.node.fail(`it extends ${union.name}, which has a discriminator, and has no x-discriminator-value`);
      return;
    }
    if (!union) return schema.node.at('x-discriminator-value').fail('nothing that it extends has a discriminator');
    const siblings = this.subTypesOf.get(union.name) ?? [];
    for (const sibling of siblings) {
      if ([sibling.name, sibling.value].some((taken) => taken === name || taken === value)) {
        schema.node.at('x-discriminator-value').fail(`${sibling.name} uses it too`);
      }
    }
    this.subTypesOf.set(union.name, [...siblings, { name, schema, value }]);
  }

  private checkUnion(name: string, schema: ObjectSchema): void {
    const property = schema.discriminator ?? '';
    const discriminator = schema.node.at('discriminator');
    if (schema.nullable) discriminator.fail('a definition with a discriminator is not nullable');
    if (!schema.required.has(property)) discriminator.fail(`${property} must be a required property`);
    if (this.subTypes(name).length === 0) discriminator.fail('nothing extends it');
    const values = schema.properties.get(property);
    const type = values && this.resolve(values);
    if (type?.kind !== 'string' || type.nullable) return discriminator.fail('a string is expected');
    for (const subType of this.subTypes(name)) {
      if (type.enum && !type.enum.includes(subType.value)) {
        subType.schema.node.at('x-discriminator-value').fail(`${property} has no ${subType.value}`);
      }
    }
  }
}

/** Without those that say the same as an earlier one. */
function distinct(schemas: readonly Schema[]): Schema[] {
  return schemas.filter(
    (one, index) => schemas.findIndex((other) => isDeepStrictEqual(one.node.value, other.node.value)) === index,
  );
}
