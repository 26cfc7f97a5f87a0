// Emits request.ts and response.ts: one type per definition that requests, or responses, reach.

import type { Catalog, MergedProperty } from './catalog.js';
import type { Form, ObjectSchema, Schema, StringSchema } from './model.js';
import { comment, key, pascalCase, quote } from './text.js';

/** Names that the emitted modules take from TypeScript. */
const TAKEN = ['NonNullable', 'Omit', 'Record'];

export function emitTypes(catalog: Catalog, form: Form): string {
  const printer = new TypePrinter(catalog, form);
  const names = catalog.reachable(form);
  const used = new Map<string, string>();
  for (const name of names) {
    for (const type of printer.declares(name)) {
      const earlier = used.get(type);
      if (earlier !== undefined || TAKEN.includes(type)) {
        catalog.definition(name).node.fail(`its type ${type} is also that of ${earlier ?? 'the language'}`);
      }
      used.set(type, name);
    }
  }
  return names.map((name) => printer.declaration(name)).join('\n');
}

class TypePrinter {
  constructor(
    private readonly catalog: Catalog,
    private readonly form: Form,
  ) {}

  declares(name: string): string[] {
    const type = pascalCase(name);
    return this.catalog.subTypes(name).length > 0 ? [type, `${type}Base`] : [type];
  }

  declaration(name: string): string {
    const schema = this.catalog.definition(name);
    const type = pascalCase(name);
    const doc = comment(schema.description);
    const subTypes = this.catalog.subTypes(name);
    if (schema.kind === 'object' && subTypes.length > 0) {
      const union = subTypes.map((subType) => `\n  | ${pascalCase(subType.name)}`).join('');
      const base = comment(`What every ${type} has.`) + this.interface(`${type}Base`, schema);
      return `${doc}export type ${type} =${union};\n\n${base}`;
    }
    if (schema.kind === 'object' && !schema.nullable && this.catalog.merge(schema).properties.length > 0) {
      return doc + this.interface(type, schema, name);
    }
    return `${doc}export type ${type} = ${this.type(schema, '', false)};\n`;
  }

  private interface(type: string, schema: ObjectSchema, name?: string): string {
    const own = this.ownProperties(schema);
    const bases = this.bases(schema);
    const heads = bases.length > 0 ? ` extends ${bases.join(', ')}` : '';
    const members = own.map((property) => this.member(schema, property, '  ', name)).join('');
    return `export interface ${type}${heads} {${members === '' ? '' : `\n${members}`}}\n`;
  }

  /** Properties that the type itself has to declare. */
  private ownProperties(schema: ObjectSchema): MergedProperty[] {
    const discriminator = this.discriminatorOf(schema);
    return this.catalog
      .merge(schema)
      .properties.filter((property) => !property.unchanged || property.name === discriminator);
  }

  /** Where a sub-type narrows the discriminator to its own value. */
  private discriminatorOf(schema: ObjectSchema): string | null {
    return schema.discriminatorValue === null ? null : (this.catalog.unionOf(schema)?.property ?? null);
  }

  private bases(schema: ObjectSchema): string[] {
    const discriminator = this.discriminatorOf(schema);
    const own = this.ownProperties(schema).filter(({ name }) => name !== discriminator);
    return schema.bases.map((ref) => {
      const base = this.catalog.base(ref);
      const type = pascalCase(ref.name) + (base.discriminator === null ? '' : 'Base');
      const replaced = own
        .filter(({ inheritedFrom }) => inheritedFrom.includes(ref.name))
        .map(({ name }) => quote(name));
      const object = this.catalog.nullable(ref) ? `NonNullable<${type}>` : type;
      return replaced.length === 0 ? object : `Omit<${object}, ${replaced.join(' | ')}>`;
    });
  }

  private member(schema: ObjectSchema, property: MergedProperty, indent: string, name?: string): string {
    const [first] = property.schemas;
    const mark = property.required ? '' : '?';
    const doc = comment(property.schemas.at(-1)?.description ?? null, indent);
    if (schema.discriminator === property.name) return `${doc}${indent}${key(property.name)}: string;\n`;
    if (this.discriminatorOf(schema) === property.name && name !== undefined) {
      const values = [schema.discriminatorValue ?? '', ...(this.form === 'request' ? [name] : [])];
      return `${doc}${indent}${key(property.name)}: ${values.map(quote).join(' | ')};\n`;
    }
    const types = property.schemas.map((one) => this.type(one, indent, property.schemas.length > 1));
    let type = types.join(' & ');
    if (!property.required && this.form === 'response' && first?.kind !== 'any') type += ' | undefined';
    return `${doc}${indent}${key(property.name)}${mark}: ${type};\n`;
  }

  /** @param inner whether more than a union is needed, so that a union gets parentheses */
  type(schema: Schema, indent: string, inner: boolean): string {
    const plain = this.plainType(schema, indent);
    const orNull =
      schema.nullable &&
      schema.kind !== 'any' &&
      !(schema.kind === 'ref' && this.catalog.nullable(this.catalog.get(schema)));
    const type = orNull ? `${plain} | null` : plain;
    const isUnion = orNull || (schema.kind === 'string' && !this.isLenient(schema) && (schema.enum?.length ?? 0) > 1);
    return inner && isUnion ? `(${type})` : type;
  }

  private plainType(schema: Schema, indent: string): string {
    switch (schema.kind) {
      case 'ref':
        return pascalCase(schema.name);
      case 'any':
        return 'unknown';
      case 'string':
        return schema.enum && !this.isLenient(schema) ? schema.enum.map(quote).join(' | ') : 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array':
        return `${this.form === 'response' ? 'readonly ' : ''}${this.type(schema.items, indent, true)}[]`;
      case 'object':
        return this.objectType(schema, indent);
    }
  }

  private isLenient(schema: StringSchema): boolean {
    return this.form === 'request' && schema.isLenient;
  }

  private objectType(schema: ObjectSchema, indent: string): string {
    const { properties, additional } = this.catalog.merge(schema);
    if (properties.length === 0)
      return `Record<string, ${additional ? this.type(additional, indent, false) : 'unknown'}>`;
    const own = this.ownProperties(schema).map((property) => this.member(schema, property, `${indent}  `));
    const literal = own.length > 0 ? [`{\n${own.join('')}${indent}}`] : [];
    return [...this.bases(schema), ...literal].join(' & ');
  }
}
