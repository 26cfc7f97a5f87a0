/**
 * A document of OpenAPI 2.0 in the form of OpenAPI 3.1. Ours use a closed set of what 2.0 has; what is outside of it
 * stops the derivation (docs/decisions/0017-openapi-3-1-is-derived.md).
 */
import { documentKeys, httpMethods, resolveParameter, resolveResponse, splitReference } from '../spec-document.js';
import type {
  Header,
  JsonObject,
  JsonValue,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  Response,
  Schema,
} from '../spec-document.js';
import { FORM_TYPE } from '../form-parameters.js';
import { bodyOf } from '../spec-lookup.js';
import { toSchema, toSchemas } from './schema.js';

const JSON_TYPE = 'application/json';
const OPERATION_KEYS: readonly string[] = [
  'operationId',
  'summary',
  'description',
  'tags',
  'deprecated',
  'externalDocs',
  'security',
  'consumes',
  'produces',
  'parameters',
  'responses',
];

/** @throws Error for what the derivation does not know */
export function toOpenApi31(document: OpenApiDocument): JsonObject {
  const source = document as unknown as JsonObject;
  refuseOthers(source, documentKeys, 'document');
  const paths = Object.entries(document.paths).map(([path, item]) => [path, toPathItem(document, path, item)] as const);
  return {
    openapi: '3.1.0',
    ...pick(source, 'info'),
    servers: [{ url: document.basePath }],
    ...pick(source, 'externalDocs', 'tags'),
    ...extensionsOf(source),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: source['securityDefinitions'] ?? {},
      parameters: mapped(
        Object.fromEntries(Object.entries(document.parameters ?? {}).filter(([, { in: place }]) => place !== 'body')),
        toParameter,
      ),
      responses: mapped(document.responses, (response) => toResponse(response, document.produces, false)),
      schemas: toSchemas(document),
    },
  };
}

function toPathItem(document: OpenApiDocument, path: string, item: PathItem): JsonObject {
  refuseOthers(item as JsonObject, ['parameters', ...httpMethods], path);
  const result: JsonObject = {};
  if (item.parameters !== undefined) result['parameters'] = toParameters(document, item.parameters);
  for (const method of httpMethods) {
    const operation = item[method];
    if (operation !== undefined) result[method] = toOperation(document, operation);
  }
  return result;
}

function toOperation(document: OpenApiDocument, operation: Operation): JsonObject {
  const source = operation as unknown as JsonObject;
  refuseOthers(source, OPERATION_KEYS, operation.operationId);
  const parameters = operation.parameters ?? [];
  const body = bodyOf(document, operation);
  const others = toParameters(document, parameters);
  const produces = operation.produces ?? document.produces;
  return {
    ...pick(source, 'operationId', 'summary', 'description', 'tags', 'deprecated', 'externalDocs'),
    ...(others.length === 0 ? {} : { parameters: others }),
    ...(body === undefined ? {} : { requestBody: toRequestBody(body, operation.consumes ?? document.consumes) }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const isError = !/^[23]/.test(status);
        // A shared answer is derived once, for the types that most operations answer.
        const isShared = '$ref' in response && (isError || operation.produces === undefined);
        if (isShared) return [status, { $ref: `#/components/responses/${nameIn(response)}` }];
        return [status, toResponse(resolveResponse(document, response), produces, isError)];
      }),
    ),
    ...pick(source, 'security'),
    ...extensionsOf(source),
  };
}

const nameIn = ({ $ref }: Reference): string => splitReference($ref)?.[1] ?? '';

function toParameters(document: OpenApiDocument, parameters: readonly (Parameter | Reference)[]): JsonValue[] {
  return parameters
    .filter((one) => resolveParameter(document, one).in !== 'body')
    .map((one) => ('$ref' in one ? { $ref: `#/components/parameters/${nameIn(one)}` } : toParameter(one)));
}

function toParameter(parameter: Parameter): JsonObject {
  const { name, in: place, required, description, collectionFormat, 'x-example': example, ...typed } = parameter;
  const schema: JsonObject = {};
  const own: JsonObject = {};
  for (const [key, value] of Object.entries(toSchema(typed as Schema, `parameter ${name}`)))
    (key.startsWith('x-') ? own : schema)[key] = value;
  return {
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    required: required ?? false,
    ...(typed.type === 'array' ? styleOf(collectionFormat, place) : {}),
    schema,
    ...(example === undefined ? {} : { example }),
    ...own,
  };
}

/** How several values are written: 2.0 repeats a parameter for `multi`, and puts commas between values otherwise. */
function styleOf(format: Parameter['collectionFormat'], place: Parameter['in']): JsonObject {
  return { style: place === 'query' ? 'form' : 'simple', explode: format === 'multi' };
}

function toRequestBody(body: Parameter, consumes: readonly string[]): JsonObject {
  const { description, required, schema = {}, 'x-example': example, name } = body;
  const content = consumes.map((type) => {
    if (type !== JSON_TYPE && type !== FORM_TYPE && schema.type !== 'string')
      return [type, { schema: { type: 'string' } }];
    const converted = toSchema(schema, `body ${name}`);
    return [type, { schema: converted, ...(example === undefined ? {} : { example }) }];
  });
  return {
    ...(description === undefined ? {} : { description }),
    content: Object.fromEntries(content) as JsonObject,
    required: required ?? false,
  };
}

function toResponse(response: Response, produces: readonly string[], isError: boolean): JsonObject {
  const source = response as unknown as JsonObject;
  refuseOthers(source, ['description', 'schema', 'headers', 'examples'], response.description);
  const { description, schema, headers, examples = {} } = response;
  const types = schema === undefined ? [] : isError ? [JSON_TYPE] : typesOf(schema, produces, examples);
  const content = types.map((type) => {
    const example = examples[type];
    const isText = type !== JSON_TYPE && schema?.type !== 'file' && schema?.type !== 'string';
    return [
      type,
      {
        schema: isText
          ? { type: 'string' }
          : isFileAsJson(schema, type)
            ? { type: 'object' }
            : toSchema(schema ?? {}, description),
        ...(example === undefined ? {} : { example }),
      },
    ];
  });
  return {
    description,
    ...(headers === undefined ? {} : { headers: mapped(headers, toHeader) }),
    ...(content.length === 0 ? {} : { content: Object.fromEntries(content) as JsonObject }),
    ...extensionsOf(source),
  };
}

/** A file that comes as JSON too is an object there. */
const isFileAsJson = (schema: Schema | undefined, type: string): boolean =>
  schema?.type === 'file' && type === JSON_TYPE;

/**
 * The types of a success. 2.0 lists the types of all answers together, and errors are JSON: bytes and plain text come
 * as JSON only where an example shows it.
 */
function typesOf(
  schema: Schema,
  produces: readonly string[],
  examples: Readonly<Record<string, unknown>>,
): readonly string[] {
  const isPlain = schema.type === 'file' || schema.type === 'string';
  const others = produces.filter((type) => type !== JSON_TYPE);
  if (!isPlain || others.length === 0) return produces;
  return produces.filter((type) => type !== JSON_TYPE || JSON_TYPE in examples);
}

function toHeader({ description, ...typed }: Header): JsonObject {
  return {
    ...(description === undefined ? {} : { description }),
    schema: toSchema(typed, 'header'),
  };
}

function mapped<T>(values: Readonly<Record<string, T>>, map: (value: T) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}

function pick(source: JsonObject, ...keys: string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = source[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function extensionsOf(source: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(source).filter(([key]) => key.startsWith('x-')));
}

function refuseOthers(source: JsonObject, known: readonly string[], where: string): void {
  const other = Object.keys(source).find((key) => !known.includes(key) && !key.startsWith('x-'));
  if (other !== undefined) throw new Error(`${where}: '${other}' is not known to the derivation of OpenAPI 3.1`);
}
