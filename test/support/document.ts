/** The API documents as they are served, for suites that go by what these declare. */
import { folderOf } from '../../scripts/spec-document.js';
import { readFileSync } from 'node:fs';
import type { Api, OperationSpec } from '../../generated/operation.js';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly 'x-max-bytes'?: number;
}

interface Body {
  readonly in: string;
  readonly schema?: Schema;
}
interface Response {
  readonly $ref?: string;
  readonly schema?: Schema;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Body[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly responses: Readonly<Record<string, Response>>;
}

const read = (api: Api): Document =>
  JSON.parse(readFileSync(new URL(`../../generated/${folderOf(api)}.json`, import.meta.url), 'utf8')) as Document;

const documents: Partial<Record<Api, Document>> = {};
export const documentOf = (api: Api): Document => (documents[api] ??= read(api));

/** What a chain of references ends in; the one member of an `allOf` is a reference too. */
export function resolved(document: Document, schema: Schema): Schema {
  const [only, ...others] = schema.allOf ?? [];
  const reference = schema.$ref ?? (others.length === 0 ? only?.$ref : undefined);
  if (reference === undefined) return schema;
  return resolved(document, document.definitions[reference.replace('#/definitions/', '')] ?? {});
}

/** The members that a schema declares, those of what it extends included. */
export function membersOf(document: Document, schema: Schema): Readonly<Record<string, Schema>> {
  const { allOf = [], properties } = resolved(document, schema);
  return Object.assign({}, ...allOf.map((part) => membersOf(document, part)), properties) as Record<string, Schema>;
}

export function describedBy({ api, method, path }: OperationSpec): Described {
  const described = documentOf(api).paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`${api} ${method} ${path} is not in its document`);
  return described;
}
