// What the generator knows of a document: the result of read.ts, the input of everything that emits.

import type { Node } from './node.js';

interface Common {
  readonly node: Node;
  readonly description: string | null;
  readonly nullable: boolean;
}

export interface RefSchema extends Common {
  readonly kind: 'ref';
  readonly name: string;
}
/** No type at all: any JSON value. */
export interface AnySchema extends Common {
  readonly kind: 'any';
}
export interface StringSchema extends Common {
  readonly kind: 'string';
  readonly format: string | null;
  readonly enum: readonly string[] | null;
  /** Requests may have other spellings of the values: they are read by the handler, not by the validator. */
  readonly isLenient: boolean;
  readonly pattern: string | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
}
export interface NumberSchema extends Common {
  readonly kind: 'integer' | 'number';
  readonly format: string | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
}
export interface BooleanSchema extends Common {
  readonly kind: 'boolean';
}
export interface ArraySchema extends Common {
  readonly kind: 'array';
  readonly items: Schema;
  readonly minItems: number | null;
  readonly maxItems: number | null;
  readonly uniqueItems: boolean;
}
export interface ObjectSchema extends Common {
  readonly kind: 'object';
  /** Definitions that it extends. */
  readonly bases: readonly RefSchema[];
  /** Its own properties, those of inline `allOf` members included. */
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: ReadonlySet<string>;
  /** Schema of the values of all other properties; null: anything. */
  readonly additional: Schema | null;
  /** Most bytes of a request's value as JSON text; null: no bound of its own. */
  readonly maxBytes: number | null;
  readonly discriminator: string | null;
  readonly discriminatorValue: string | null;
}
export type Schema = RefSchema | AnySchema | StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema;

export type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'array';
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly type: ParameterType;
  readonly format: string | null;
  readonly required: boolean;
  readonly enum: readonly string[] | null;
  readonly isLenient: boolean;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly description: string | null;
}

export interface Body {
  readonly name: string;
  readonly required: boolean;
  /** `form`: a form is taken, perhaps beside JSON with the same members. */
  readonly kind: 'form' | 'json' | 'text';
  readonly consumes: readonly string[];
  /** The media types of `consumes` that are handed on as text. */
  readonly textTypes: readonly string[];
  /** Name of the definition; null for text. */
  readonly definition: string | null;
}

export interface Response {
  readonly kind: 'json' | 'text' | 'binary' | 'empty';
  readonly textTypes: readonly string[];
  readonly definition: string | null;
  /** It declares an entity tag. */
  readonly isTagged: boolean;
}

export type Permission = 'public' | 'partial' | 'own' | 'admin';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export interface Operation {
  readonly node: Node;
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Literal segments as they are, parameters as null. */
  readonly segments: readonly (string | null)[];
  readonly pathParameters: readonly string[];
  readonly permission: Permission;
  /** Of an operation for administrators: a caller with one of these may call it as well. */
  readonly grantedBy: readonly string[];
  readonly refusalStatus: 401 | 403;
  readonly handsOutCredential: boolean;
  /** null: as the setting says. */
  readonly maxBodyBytes: number | null;
  readonly summary: string | null;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  readonly produces: readonly string[];
  readonly responses: ReadonlyMap<string, Response>;
}

export type Api = 'client' | 'fabric' | 'management' | 'oidc';
export interface Model {
  readonly api: Api;
  readonly basePath: string;
  /** In the order of their ids. */
  readonly operations: readonly Operation[];
  readonly definitions: ReadonlyMap<string, Schema>;
}

/** Requests and responses see the same definition differently: see docs/architecture.md. */
export type Form = 'request' | 'response';
