/** The network over the management API of a controller. */
import type { JsonObject } from '../../domain/model.js';
import { asText, isObject } from '../../domain/network-files/values.js';
import type { Reader, ServiceConfigPair, Writer } from './access.js';
import { API_LANES } from './api-client.js';
import type { ApiClient } from './api-client.js';
import { managementOperation } from './in-process.js';
import { inLanes } from './lanes.js';

const PAGE = 500;

/** The request of an operation. @param id  of the entity that it is about */
function call(client: ApiClient, operationId: string, id = '', body?: unknown, query = ''): Promise<JsonObject> {
  const { method, path } = managementOperation(operationId);
  return client.call(method, `${path.slice(1).replace('{id}', encodeURIComponent(id))}${query}`, body);
}

const elementsOf = ({ data }: JsonObject): JsonObject[] => (Array.isArray(data) ? data.filter(isObject) : []);

export function remoteReader(client: ApiClient): Reader {
  return {
    identityId: client.identityId,
    list: (operation) => allOf(client, operation),
    async serviceConfigs(identityIds) {
      const found = new Map<string, readonly ServiceConfigPair[]>();
      await inLanes(API_LANES, identityIds, async (id) => {
        const pairs = elementsOf(await call(client, 'listIdentitysServiceConfigs', id)).map((pair) => ({
          serviceId: asText(pair['serviceId']),
          configId: asText(pair['configId']),
        }));
        if (pairs.length > 0) found.set(id, pairs);
      });
      return found;
    },
  };
}

/** Page by page in the order of ids, each from the last id of the one before: what comes or goes moves no other. */
async function allOf(client: ApiClient, operation: string): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (;;) {
    const last = items.at(-1)?.['id'];
    const after = typeof last === 'string' ? `&filter=${encodeURIComponent(`id > ${JSON.stringify(last)}`)}` : '';
    const page = elementsOf(await call(client, operation, '', undefined, `?limit=${PAGE}&sort=id${after}`));
    if (page.length === 0) return items;
    items.push(...page);
  }
}

export function remoteWriter(client: ApiClient): Writer {
  return {
    lanes: API_LANES,
    isAllOrNothing: false,
    async create({ operations }, body) {
      const { data } = await call(client, operations.create, '', body);
      return isObject(data) ? asText(data['id']) : '';
    },
    async update({ operations }, id, body) {
      await call(client, operations.update, id, body);
    },
    async remove({ operations }, id) {
      await call(client, operations.remove, id);
    },
    settle: () => Promise.resolve(),
    async assign(id, pairs) {
      await call(client, 'associateIdentitysServiceConfigs', id, pairs);
    },
    async unassign(id, pairs) {
      await call(client, 'disassociateIdentitysServiceConfigs', id, pairs);
    },
  };
}
