/** The network over the management API of a controller. */
import type { ServiceConfigPair } from '../../db/stores/identity-service-configs.js';
import type { JsonObject } from '../../domain/model.js';
import { asText, isObject } from '../../domain/network-files/values.js';
import { NotOffered } from './access.js';
import type { NetworkAccess, Reader, Writer } from './access.js';
import { API_LANES, ApiClient } from './api-client.js';
import type { ApiClientOptions } from './api-client.js';
import { inLanes } from './lanes.js';
import { managementOperation } from './operations.js';
import { allPages } from './pages.js';

/** The request of an operation. @param id  of the entity that it is about */
function call(client: ApiClient, operationId: string, id = '', body?: unknown, query = ''): Promise<JsonObject> {
  const { method, path } = managementOperation(operationId);
  return client.call(method, `${path.slice(1).replace('{id}', encodeURIComponent(id))}${query}`, body);
}

const elementsOf = ({ data }: JsonObject): JsonObject[] => (Array.isArray(data) ? data.filter(isObject) : []);

/** Each change is a request of its own. @throws ApiError */
export async function withRemoteNetwork<T>(
  options: ApiClientOptions,
  work: (network: NetworkAccess) => Promise<T>,
): Promise<T> {
  const client = await ApiClient.open(options);
  try {
    return await work({
      read: (reading) => reading(readerOf(client)),
      write: (writing) => writing(writerOf(client)),
    });
  } finally {
    await client.close();
  }
}

function readerOf(client: ApiClient): Reader {
  let isExisting = false;
  return {
    identityId: client.identityId,
    async list(operation, kept) {
      try {
        return await allPages(
          async (query) => elementsOf(await call(client, operation, '', undefined, queryText(query))),
          kept,
        );
      } catch (error) {
        if (!(error instanceof NotOffered)) throw error;
        isExisting = true; // it has no settings of controllers
        return [];
      }
    },
    isExisting: () => isExisting,
    async get(operation, { params, query }) {
      const { method, path } = managementOperation(operation);
      const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const { data } = await client.call(method, `${filled}${queryText(query)}`);
      return isObject(data) ? data : {};
    },
    async find(operation, filter) {
      return elementsOf(await call(client, operation, '', undefined, queryText({ filter })));
    },
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

const queryText = (query: object): string =>
  `?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')}`;

function writerOf(client: ApiClient): Writer {
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
