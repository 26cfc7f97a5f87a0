/**
 * The network in its own database, by the stores and the handlers of the management API: what the API refuses is
 * refused here. A controller may run meanwhile, and hears of the changes as of another controller's.
 */
import { newId } from '../../domain/auth/tokens.js';
import { createPasswordHasher } from '../../domain/auth/passwords.js';
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import type { SchemaThread } from '../../domain/config/schema-thread.js';
import type { JsonObject } from '../../domain/model.js';
import type { EntityKind } from '../../domain/network-files/kind-fields.js';
import type { ServiceConfigPair } from '../../db/stores/identity-service-configs.js';
import type { Stores } from '../../db/stores/stores.js';
import type { Context } from '../../handlers/context.js';
import { ElementCache } from '../../handlers/element-cache.js';
import { ListElement } from '../../handlers/reply.js';
import { openNetwork } from '../../server/keys/bootstrap.js';
import type { Settings } from '../../server/settings/config.js';
import type { Logger } from '../../server/base/log.js';
import { schemaChecks } from '../../server/maintenance/schema-checks.js';
import { withNetwork } from '../../server/data/network-access.js';
import { Outgoing } from '../../server/sockets/outgoing.js';
import { RunningPki } from '../../server/keys/pki.js';
import { serverIdentity } from '../../server/keys/renewal.js';
import type { AnyReply } from '../../server/http/reply.js';
import { createEnrollments } from '../../server/keys/signed-tokens.js';
import type { NetworkAccess, Reader, Writer } from './access.js';
import { IdentityBatch } from './identity-batch.js';
import { dataOf, InProcessApi, asRefusedChange } from './in-process.js';
import { allPages } from './pages.js';
import { partialContext } from './partial-context.js';
import { asText } from '../../domain/network-files/values.js';

/**
 * All that is read is of one moment. All that is changed is one transaction: kept when the work resolves, and undone
 * when it throws.
 * @throws ConfigError without a network, SchemaError when its schema is not that of this release
 */
export async function withLocalNetwork<T>(
  config: Settings,
  log: Logger,
  work: (network: NetworkAccess) => Promise<T>,
): Promise<T> {
  return withNetwork(config, log, ({ stores }) =>
    work({
      read: (reading) => stores.within((tx) => reading(readerOf(tx)), { isSnapshot: true }),
      async write(writing) {
        const schemas = createSchemaThread({ waitingSchemas: 1, waitingData: 1 });
        try {
          const contextOn = await openContext(config, stores, log, schemas);
          return await stores.within((tx) => writing(writerOf(contextOn(tx))));
        } finally {
          await schemas.close();
        }
      },
    }),
  );
}

function readerOf(stores: Stores): Reader {
  const api = new InProcessApi(readingContext(stores));
  return {
    list: (operation, kept) =>
      allPages(async (query) => pageOf(await api.call(operation, { query: { ...query } })), kept),
    async get(operation, request) {
      return dataOf(await api.change(operation, request));
    },
    async find(operation, filter) {
      return pageOf(await api.call(operation, { query: { filter } }));
    },
    async serviceConfigs() {
      const byIdentity = new Map<string, ServiceConfigPair[]>();
      for (const { identityId, ...pair } of await stores.identityServiceConfigs.all()) {
        const pairs = byIdentity.get(identityId);
        if (pairs === undefined) byIdentity.set(identityId, [pair]);
        else pairs.push(pair);
      }
      return byIdentity;
    },
  };
}

const pageOf = (reply: AnyReply): JsonObject[] =>
  'items' in reply
    ? [...reply.items].map((item) => (item instanceof ListElement ? item.value() : item) as JsonObject)
    : [];

/** Makes the context of lists. */
const readingContext = (stores: Stores): Context =>
  partialContext('a list of the network', {
    stores,
    edgeConnections: { of: () => 'unknown' },
    elementCache: new ElementCache(0),
  });

const PURPOSE = 'a change of the network';

/**
 * Makes the context of changes: the keys of the network sign the enrollments that are made with routers and identities.
 */
async function openContext(
  config: Settings,
  stores: Stores,
  log: Logger,
  schemas: SchemaThread,
): Promise<(tx: Stores) => Context> {
  const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
  const network = await openNetwork(config, stores, createPasswordHasher(), controllerId, log);
  const identity = serverIdentity(network.keys.server);
  const pki = RunningPki.open(network.trustDomain, network.keys.authority);
  const enrollments = createEnrollments({ config, identity, pki, stores });
  const outgoing = new Outgoing({ allow: config.outgoingAllow });
  return (tx) =>
    partialContext(PURPOSE, {
      stores: tx,
      newId,
      pki,
      enrollments,
      targetFault: (url) => outgoing.faultOf(url),
      ...schemaChecks(schemas),
    });
}

function writerOf(context: Context): Writer {
  const batch = new IdentityBatch(context);
  const api = new InProcessApi(context);
  const settle = () => asRefusedChange(() => batch.flush());
  return {
    lanes: 1, // a transaction has one connection
    isAllOrNothing: true,
    async create({ name, operations }: EntityKind, body) {
      const batched = name === 'identities' ? await asRefusedChange(() => batch.add(body)) : undefined;
      if (batched !== undefined) return batched;
      return asText(dataOf(await api.change(operations.create, { body }))['id']);
    },
    async update({ operations }, id, body) {
      await api.change(operations.update, { params: { id }, body });
    },
    async remove({ operations }, id) {
      await api.change(operations.remove, { params: { id } });
    },
    settle,
    async assign(id, body) {
      await settle();
      await api.change('associateIdentitysServiceConfigs', { params: { id }, body });
    },
    async unassign(id, body) {
      await api.change('disassociateIdentitysServiceConfigs', { params: { id }, body });
    },
  };
}
