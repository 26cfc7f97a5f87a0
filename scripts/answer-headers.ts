// Adds to the documents the headers that every success may carry, by rule, so that no fragment has to repeat them
// (docs/http.md).

import { isObject } from './spec-document.js';
import type { JsonObject, JsonValue } from './spec-document.js';

const OF_ALL: JsonObject = {
  'Ignored-Input': {
    type: 'string',
    description: 'Names in the query and the body that are not known here and had no effect; absent without any.',
  },
  'Preference-Applied': {
    type: 'string',
    description: '`handling=strict` where the request preferred that.',
  },
};

const OF_LISTS: JsonObject = {
  Link: {
    type: 'string',
    description: 'Where the next page (`rel="next"`) and the first one are, as paths on this server.',
  },
};

const OFFSET = '#/parameters/offset';

/** Changes `paths`, and those of `responses` that stand for a success. */
export function addAnswerHeaders(paths: JsonObject, responses: JsonObject): void {
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(isObject(item) ? item : {})) {
      if (!isObject(operation) || !isObject(operation['responses'])) continue;
      const own = operation['responses'];
      const headers = hasPages(operation) ? { ...OF_ALL, ...OF_LISTS } : OF_ALL;
      for (const [status, answer] of Object.entries(own)) {
        if (!status.startsWith('2') || !isObject(answer)) continue;
        const shared = typeof answer['$ref'] === 'string' ? answer['$ref'].replace('#/responses/', '') : '';
        if (shared === '') own[status] = withHeaders(answer, headers);
        else responses[shared] = withHeaders(responses[shared] ?? {}, OF_ALL);
      }
    }
  }
}

/** Declares those that are not declared. */
function withHeaders(answer: JsonValue, headers: JsonObject): JsonObject {
  if (!isObject(answer)) throw new Error('an answer is no object');
  return { ...answer, headers: { ...headers, ...(isObject(answer['headers']) ? answer['headers'] : {}) } };
}

function hasPages({ parameters }: JsonObject): boolean {
  return Array.isArray(parameters) && parameters.some((one) => isObject(one) && one['$ref'] === OFFSET);
}
