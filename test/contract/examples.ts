/** The example bodies of the specs. */
import type { Api, OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { readDocument } from './dredd-document.js';
import type { JsonObject } from './dredd-document.js';

export type Body = Record<string, unknown>;

const documents: Partial<Record<Api, JsonObject>> = {};

/** The example body of an operation; undefined when it has none, or takes no JSON. */
export function exampleOf(api: Api, method: string, path: string): Body | undefined {
  const specs: Readonly<Record<string, OperationSpec>> = operations[api];
  const operation = Object.values(specs).find((one) => one.method === method && one.path === path);
  const definition = operation?.body?.validator?.replace(/^request_/, '');
  const document = (documents[api] ??= readDocument(api));
  return (document['definitions'] as Record<string, { example?: Body }>)[definition ?? '']?.example;
}
