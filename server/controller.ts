/** Puts a controller together and takes it apart: the one place that builds what lives long. */
import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { ClientConfig } from 'pg';
import { createPasswordHasher } from '../domain/auth/passwords.js';
import type { PasswordHasher } from '../domain/auth/passwords.js';
import { newId } from '../domain/auth/tokens.js';
import { clusterIn } from '../db/embedded/places.js';
import type { ServerConfig } from '../db/servers.js';
import { openStores } from '../db/stores.js';
import type { Stores } from '../db/stores.js';
import { basePaths } from '../generated/routes.js';
import type { Context } from '../handlers/context.js';
import { KeptAnswers } from '../handlers/kept-answers.js';
import { createApi } from './api.js';
import { startBackups } from './backup-schedule.js';
import { createAuditKeeper } from './audit-keeper.js';
import { buildContext } from './build-context.js';
import { certificateEnds } from './certificate-ends.js';
import { commonHeaders, createApp, watchInFlight } from './app.js';
import type { InFlight } from './app.js';
import { bindOperations } from './binder.js';
import type { Bindings } from './binder.js';
import { openNetwork, refreshKeys } from './bootstrap.js';
import type { Network } from './bootstrap.js';
import { closeAll } from './closers.js';
import type { Closers } from './closers.js';
import { Compression } from './compression.js';
import type { Config } from './config.js';
import { connectDatabase, locateServer } from './database.js';
import type { OpenDatabase } from './database.js';
import { createControl, openRouterDoor } from './control.js';
import { routersReach } from './control-settings.js';
import type { Fabric } from '../fabric/fabric.js';
import { createEpochMemory } from './epochs.js';
import type { EpochMemory } from './epochs.js';
import { stopServing } from './drain.js';
import { documentPages, explorerPages } from './explorer.js';
import { createEventHub } from './event-hub.js';
import type { EventHub } from './event-hub.js';
import { createEventReader } from './event-reader.js';
import type { EventReader } from './event-reader.js';
import { createExpirySweeper } from './expiry-sweeper.js';
import type { ChangeFeed } from './change-feed.js';
import { followChanges } from './followers.js';
import type { Followers } from './followers.js';
import { healthPages } from './health.js';
import { startHeartbeat } from './heartbeat.js';
import type { Heartbeat } from './heartbeat.js';
import { createReadiness } from './readiness.js';
import type { Readiness } from './readiness.js';
import type { Logger } from './log.js';
import { RequestCounts } from './metrics/request-counts.js';
import type { SigningEntity } from './network-keys.js';
import { createMaintenance } from './maintenance.js';
import { createOutgoing } from './outgoing.js';
import type { Outgoing } from './outgoing.js';
import { createPki } from './pki.js';
import type { RunningPki } from './pki.js';
import { keepKeysFresh, serverIdentity } from './renewal.js';
import type { RenewalOptions, ServerIdentity } from './renewal.js';
import { openSpas } from './spa.js';
import type { Spas } from './spa.js';
import { createRefusedLogins } from './refused-logins.js';
import { createSessionSweeper } from './session-sweeper.js';
import { createApiSessionRegistry } from './api-sessions.js';
import type { ApiSessionRegistry } from './api-sessions.js';
import { createTlsServer, listenAt } from './tls-server.js';
import { openTraces } from './traces/traces.js';
import { createWebhooks } from './webhooks.js';

export interface Controller {
  /** Where it listens, such as `https://127.0.0.1:1280`. */
  readonly url: string;
  /** Where this process takes routers alone, as `host:port`; undefined when it does nowhere. */
  readonly control: string | undefined;
  /** Where this process answers with metrics, as `host:port`; undefined when it does nowhere. */
  readonly metrics: string | undefined;
  readonly advertise: string;
  readonly newAdmin: Network['newAdmin'];
  /**
   * Accepts connections for `limits.lameDuck` more, lets requests in flight finish, then closes everything. Called
   * again, it waits for neither.
   */
  stop(): Promise<void>;
}

/** @param abort  ends the start with an error at its next step; nothing is left running */
export async function startController(
  config: Config,
  log: Logger,
  abort = new AbortController().signal,
): Promise<Controller> {
  const start: Start = { config, log, abort, closers: [], startedAt: new Date(), changes: new EventEmitter() };
  try {
    return await assemble(start);
  } catch (error) {
    await closeAll(start.closers, log);
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
  const start: Start = { config, log, abort, closers: [], startedAt: new Date(), changes: new EventEmitter() };
  const { closers } = start;
  const ofPool: Closers = [];
  openSpas(config.spa); // each worker serves them: this only refuses what none could serve
  try {
    const connection = await locateServer(start);
    const { network, stores, controllerId } = await openData({ ...start, closers: ofPool }, connection);
    // Of workers that ran before: those of this start are not there yet.
    await stores.routerChannels.forgetHostsOf(controllerId);
    await closeAll(ofPool, log);
    return { connection, newAdmin: network.newAdmin, close: () => closeAll(closers, log) };
  } catch (error) {
    await closeAll(ofPool, log);
    await closeAll(closers, log);
    throw error;
  }
}

/** What every phase of a start is given. Each adds what closes what it opened. */
interface Start {
  readonly config: Config;
  readonly log: Logger;
  readonly abort: AbortSignal;
  readonly closers: Closers;
  readonly startedAt: Date;
  /** Heard by what was built by then. */
  readonly changes: EventEmitter<{ databaseLost: []; pkiChanged: []; changed: [] }>;
}

/** The phases of a start. Whatever opens something opens it after all that it needs, so closers run in reverse. */
async function assemble(start: Start): Promise<Controller> {
  const { config, log, abort, closers } = start;
  const bindings = bindOperations();
  const spas = openSpas(config.spa);
  const connection = await locateServer(start);
  const data = await openData(start, connection);
  const own = await openIdentity(data);
  const live = await follow(start, connection, { ...data, ...own });
  abort.throwIfAborted();
  const parts = { ...start, ...data, ...own, ...live };
  const ready = { ...parts, context: prepare(parts, connection) };
  const hurry = new AbortController();
  const { servers, address, control, metrics } = await serve(ready, bindings, spas, hurry.signal);
  keepFresh(ready, servers);
  const url = `https://${address}`;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (stopping !== undefined) hurry.abort();
    return (stopping ??= closeAll(closers, log));
  };
  return { url, control, metrics, advertise: config.advertise, newAdmin: data.network.newAdmin, stop };
}

interface Data extends OpenDatabase {
  readonly stores: Stores;
  readonly epochs: EpochMemory;
  readonly passwords: PasswordHasher;
  readonly network: Network;
  readonly controllerId: string;
}

/** The database with its schema, and in it the network, which the first start makes. */
async function openData(start: Start, connection: ServerConfig): Promise<Data> {
  const { config, log, abort, changes } = start;
  const epochs = createEpochMemory();
  const opened = await connectDatabase({
    ...start,
    connection,
    onLost: () => changes.emit('databaseLost'),
    onChanged: () => {
      epochs.changed();
      changes.emit('changed');
    },
  });
  abort.throwIfAborted();
  const stores = openStores(opened.database, { defaultLimit: config.defaultLimit, maxLimit: config.maxLimit });
  const passwords = createPasswordHasher({ concurrent: config.passwordConcurrency, waiting: config.passwordQueue });
  const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
  const network = await openNetwork(config, stores, passwords, controllerId, log);
  return { ...opened, stores, epochs, passwords, network, controllerId };
}

interface Own {
  readonly identity: ServerIdentity;
  readonly pki: RunningPki;
}

/** Who this controller is, and what its network's authority signs with. */
async function openIdentity({ network }: Data): Promise<Own> {
  const identity = serverIdentity(network.keys.server);
  return { identity, pki: await createPki(network.trustDomain, network.keys.authority) };
}

/** Between two signs of life on a stream of events. */
const HEARTBEAT_MS = 15_000;

interface Live {
  /** The channels of routers. */
  readonly fabric: Fabric;
  readonly apiSessions: ApiSessionRegistry;
  readonly keptAnswers: KeptAnswers;
  readonly feed: ChangeFeed;
  readonly isHearing: () => boolean;
  readonly heartbeat: Heartbeat;
  readonly eventReader: EventReader;
  readonly eventStreams: EventHub;
  readonly outgoing: Outgoing;
  /** Makes this controller known under a server certificate. @returns the id of its row */
  readonly announce: (server: SigningEntity) => Promise<string>;
}

/** What is kept in memory, what keeps it true, and the row by which others know this controller. */
async function follow(start: Start, connection: ServerConfig, data: Data & Own): Promise<Live> {
  const { config, log, closers, changes } = start;
  const { database, stores, epochs, network, controllerId } = data;
  const apiSessions = createApiSessionRegistry({
    stores,
    tokenKey: network.tokenKey,
    timeoutSeconds: config.sessionTimeout,
    maxEntries: config.cachedSessions,
    log,
  });
  closers.push(() => apiSessions.close());
  const sweeper = createSessionSweeper({ sessions: stores.sessions, log });
  closers.push(() => sweeper.close());
  const expiry = createExpirySweeper(
    {
      traces: stores.identityTraces,
      revocations: stores.revocations,
      apiSessionCertificates: stores.apiSessionCertificates,
      events: stores.events,
    },
    log,
  );
  closers.push(() => expiry.close());
  const audit = createAuditKeeper({ stores, keepDays: config.auditKeepDays, log });
  closers.push(() => audit.close());
  const eventReader = createEventReader({
    events: stores.events,
    announce: (payload) => database.read('announce', 'SELECT pg_notify($1, $2)', ['edge', payload]),
    log,
  });
  closers.push(() => eventReader.close());
  changes.on('changed', () => {
    eventReader.nudge();
  });
  const eventStreams = createEventHub({
    events: stores.events,
    reader: eventReader,
    maxStreams: config.eventStreams,
    maxStreamsPerIdentity: config.eventStreamsPerIdentity,
    heartbeatMs: HEARTBEAT_MS,
    log,
  });
  const outgoing = createOutgoing({ allow: config.outgoingAllow });
  const webhooks = createWebhooks({
    events: stores.events,
    webhooks: stores.webhooks,
    reader: eventReader,
    outgoing,
    secrets: network.keyRing,
    newId,
    timeoutMs: config.webhookTimeout * 1000,
    retryForMs: config.webhookRetryFor * 1000,
    log,
  });
  closers.push(() => webhooks.close());
  const keptAnswers = new KeptAnswers();
  const pkiChanged = () => void changes.emit('pkiChanged');
  const announce = (server: SigningEntity) => joinControllers(config, stores, server, controllerId);
  const joined = await announce(network.keys.server);
  const fabric = createControl({ ...data, apiSessions, tokenKey: network.tokenKey, controllerId: joined, log });
  closers.push(() => fabric.close());
  if (!cluster.isWorker) await stores.routerChannels.forgetHostsOf(joined);
  const followers: Followers = {
    apiSessions,
    sweeper,
    epochs,
    keptAnswers,
    fabric: fabric.news,
    pkiChanged,
    eventReader,
    webhooksChanged: () => {
      webhooks.changed();
    },
  };
  const { feed, isHearing } = await followChanges(connection, database, followers, log, closers);
  changes.on('databaseLost', () => {
    feed.suspect();
  });
  const heartbeat = startHeartbeat(() => stores.controllers.touch(joined));
  closers.push(() => {
    heartbeat.stop();
  });
  return {
    fabric,
    apiSessions,
    keptAnswers,
    feed,
    isHearing,
    heartbeat,
    announce,
    eventReader,
    eventStreams,
    outgoing,
  };
}

interface Ready extends Start, Data, Own, Live {
  /** What handlers work with. */
  readonly context: Context;
}

/** What handlers work with. */
function prepare(parts: Start & Data & Own & Live, connection: ServerConfig): Context {
  const { config, log, closers, network } = parts;
  const maintenance = createMaintenance({ config, connection, keyRing: network.keyRing, log });
  closers.push(() => maintenance.close());
  const backups = startBackups({ config, connection, log });
  closers.push(() => backups.close());
  return buildContext({ ...parts, maintenance });
}

interface Serving {
  /** That of HTTPS, that of routers when they have one of their own, and that of metrics. */
  readonly servers: RenewalOptions['servers'];
  /** Of the first, as `host:port`. */
  readonly address: string;
  readonly control: string | undefined;
  readonly metrics: string | undefined;
}

/** Listens, and answers. */
async function serve(ready: Ready, bindings: Bindings, spas: Spas, hurry: AbortSignal): Promise<Serving> {
  const { config, log, closers, startedAt, outages, network, apiSessions, fabric, context, pki } = ready;
  const { eventReader, eventStreams } = ready;
  const inFlight: InFlight = { exchanges: new Set(), isLeaving: false, isDraining: false };
  const readiness = readinessOf(ready);
  const watcher = watchInFlight(inFlight, config.handlerTimeout * 1000);
  closers.push(() => {
    clearInterval(watcher);
  });
  const common = commonHeaders(context.version.version, randomBytes(12).toString('hex'), config.hsts);
  const compression = new Compression(config.compression);
  const counts = config.metricsListen === null ? undefined : new RequestCounts();
  const traces = await openTraces({ config, version: context.version.version, log, closers });
  const refusedLogins = createRefusedLogins({ stores: context.stores, controller: config.name, log });
  closers.push(() => refusedLogins.close());
  const app = createApp({
    common,
    corsOrigins: config.corsOrigins,
    inFlight,
    compression,
    spas,
    maxHeaders: config.maxHeaders,
    requestIdHeader: config.requestIdHeader,
    log,
    plainRoutes: new Map([
      ...healthPages({ readiness, isLeaving: () => inFlight.isLeaving, startedAt }),
      ...documentPages(context.documents),
      ...(config.docs ? explorerPages() : []),
    ]),
    api: createApi({
      config,
      bindings,
      compression,
      context,
      apiSessions,
      outages,
      counts,
      traces,
      refusedLogins,
      log,
      onChanged: () => {
        fabric.news.changedHere();
      },
      onRecorded: () => {
        eventReader.nudge();
      },
    }),
  });
  const handle = app.callback();
  const chainPem = network.keys.server.certPem + pki.issuerPem();
  const { privateKeyPem } = network.keys.server;
  const door = await openRouterDoor({ fabric, config, chainPem, privateKeyPem, log });
  closers.push(() => door.close());
  const server = createTlsServer({
    config,
    chainPem,
    privateKeyPem,
    common,
    log,
    listener: (request, response) => {
      void handle(request, response);
    },
    ...(door.open === undefined ? {} : { onRouter: door.open }),
  });
  const certificates = () => certificateEnds(ready.identity, pki);
  const measured = { ...ready, readiness, certificateEnds: certificates, inFlight, server, chainPem, privateKeyPem };
  const metrics = counts && (await (await import('./metrics/open.js')).openMetrics(measured, counts));
  const [lameDuckMs, timeoutMs] = [config.lameDuck * 1000, config.drainTimeout * 1000];
  closers.push(() =>
    stopServing({
      server,
      inFlight,
      lameDuckMs,
      timeoutMs,
      hurry,
      log,
      closeChannels: () => {
        eventStreams.stop();
        return door.close();
      },
    }),
  );
  const address = await listenAt(server, config.listen, 'EDGE_LISTEN');
  const servers = [server, ...(door.server === undefined ? [] : [door.server]), ...(metrics?.servers ?? [])];
  return { servers, address, control: door.address, metrics: metrics?.address };
}

function readinessOf({ config, database, outages, heartbeat, isHearing, identity, pki }: Ready): Readiness {
  return createReadiness({
    database,
    outages,
    heartbeat: heartbeat.outage,
    isHearing,
    clusterDir: config.databaseUrl === null ? clusterIn(config.dataDir) : null,
    certificateEnds: () => certificateEnds(identity, pki),
  });
}

/** Renews what ends soon, at an interval and when another controller has renewed it. */
function keepFresh(ready: Ready, servers: RenewalOptions['servers']): void {
  const { config, log, closers, changes, stores, network, controllerId, announce, fabric, identity, pki } = ready;
  const current = () => refreshKeys(config, stores, network, controllerId, log);
  const renewal = keepKeysFresh({ servers, pki, identity, announce, log, current });
  const renew = () => {
    void renewal().then(() => {
      fabric.news.keysChanged();
    });
  };
  changes.on('pkiChanged', renew);
  const timer = setInterval(renew, config.tlsRenewalCheck * 1000).unref();
  closers.push(() => {
    clearInterval(timer);
  });
}

function joinControllers(
  config: Config,
  stores: Stores,
  { certPem, fingerprint }: SigningEntity,
  id: string,
): Promise<string> {
  const address = (path: string) => [{ url: `https://${config.advertise}${path}`, version: 'v1' }];
  return stores.controllers.join({
    id,
    name: config.name,
    ctrlAddress: `tls:${routersReach(config)}`,
    certPem,
    fingerprint,
    apiAddresses: { 'edge-client': address(basePaths.client), 'edge-management': address(basePaths.management) },
  });
}
