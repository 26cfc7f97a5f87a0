/** Puts a controller together and takes it apart: the one place that builds what lives long. */
import { randomBytes } from 'node:crypto';
import { Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { createPasswordHasher } from '../domain/auth/passwords.js';
import { createTurns } from '../domain/auth/turns.js';
import { newId } from '../domain/auth/tokens.js';
import { ConfigSchemaCache } from '../domain/config/schema-cache.js';
import { compileConfigSchema } from '../domain/config/schema.js';
import { formatHostPort, parseHostPort } from '../domain/pki/server-name.js';
import type { Database } from '../db/db.js';
import { openStores } from '../db/stores.js';
import type { Stores } from '../db/stores.js';
import { basePaths } from '../generated/routes.js';
import type { Services } from '../handlers/services.js';
import { WrittenCache } from '../handlers/written-cache.js';
import { createApi } from './api.js';
import { commonHeaders, createApp, watchInFlight } from './app.js';
import type { InFlight } from './app.js';
import { bindOperations } from './binder.js';
import { openNetwork, refreshKeys } from './bootstrap.js';
import type { Network } from './bootstrap.js';
import { closeAll } from './closers.js';
import type { Closers } from './closers.js';
import { openChangeFeed } from './change-feed.js';
import type { ChangeFeed } from './change-feed.js';
import { ConfigError } from './config.js';
import type { Config } from './config.js';
import { connectDatabase } from './database.js';
import { openDocuments } from './documents.js';
import { createEnrollments, createSessionTokens } from './enrollments.js';
import { documentPages, explorerPages } from './explorer.js';
import { healthPages } from './health.js';
import { startHeartbeat } from './heartbeat.js';
import { createReadiness } from './readiness.js';
import type { Logger } from './log.js';
import type { SigningEntity } from './network-keys.js';
import { createPki } from './pki.js';
import type { RunningPki } from './pki.js';
import { keepKeysFresh, serverIdentity } from './renewal.js';
import type { ServerIdentity } from './renewal.js';
import { createSessionSweeper } from './session-sweeper.js';
import type { SessionSweeper } from './session-sweeper.js';
import { createSessionRegistry } from './sessions.js';
import type { SessionRegistry } from './sessions.js';
import { createTlsServer, listen } from './tls-server.js';
import type { TlsServer } from './tls-server.js';
import { readVersion } from './version.js';

export interface Controller {
  /** Where it listens, such as `https://127.0.0.1:1280`. */
  readonly url: string;
  readonly advertise: string;
  readonly newAdmin: Network['newAdmin'];
  /**
   * Accepts connections for `limits.lameDuck` more, lets requests in flight finish, then closes everything. Called
   * again, it waits for neither.
   */
  stop(): Promise<void>;
}

/** @param abort  ends the start with an error at its next step; nothing is left running */
export async function startController(config: Config, log: Logger, abort = new AbortController().signal): Promise<Controller> {
  const closers: Closers = [];
  try {
    return await assemble(config, log, closers, abort);
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}

export interface PreparedNetwork {
  readonly connection: ClientConfig;
  readonly newAdmin: Network['newAdmin'];
  /** Stops the embedded database, if there is one. */
  close(): Promise<void>;
}

/** What must exist before several processes serve: the database, its schema, the network. Serves nothing itself. */
export async function prepareNetwork(config: Config, log: Logger, abort: AbortSignal): Promise<PreparedNetwork> {
  const closers: Closers = [];
  try {
    const { database, connection } = await connectDatabase({ config, log, closers, abort, onLost: () => undefined });
    const stores = openStores(database, { defaultLimit: config.defaultLimit, maxLimit: config.maxLimit });
    const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
    const { newAdmin } = await openNetwork(config, stores, createPasswordHasher(), controllerId, log);
    const [closeDatabase] = closers.splice(-1);
    await closeDatabase?.();
    return { connection, newAdmin, close: () => closeAll(closers, log) };
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}

async function assemble(config: Config, log: Logger, closers: Closers, abort: AbortSignal): Promise<Controller> {
  const startedAt = new Date();
  const bindings = bindOperations();
  const databaseLost: (() => void)[] = [];
  const onLost = () => { databaseLost.forEach((listener) => { listener(); }); };
  const { database, connection, outages } = await connectDatabase({ config, log, closers, abort, onLost });
  abort.throwIfAborted();
  const stores = openStores(database, { defaultLimit: config.defaultLimit, maxLimit: config.maxLimit });
  const passwords = createPasswordHasher({ concurrent: config.passwordConcurrency, waiting: config.passwordQueue });
  const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
  const network = await openNetwork(config, stores, passwords, controllerId, log);
  const sessions = createSessionRegistry({ stores, timeoutSeconds: config.sessionTimeout, maxEntries: config.cachedSessions, log });
  closers.push(() => sessions.close());
  const sweeper = createSessionSweeper({ sessions: stores.sessions, log });
  closers.push(() => sweeper.close());
  let renew: () => void = () => undefined;
  const written = new WrittenCache();
  const followers: Followers = { sessions, sweeper, written, pkiChanged: () => { renew(); } };
  const { feed, isHearing } = await followChanges(connection, database, followers, log, closers);
  databaseLost.push(() => { feed.suspect(); });
  const announce = (server: SigningEntity) => joinControllers(config, stores, server, controllerId);
  const joined = await announce(network.keys.server);
  const heartbeat = startHeartbeat(() => stores.controllers.touch(joined));
  closers.push(() => { heartbeat.stop(); });
  abort.throwIfAborted();

  const identity = serverIdentity(network.keys.server);
  const pki = await createPki(network.trustDomain, network.keys.authority);
  const parts = { config, stores, passwords, sessions, written, pki, controllerId, startedAt, identity };
  const services = buildServices(parts);
  const inFlight: InFlight = { exchanges: new Set(), isLeaving: false, isDraining: false };
  const readiness = createReadiness({
    database, outages, heartbeat: heartbeat.outage, isHearing, clusterDir: config.databaseUrl === null ? join(config.dataDir, 'postgres') : null,
    certificateEnds: () => certificateEnds(identity, pki),
  });
  const watcher = watchInFlight(inFlight, config.handlerTimeout * 1000);
  closers.push(() => { clearInterval(watcher); });
  const common = commonHeaders(services.version.version, randomBytes(12).toString('hex'));
  const app = createApp({
    common, corsOrigins: config.corsOrigins, inFlight, maxHeaders: config.maxHeaders,
    requestIdHeader: config.requestIdHeader, log,
    pages: new Map([
      ...healthPages({ readiness, isLeaving: () => inFlight.isLeaving, startedAt }),
      ...documentPages(services.documents), ...(config.docs ? explorerPages() : []),
    ]),
    api: createApi({ config, bindings, services, sessions, outages, log }),
  });
  const handle = app.callback();
  const server = createTlsServer({
    config, chainPem: network.keys.server.certPem + pki.issuerPem(), privateKeyPem: network.keys.server.privateKeyPem,
    common, log,
    listener: (request, response) => { void handle(request, response); },
  });
  const hurry = new AbortController();
  closers.push(() => drain(server, inFlight, config.drainTimeout * 1000, hurry.signal));
  closers.push(() => leave(inFlight, config.lameDuck * 1000, hurry.signal, log));
  const port = await listen(server, config.listen).catch((error: unknown) => { throw new ConfigError(listenFault(error, config.listen), { cause: error }); });
  const renewal = keepKeysFresh({ server, pki, identity, announce, log, current: () => refreshKeys(config, stores, network, controllerId, log) });
  renew = () => { void renewal(); };
  const renewalTimer = setInterval(renew, config.tlsRenewalCheck * 1000).unref();
  closers.push(() => { clearInterval(renewalTimer); });
  const url = `https://${formatHostPort({ host: parseHostPort(config.listen).host, port })}`;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (stopping !== undefined) hurry.abort();
    return (stopping ??= closeAll(closers, log));
  };
  return { url, advertise: config.advertise, newAdmin: network.newAdmin, stop };
}

function listenFault(error: unknown, address: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // One without a code says all itself.
  return code === undefined ? message : `It cannot listen on ${address} (${message}): set EDGE_LISTEN to an address and port that this user may listen on.`;
}

interface Followers {
  readonly sessions: SessionRegistry;
  readonly sweeper: SessionSweeper;
  readonly written: WrittenCache;
  readonly pkiChanged: () => void;
}

async function followChanges(
  connection: ClientConfig, database: Database, followers: Followers, log: Logger, closers: Closers,
): Promise<{ feed: ChangeFeed; isHearing: () => boolean }> {
  const { sessions, sweeper, written, pkiChanged } = followers;
  let state: 'new' | 'hearing' | 'deaf' = 'new';
  const announce = (channel: string, payload: string) =>
    database.read('announce', 'SELECT pg_notify($1, $2)', [channel, payload]);
  const feed = openChangeFeed(connection, announce, {
    sessionGone: (id) => { sessions.forget(id); },
    allSessionsGone: () => { sessions.forgetAll(); },
    identityChanged: (id) => { sessions.forgetIdentity(id); },
    grantsLost: () => { sweeper.nudge(); },
    pkiChanged,
    hearing: () => {
      sessions.setTrusted(true);
      written.forget();
      sweeper.nudge();
      pkiChanged();
      if (state === 'deaf') log.info('changes by other controllers are heard again');
      state = 'hearing';
    },
    deaf: (cause) => {
      sessions.setTrusted(false);
      written.forget(); // the database may be another from now on
      if (state !== 'deaf') {
        const reason = cause instanceof Error ? cause.message : String(cause);
        log.warn({ reason }, 'changes by other controllers cannot be heard; '
          + 'sessions are asked of the database at every request meanwhile');
      }
      state = 'deaf';
    },
  });
  closers.push(() => { feed.close(); });
  await feed.ready;
  return { feed, isHearing: () => state === 'hearing' };
}

function joinControllers(config: Config, stores: Stores, { certPem, fingerprint }: SigningEntity, id: string): Promise<string> {
  const address = (path: string) => [{ url: `https://${config.advertise}${path}`, version: 'v1' }];
  return stores.controllers.join({
    id, name: config.name, ctrlAddress: `tls:${config.advertise}`, certPem, fingerprint,
    apiAddresses: { 'edge-client': address(basePaths.client), 'edge-management': address(basePaths.management) },
  });
}

function certificateEnds(identity: ServerIdentity, pki: RunningPki): { name: string; notAfter: Date }[] {
  const { roots: [root], intermediates: [intermediate] } = pki.trust();
  const above = [['intermediate', intermediate], ['root', root]] as const;
  return [
    { name: 'server', notAfter: identity.notAfter() },
    ...above.flatMap(([name, certificate]) => (certificate === undefined ? [] : [{ name, notAfter: new Date(certificate.validTo) }])),
  ];
}

interface Parts {
  readonly config: Config;
  readonly stores: Stores;
  readonly passwords: Services['passwords'];
  readonly sessions: SessionRegistry;
  readonly written: WrittenCache;
  readonly pki: RunningPki;
  readonly controllerId: string;
  readonly startedAt: Date;
  readonly identity: ServerIdentity;
}

/** About half a second of work. */
const MAX_WAITING_VERIFICATIONS = 500;

function buildServices(parts: Parts): Services {
  const { config, stores, passwords, sessions, written, pki, controllerId, startedAt, identity } = parts;
  const schemas = new ConfigSchemaCache();
  return {
    stores, passwords, sessions, written, pki, newId, turns: createTurns({ waiting: MAX_WAITING_VERIFICATIONS }),
    version: readVersion(), documents: openDocuments(config.advertise, startedAt),
    enrollments: createEnrollments({ signer: identity.signer, earlierPrints: identity.earlierPrints, issuerPem: pki.issuerPem, stores, advertise: config.advertise, durationSeconds: config.enrollmentDuration }),
    sessionTokens: createSessionTokens({ signer: identity.signer, advertise: config.advertise }),
    network: { controllerId, name: config.name, advertise: config.advertise, startedAt },
    checkConfigData: (type, data) => { if (type.schema !== null) schemas.get({ id: type.id, updatedAt: type.updatedAt, schema: type.schema }).validate(data); },
    checkConfigSchema: (schema) => { compileConfigSchema(schema); },
  };
}

/** Goes on serving while balancers see by `/readyz` that they should send no more. */
async function leave(inFlight: InFlight, forMs: number, hurry: AbortSignal, log: Logger): Promise<void> {
  inFlight.isLeaving = true;
  if (forMs === 0) return;
  log.info({ seconds: forMs / 1000 }, 'connections are still accepted while balancers find out; then it stops');
  await sleep(forMs, undefined, { signal: hurry }).catch(() => undefined);
}

/** How long idle connections stay open at shutdown: a request that is already on its way to one is still answered. */
const IDLE_GRACE_MS = 500;

/**
 * No new connections. Busy ones close after their answer, idle ones after the next or after a short grace, and the
 * rest after `timeoutMs`, or when it must hurry.
 */
async function drain(server: TlsServer, inFlight: InFlight, timeoutMs: number, hurry: AbortSignal): Promise<void> {
  inFlight.isDraining = true;
  for (const { response } of inFlight.exchanges) response.shouldKeepAlive = false;
  // The HTTP server's own `close` would cut idle connections at once.
  const closed = new Promise<void>((resolve) => { NetServer.prototype.close.call(server, () => { resolve(); }); });
  let sweeper: NodeJS.Timeout | undefined;
  const grace = setTimeout(() => { sweeper = setInterval(() => { server.closeIdleConnections(); server.closeUnused(); }, 50); }, Math.min(IDLE_GRACE_MS, timeoutMs));
  const cutAll = () => { server.closeAllConnections(); };
  const cut = setTimeout(cutAll, timeoutMs);
  hurry.addEventListener('abort', cutAll);
  if (hurry.aborted) cutAll();
  await closed;
  server.close(); // stops its own timer of connection checks
  clearTimeout(grace);
  clearInterval(sweeper);
  clearTimeout(cut);
}
