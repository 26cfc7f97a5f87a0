// A bundled OpenAPI 2.0 document: its parts, and how references in it are resolved.

export type ApiName = 'client' | 'fabric' | 'management' | 'oidc';
export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
export type Permission = 'public' | 'partial' | 'own' | 'admin';
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'file';

export interface Schema {
  $ref?: string;
  type?: SchemaType;
  format?: string;
  description?: string;
  example?: JsonValue;
  default?: JsonValue;
  enum?: JsonValue[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  discriminator?: string;
  readOnly?: boolean;
  'x-nullable'?: boolean;
  'x-max-bytes'?: number;
  'x-discriminator-value'?: string;
  /** Names of the constants that generators make of `enum`, one for each value. */
  'x-enum-varnames'?: string[];
  /** Requests may spell a value of `enum` in other ways too; the handler reads it. */
  'x-lenient'?: boolean;
  /** Why a definition that no operation leads to is kept. */
  'x-kept'?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'body';
  required?: boolean;
  description?: string;
  schema?: Schema;
  type?: SchemaType;
  format?: string;
  enum?: JsonValue[];
  default?: JsonValue;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  collectionFormat?: 'csv' | 'multi';
  'x-example'?: JsonValue;
  'x-lenient'?: boolean;
}

export interface Reference {
  $ref: string;
}

export interface Header {
  type: SchemaType;
  format?: string;
  minimum?: number;
  maximum?: number;
  description?: string;
}

export interface Response {
  description: string;
  schema?: Schema;
  headers?: Record<string, Header>;
  /** By media type. */
  examples?: Record<string, JsonValue>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  consumes?: string[];
  produces?: string[];
  parameters?: (Parameter | Reference)[];
  responses: Record<string, Response | Reference>;
  security: Record<string, string[]>[];
  'x-permission': Permission;
  /** `admin`, `adminRead`, or the permission that an operation for administrators asks of others. */
  'x-grant'?: string;
  'x-refusal'?: 403;
  /** A read whose answer hands out a credential. */
  'x-credential'?: true;
  /** Most bytes of its body. */
  'x-max-body'?: number;
}

export type PathItem = Partial<Record<HttpMethod, Operation>> & { parameters?: (Parameter | Reference)[] };

export interface SecurityScheme {
  type: 'apiKey';
  name: string;
  in: 'header';
  description?: string;
}

export interface OpenApiDocument {
  swagger: '2.0';
  info: { title: string; version: string; description?: string };
  basePath: string;
  schemes: string[];
  consumes: string[];
  produces: string[];
  tags: { name: string; description?: string }[];
  securityDefinitions: Record<string, SecurityScheme>;
  paths: Record<string, PathItem>;
  parameters: Record<string, Parameter>;
  responses: Record<string, Response>;
  definitions: Record<string, Schema>;
}

export const apis: readonly ApiName[] = ['client', 'fabric', 'management', 'oidc'];

/** Name of an API's files and folders; `fabric` is what the control channel's messages are in. */
export const folderOf = (api: ApiName): string => (api === 'fabric' ? 'fabric-api' : api);

export const httpMethods: readonly HttpMethod[] = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

export const sections = ['paths', 'parameters', 'responses', 'definitions'] as const;
export type Section = (typeof sections)[number];
const referable: readonly string[] = ['parameters', 'responses', 'definitions'] satisfies Section[];
/** The keys of a document that only one file writes. */
export const rootKeys: readonly string[] = [
  'swagger',
  'info',
  'host',
  'basePath',
  'schemes',
  'consumes',
  'produces',
  'tags',
  'securityDefinitions',
  'externalDocs',
];
/** All keys of a document. */
export const documentKeys: readonly string[] = [...rootKeys, ...sections];

/** A `$ref` of ours, split: `#/definitions/link` is `['definitions', 'link']`. */
export function splitReference(reference: string): [section: string, key: string] | undefined {
  const match = /^#\/([a-z]+)\/([^/]+)$/i.exec(reference);
  const [, section, key] = match ?? [];
  return section !== undefined && key !== undefined && referable.includes(section) ? [section, key] : undefined;
}

/** A parameter with its `$ref`, if it is one, looked up. */
export function resolveParameter(document: OpenApiDocument, parameter: Parameter | Reference): Parameter {
  return '$ref' in parameter ? lookUp(document.parameters, parameter.$ref) : parameter;
}

/** A response with its `$ref`, if it is one, looked up. */
export function resolveResponse(document: OpenApiDocument, response: Response | Reference): Response {
  return '$ref' in response ? lookUp(document.responses, response.$ref) : response;
}

function lookUp<T>(section: Record<string, T>, reference: string): T {
  const found = section[splitReference(reference)?.[1] ?? ''];
  if (found === undefined) throw new Error(`nothing is defined at ${reference}`);
  return found;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
