// Reads a bundled document into the model; see read-schema.ts and read-operation.ts for its parts.

import { documentKeys } from '../spec-document.js';
import type { Api, Method, Model, Operation, Schema } from './model.js';
import { byName, Node } from './node.js';
import { NAME, readOperation } from './read-operation.js';
import { readSchema } from './read-schema.js';

const METHODS: Readonly<Record<string, Method>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

export function readModel(api: Api, document: unknown): Model {
  const root = new Node(api, '', document);
  root.only(...documentKeys);
  root.at('swagger').oneOf('2.0');
  const definitions = new Map<string, Schema>();
  if (root.has('definitions')) {
    for (const [name, node] of root.at('definitions').entries()) {
      if (!NAME.test(name)) node.fail('a definition is named by letters and digits');
      definitions.set(name, readSchema(node));
    }
  }
  const operations = new Map<string, Operation>();
  for (const [path, item] of root.at('paths').entries()) {
    item.only('parameters', ...Object.keys(METHODS));
    for (const [verb, method] of Object.entries(METHODS)) {
      if (!item.has(verb)) continue;
      const operation = readOperation(root, item, path, method, item.at(verb), definitions);
      if (operations.has(operation.operationId))
        item.at(verb).fail(`operationId ${operation.operationId} is used twice`);
      operations.set(operation.operationId, operation);
    }
  }
  return {
    api,
    basePath: root.at('basePath').string(),
    operations: [...operations.values()].sort((a, b) => byName(a.operationId, b.operationId)),
    definitions: new Map([...definitions].sort(([a], [b]) => byName(a, b))),
  };
}
