// Emits the names that the objects of requests have, so that a name in other letters can be read as the one it means.
// An object whose names are the caller's own (tags, config data) has no entry: nothing in it is ever touched.

import type { Catalog } from './catalog.js';
import type { ObjectSchema, Schema } from './model.js';
import { byName } from './node.js';
import { key, literal } from './text.js';

/**
 * By the name of the object's definition, or `definition.property` for one without: its properties and their objects.
 */
type Tables = Map<string, Map<string, string | null>>;

export class NameTables {
  private readonly tables: Tables = new Map();
  private readonly sources = new Map<string, ObjectSchema>();

  constructor(private readonly catalog: Catalog) {
    for (const name of catalog.roots('request')) this.of(name);
  }

  /** The entry of a body's definition; null when it has no names of its own. */
  of(definition: string): string | null {
    return this.tableOf(this.catalog.definition(definition), definition);
  }

  emit(): string {
    const tables = [...this.tables].sort(([a], [b]) => byName(a, b));
    return [
      "import type { NameTable } from '../operation.js';\n\n",
      '/** The names that the objects of requests have, each with the entry of its value when that is an object. */\n',
      'export const names: Readonly<Record<string, NameTable>> = {\n',
      ...tables.map(([id, members]) => `  ${key(id)}: ${literal(Object.fromEntries(members))},\n`),
      '};\n',
    ].join('');
  }

  /** A list has the entry of its elements. */
  private tableOf(schema: Schema, id: string): string | null {
    if (schema.kind === 'ref') return this.tableOf(this.catalog.get(schema), schema.name);
    if (schema.kind === 'array') return this.tableOf(schema.items, id);
    return schema.kind === 'object' ? this.objectOf(schema, id) : null;
  }

  private objectOf(schema: ObjectSchema, id: string): string | null {
    const source = this.sources.get(id);
    if (source !== undefined && source !== schema) schema.node.fail(`${id} is described twice; give it a definition`);
    if (source !== undefined) return this.tables.has(id) ? id : null;
    this.sources.set(id, schema);
    const { additional } = this.catalog.merge(schema);
    if (additional && this.tableOf(additional, id) !== null)
      schema.node.fail('values of any name must not be objects with names of their own');
    const parts = [schema, ...this.catalog.subTypes(id).map((subType) => subType.schema)];
    const properties = parts.flatMap((part) => this.catalog.merge(part).properties);
    if (properties.length === 0) return null;
    const members = new Map<string, string | null>();
    this.tables.set(id, members);
    for (const { name, schemas } of properties.sort((a, b) => byName(a.name, b.name))) {
      for (const one of schemas) {
        const inner = this.tableOf(one, `${id}.${name}`);
        const known = members.get(name) ?? inner;
        if (inner !== null && known !== inner) one.node.fail(`${name} has other names in another part of ${id}`);
        members.set(name, known);
      }
    }
    const folded = new Set([...members.keys()].map((name) => name.toLowerCase()));
    if (folded.size < members.size) schema.node.fail('two properties differ in upper and lower case only');
    return id;
  }
}
