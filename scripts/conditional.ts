// Adds to the documents what conditional requests need, by rule, so that no fragment has to repeat it
// (docs/concurrent-changes.md).

import { collectionOf } from '../domain/entity-version.js';
import { isObject } from './spec-document.js';
import type { ApiName, JsonObject } from './spec-document.js';

const CHANGES = ['put', 'patch', 'delete'];

/** Answers that are kept as text, with their tags. */
const KEPT: Readonly<Record<ApiName, readonly string[]>> = {
  fabric: [],
  client: [
    'detailSpecBody',
    'listEnumeratedCapabilities',
    'listProtocols',
    'listRoot',
    'listServiceUpdates',
    'listServices',
    'listVersion',
  ],
  management: [
    'detailSpecBody',
    'getIdentityPolicyAdvice',
    'listEdgeRouterRoleAttributes',
    'listEnumeratedCapabilities',
    'listIdentityRoleAttributes',
    'listPostureCheckRoleAttributes',
    'listRoot',
    'listServiceRoleAttributes',
    'listVersion',
  ],
  oidc: [],
};

const TAG: JsonObject = {
  type: 'string',
  description: 'Entity tag of the answer, for `If-None-Match`.',
};
const ENTITY_TAG: JsonObject = {
  type: 'string',
  description:
    'Entity tag of the answer, for `If-None-Match`, and for `If-Match` of a request that changes the entity.',
};

/**
 * Changes `paths`. An entity is what has a detail and can be changed or deleted by its id; in the client API only what
 * can be changed, since a session has nothing that a second writer could overwrite. The fabric API has none of it: what
 * it shows moves by itself. Neither has single sign-on, where there are no entities.
 */
export function addConditions(api: ApiName, paths: JsonObject): void {
  if (api === 'fabric' || api === 'oidc') return;
  const collections = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    const collection = collectionOf(path);
    if (collection === undefined || !isObject(item) || !('get' in item)) continue;
    if ('put' in item || 'patch' in item || (api === 'management' && 'delete' in item)) collections.add(collection);
  }
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    const isEntity = collections.has(collectionOf(path) ?? '');
    for (const [method, operation] of Object.entries(item)) {
      if (!isObject(operation) || !isObject(operation['responses'])) continue;
      const { responses } = operation;
      if (isEntity && CHANGES.includes(method)) {
        addParameter(operation, 'ifMatch');
        responses['400'] ??= { $ref: '#/responses/badRequest' };
        responses['412'] = { $ref: '#/responses/preconditionFailed' };
        if (method !== 'delete') tagChange(responses, `${method} ${path}`);
      }
      const isKept = KEPT[api].some((id) => id === operation['operationId']);
      if (method === 'get' && (isEntity || isKept)) {
        addParameter(operation, 'ifNoneMatch');
        responses['304'] = { $ref: '#/responses/notModified' };
        addTag(responses, isEntity ? ENTITY_TAG : TAG, path);
      }
    }
  }
}

/** Last, unless the fragment lists it before a parameter that came later (decision 0030). */
function addParameter(operation: JsonObject, name: string): void {
  const present = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const reference = `#/parameters/${name}`;
  if (present.some((one) => isObject(one) && one['$ref'] === reference)) return;
  operation['parameters'] = [...present, { $ref: reference }];
}

/** @throws Error where the answer is a shared one: it would say so of all that answer it */
function addTag(responses: JsonObject, tag: JsonObject, path: string): void {
  const success = responses['200'];
  if (!isObject(success) || '$ref' in success) {
    throw new Error(`GET ${path}: its answer 200 has to be its own, so that it can carry an ETag`);
  }
  responses['200'] = {
    ...success,
    headers: { ...(isObject(success['headers']) ? success['headers'] : {}), ETag: tag },
  };
}

/** @throws Error where the answer is not the shared one of changes */
function tagChange(responses: JsonObject, change: string): void {
  const success = responses['200'];
  if (!isObject(success) || success['$ref'] !== '#/responses/done')
    throw new Error(`${change}: its answer 200 has to be '#/responses/done', which 'changed' takes the place of`);
  responses['200'] = { $ref: '#/responses/changed' };
}
