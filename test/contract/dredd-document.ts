/**
 * The document that Dredd reads: the bundled spec less what Dredd cannot take. It stops at number and text formats that
 * are OpenAPI's own, it holds nothing but JSON against a schema, and it cannot leave operations out: so those formats,
 * the schemas of answers that are never JSON, and operations that are not built are removed. So are examples of
 * answers, because an answer is judged by its schema. Nothing else is.
 */
import { readFileSync } from 'node:fs';
import type { Api } from '../../generated/operation.js';
import { folderOf } from '../../scripts/spec-document.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;

/** Dredd knows `date-time` and `uuid`. */
const FOREIGN_FORMATS: readonly unknown[] = ['int32', 'int64', 'byte', 'password', 'binary'];

/** Headers that Dredd would ask for in every answer. */
const SOMETIMES = ['Ignored-Input', 'Link', 'Preference-Applied', 'totp-required'];
/** The provider asks for a token only where one could help: not after a wrong password. */
const SOMETIMES_AT_PROVIDER = [...SOMETIMES, 'WWW-Authenticate'];

interface Operation extends JsonObject {
  operationId: string;
  responses: Record<string, JsonObject>;
}

export function readDocument(api: Api): JsonObject {
  return JSON.parse(
    readFileSync(new URL(`../../generated/${folderOf(api)}.json`, import.meta.url), 'utf8'),
  ) as JsonObject;
}

/** @param isBuilt  false for operations that have no handler yet */
export function dreddDocument(document: JsonObject, isBuilt: (operationId: string) => boolean): JsonObject {
  const sometimes = document['basePath'] === '/oidc' ? SOMETIMES_AT_PROVIDER : SOMETIMES;
  const paths: JsonObject = {};
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Operation>>)) {
    const built = Object.entries(item).filter(([, operation]) => isBuilt(operation.operationId));
    if (built.length > 0)
      paths[path] = Object.fromEntries(
        built.map(([method, operation]) => [method, withoutExamples(withoutForeignSchemas(operation), sometimes)]),
      );
  }
  const shared = Object.entries(document['responses'] as Record<string, JsonObject>);
  const responses = Object.fromEntries(shared.map(([name, response]) => [name, withoutExample(response, sometimes)]));
  return withoutForeignFormats({ ...document, responses, paths }) as JsonObject;
}

function withoutExamples(operation: Operation, sometimes: readonly string[]): Operation {
  const [first = ''] = (operation['produces'] ?? []) as string[];
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    withoutExample(response, sometimes, first),
  ]);
  return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] };
}

/** @param first  that the operation produces */
function withoutExample(response: JsonObject, sometimes: readonly string[], first = ''): JsonObject {
  const { headers, examples = {}, ...rest } = response;
  const kept = Object.entries((headers ?? {}) as JsonObject).filter(([name]) => !sometimes.includes(name));
  const shown = kept.length === 0 ? rest : { ...rest, headers: Object.fromEntries(kept) };
  if ('$ref' in response) return shown;
  const { schema, ...bare } = shown;
  // An answer that is a page has a type and no schema; an example without text names the type.
  const types = first === 'text/plain' ? [first] : Object.keys(examples as JsonObject);
  if ((schema as JsonObject | undefined)?.['type'] === 'file' && types.length > 0)
    return { ...bare, examples: Object.fromEntries(types.map((type) => [`${type}; charset=utf-8`, ''])) };
  // Dredd asks for a type in every answer, unless it finds none among the examples.
  return schema === undefined ? { ...bare, examples: { none: '' } } : shown;
}

/** Texts that are never JSON, though errors are: Dredd expects one type of all answers, and looks at it first. */
const TEXTS = ['application/jwt', 'application/pkcs7-mime', 'text/event-stream'];

function withoutForeignSchemas(operation: Operation): Operation {
  const produces = (operation['produces'] ?? ['application/json']) as string[];
  const [first = ''] = produces;
  if (!TEXTS.includes(first)) return operation;
  const responses = Object.entries(operation.responses).map(([status, { schema, ...response }]) => [
    status,
    status.startsWith('2') || schema === undefined ? response : { ...response, schema },
  ]);
  return { ...operation, produces: [first], responses: Object.fromEntries(responses) as Operation['responses'] };
}

function withoutForeignFormats(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutForeignFormats);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== 'format' || !FOREIGN_FORMATS.includes(item));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutForeignFormats(item)]));
}
