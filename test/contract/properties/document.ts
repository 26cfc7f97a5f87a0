/**
 * The documents as the controller serves them: each operation with its parameters, body and answers, references
 * followed.
 */
import type { Api } from '../../../generated/operation.js';
import { basePaths } from '../../../generated/routes.js';
import { expectStatus } from '../../support/client.js';
import type { Client } from '../../support/client.js';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly discriminator?: string;
  readonly 'x-nullable'?: boolean;
  readonly 'x-max-bytes'?: number;
  readonly 'x-discriminator-value'?: string;
}

/** Of a query, a header or a path; its rules are those of a schema. */
export interface Parameter extends Omit<Schema, 'required'> {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path' | 'body' | 'formData';
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface DeclaredAnswer {
  readonly schema?: Schema;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly api: Api;
  readonly id: string;
  /** In capital letters. */
  readonly method: string;
  /** From the root of the server, with `{id}` where an id belongs. */
  readonly path: string;
  readonly permission: string;
  /** All but the body. */
  readonly parameters: readonly Parameter[];
  /** Of a form: an object whose members are texts, and lists of them. */
  readonly body: Schema | undefined;
  readonly isForm: boolean;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** By status, and `default`. */
  readonly answers: Readonly<Record<string, DeclaredAnswer>>;
}

export interface ServedDocument {
  readonly api: Api;
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly operations: readonly Operation[];
  /** The methods of each path. */
  readonly methods: ReadonlyMap<string, readonly string[]>;
}

interface RawAnswer {
  readonly $ref?: string;
  readonly schema?: Schema;
  readonly headers?: Readonly<Record<string, unknown>>;
}
interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, RawAnswer>>;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly 'x-permission': string;
}
interface RawDocument {
  readonly basePath: string;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly responses?: Readonly<Record<string, RawAnswer>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** @throws Error for a reference to nothing */
export async function fetchDocument(client: Client, api: Api): Promise<ServedDocument> {
  const raw = expectStatus(await client.get(`${basePaths[api]}/swagger.json`), 200).json as RawDocument;
  const operations = Object.entries(raw.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => read(api, raw, path, method.toUpperCase(), operation)),
  );
  const methods = new Map<string, string[]>();
  for (const { path, method } of operations) methods.set(path, [...(methods.get(path) ?? []), method]);
  return { api, definitions: raw.definitions, operations, methods };
}

function read(api: Api, raw: RawDocument, path: string, method: string, operation: RawOperation): Operation {
  const parameters = (operation.parameters ?? []).map((one) => follow(one, raw.parameters));
  const answers = Object.entries(operation.responses).map(([status, one]): [string, DeclaredAnswer] => {
    const { schema, headers = {} } = follow(one, raw.responses);
    return [status, { headers, ...(schema === undefined ? {} : { schema }) }];
  });
  const form = parameters.filter((one) => one.in === 'formData');
  return {
    api,
    id: operation.operationId,
    method,
    path: `${raw.basePath}${path}`,
    permission: operation['x-permission'],
    parameters: parameters.filter((one) => one.in !== 'body' && one.in !== 'formData'),
    body: form.length > 0 ? objectOf(form) : parameters.find((one) => one.in === 'body')?.schema,
    isForm: form.length > 0,
    consumes: operation.consumes ?? raw.consumes ?? [],
    produces: operation.produces ?? raw.produces ?? [],
    answers: Object.fromEntries(answers),
  };
}

function objectOf(form: readonly Parameter[]): Schema {
  const members = form.map(({ name, in: _in, required: _required, ...rules }) => [name, rules] as const);
  const required = form.filter((one) => one.required === true).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(members), required };
}

function follow<T extends { readonly $ref?: string }>(value: T, shared: Readonly<Record<string, T>> = {}): T {
  if (value.$ref === undefined) return value;
  const target = shared[nameOf(value.$ref)];
  if (target === undefined) throw new Error(`${value.$ref} is not in the document`);
  return target;
}

/** The last part of a reference. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
