/**
 * The network in its own database, by the stores and the handlers of the management API: what the API refuses is
 * refused here. A controller may run meanwhile, and hears of the changes as of another controller's.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../domain/auth/tokens.js';
import { createPasswordHasher } from '../../domain/auth/passwords.js';
import { createSchemaThread } from '../../domain/config/schema-thread.js';
import type { JsonObject } from '../../domain/model.js';
import type { Kind } from '../../domain/network-files/kinds.js';
import { openStores } from '../../db/stores.js';
import type { Stores } from '../../db/stores.js';
import type { ApiSessions, Context } from '../../handlers/context.js';
import type { KeptTexts } from '../../handlers/kept-texts.js';
import { openNetwork } from '../../server/bootstrap.js';
import { closeAll } from '../../server/closers.js';
import type { Closers } from '../../server/closers.js';
import { ConfigError } from '../../server/config.js';
import type { Config } from '../../server/config.js';
import { routersReach } from '../../server/control-settings.js';
import { connectDatabase, locateServer } from '../../server/database.js';
import type { Logger } from '../../server/log.js';
import { createPki } from '../../server/pki.js';
import { serverIdentity } from '../../server/renewal.js';
import { createEnrollments } from '../../server/signed-tokens.js';
import type { Reader, ServiceConfigPair, Writer } from './access.js';
import { dataOf, InProcessApi } from './in-process.js';
import { partial } from './partial.js';
import { asText } from '../../domain/network-files/values.js';

export interface LocalNetwork {
  /** All that `work` reads is of one moment. */
  read<T>(work: (network: Reader) => Promise<T>): Promise<T>;
  /** All that `work` changes is one transaction: kept when it resolves, and none of it when it throws. */
  write<T>(work: (network: Writer) => Promise<T>): Promise<T>;
}

/** Opens the database of a configuration for `work`, and closes it in the end. @throws ConfigError without a network */
export async function withLocalNetwork<T>(
  config: Config,
  log: Logger,
  work: (network: LocalNetwork) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres'))) throw noNetwork(config.dataDir);
  const closers: Closers = [];
  try {
    const options = { config, log, closers, abort: new AbortController().signal, besideRunning: true };
    const connection = await locateServer(options);
    const { database } = await connectDatabase({ ...options, connection, onLost: () => undefined });
    const stores = openStores(database, { defaultLimit: config.defaultLimit, maxLimit: config.maxLimit });
    if ((await stores.network.find()) === undefined) throw noNetwork('this database');
    return await work({
      read: (reading) => stores.within((tx) => reading(readerOf(tx)), { isSnapshot: true }),
      write: async (writing) => {
        const contextOn = await openContext(config, stores, log, closers);
        return stores.within((tx) => writing(writerOf(contextOn(tx))));
      },
    });
  } finally {
    await closeAll(closers, log);
  }
}

const noNetwork = (place: string): ConfigError =>
  new ConfigError(
    `There is no network in ${place}. Use the settings that its controller is started with, or start one first.`,
  );

function readerOf(stores: Stores): Reader {
  const api = new InProcessApi(readingContext(stores));
  return {
    async list(operation) {
      const reply = await api.call(operation, { query: { limit: -1 } });
      return 'items' in reply ? ([...reply.items] as JsonObject[]) : [];
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

/** What lists need. */
const readingContext = (stores: Stores): Context =>
  partial<Context>('a list of the network', {
    stores,
    edgeConnections: { of: () => 'unknown' },
    keptTexts: partial<KeptTexts>('a list of the network', {}),
  });

/** What changes need: the keys of the network sign the enrollments that are made with routers and identities. */
async function openContext(
  config: Config,
  stores: Stores,
  log: Logger,
  closers: Closers,
): Promise<(tx: Stores) => Context> {
  const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
  const network = await openNetwork(config, stores, createPasswordHasher(), controllerId, log);
  const identity = serverIdentity(network.keys.server);
  const pki = await createPki(network.trustDomain, network.keys.authority);
  const schemas = createSchemaThread({ waitingSchemas: 1, waitingData: 1 });
  closers.push(() => schemas.close());
  const enrollments = createEnrollments({
    signer: identity.signer,
    earlierPrints: identity.earlierPrints,
    issuerPem: pki.issuerPem,
    stores,
    advertise: config.advertise,
    routersReach: routersReach(config),
    durationSeconds: config.enrollmentDuration,
  });
  const nothing = () => undefined;
  return (tx) =>
    partial<Context>('a change of the network', {
      stores: tx,
      newId,
      pki,
      enrollments,
      apiSessions: partial<ApiSessions>('a change of the network', {
        forget: nothing,
        forgetIdentity: nothing,
        forgetAll: nothing,
      }),
      checkConfigSchema: (schema) => schemas.checkSchema(schema),
      checkConfigData: async ({ id, updatedAt, schema }, data) => {
        if (schema !== null) await schemas.checkData({ id, updatedAt, schema }, data);
      },
    });
}

function writerOf(context: Context): Writer {
  const api = new InProcessApi(context);
  return {
    lanes: 1, // a transaction has one connection
    isAllOrNothing: true,
    async create({ operations }: Kind, body) {
      return asText(dataOf(await api.change(operations.create, { body }))['id']);
    },
    async update({ operations }, id, body) {
      await api.change(operations.update, { params: { id }, body });
    },
    async remove({ operations }, id) {
      await api.change(operations.remove, { params: { id } });
    },
    async assign(id, body) {
      await api.change('associateIdentitysServiceConfigs', { params: { id }, body });
    },
    async unassign(id, body) {
      await api.change('disassociateIdentitysServiceConfigs', { params: { id }, body });
    },
  };
}
