/** State in memory, the parts that keep it up to date, and the row by which others know this controller. */
import { ANNOUNCE } from '../../db/postgres/announcement.js';
import cluster from 'node:cluster';
import { newId } from '../../domain/auth/tokens.js';
import type { Database } from '../../db/postgres/contracts.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { Stores } from '../../db/stores/stores.js';
import { ResponseCache } from '../../handlers/response-cache.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { ApiSessionRegistry } from '../sessions/api-sessions.js';
import { createAuditKeeper } from '../events/audit-keeper.js';
import { createControl } from '../routers/control.js';
import { routersReach } from '../settings/control-settings.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { SIGN_MS, openControllerList } from '../changes/controller-list.js';
import type { ControllerListKeeper } from '../changes/controller-list.js';
import { EventHub } from '../events/event-hub.js';
import { EventReader } from '../events/event-reader.js';
import { createExpirySweeper } from '../sessions/expiry-sweeper.js';
import { startHeartbeat } from '../changes/heartbeat.js';
import { openLoginProvider } from '../keys/login-provider.js';
import type { SigningEntity } from '../keys/pki-records.js';
import { noteFailure } from '../base/outage-log.js';
import { Outgoing } from '../sockets/outgoing.js';
import { joinControllers, joinFirst } from './joining.js';
import { createSessionSweeper } from '../sessions/session-sweeper.js';
import { Webhooks } from '../events/webhooks.js';
import type { Subscribers } from './change-subscribers.js';
import type { Data, RunningParts, ControllerIdentity, Start } from './phases.js';

/** Time between two signs of life on a stream of events. */
const HEARTBEAT_MS = 15_000;
/** Pause after a heartbeat that failed: readiness waits for the next. */
const AGAIN_MS = 500;

export async function openMemory(
  start: Start,
  connection: ServerConfig,
  data: Data & ControllerIdentity,
): Promise<RunningParts> {
  const { config, log, closers, changes } = start;
  const { database, stores, network, controllerId } = data;
  const apiSessions = openApiSessions(start, data);
  const { loginProvider, accessTokens } = await openLogins(start, data);
  const sweeper = createSessionSweeper({ sessions: stores.sessions, log });
  closers.push(() => sweeper.close());
  clearAway(start, stores);
  const { webhooks, ...events } = openEvents(start, data);
  const responseCache = new ResponseCache();
  const announce = (server: SigningEntity) => joinControllers(config, stores, server, controllerId);
  const { server } = network.keys;
  // Workers share the row of their first process, which warns if another controller has it.
  const joined = cluster.isWorker ? await announce(server) : await joinFirst(start, stores, server, controllerId);
  const { fabric, list } = await openFabric(start, { ...data, controllerId: joined }, { apiSessions, accessTokens });
  const feed = await followChanges(start, connection, database, {
    apiSessions,
    accessTokens,
    sweeper,
    responseCache,
    fabric: fabric.events,
    controllersChanged: () => {
      loginProvider?.controllersChanged().catch((error: unknown) => {
        noteFailure(log, error, 'the addresses of controllers could not be read');
      });
      list.read().catch((error: unknown) => {
        // It is read again with the next sign of life.
        noteFailure(log, error, 'the list of controllers could not be read');
      });
    },
    eventReader: events.eventReader,
    webhooksChanged: () => {
      webhooks.changed();
    },
  });
  const heartbeat = startHeartbeat(() => stores.controllers.touch(joined), { everyMs: SIGN_MS, againMs: AGAIN_MS });
  const signs = startHeartbeat(() => list.signOfLife(), { everyMs: SIGN_MS, againMs: SIGN_MS });
  closers.push(async () => {
    heartbeat.stop();
    signs.stop();
    await list.leave().catch(() => undefined);
    await stores.controllers.leave(joined).catch(() => undefined);
  });
  const logins = { accessTokens, loginProvider };
  return {
    fabric,
    apiSessions,
    ...logins,
    responseCache,
    feed,
    isHearing: changes.isHearing,
    heartbeat,
    announce,
    ...events,
  };
}

function openApiSessions({ config, log, closers }: Start, { stores, network }: Data): ApiSessionRegistry {
  const apiSessions = new ApiSessionRegistry({
    stores,
    tokenKey: network.tokenKey,
    timeoutSeconds: config.sessionTimeout,
    maxEntries: config.cachedSessions,
    mostOfIdentity: config.apiSessionsPerIdentity,
    log,
  });
  closers.push(() => apiSessions.close());
  return apiSessions;
}

/** Logins by OpenID Connect; without them no token is an access token. */
async function openLogins(
  { config }: Start,
  { stores, network, identity }: Data & ControllerIdentity,
): Promise<Pick<RunningParts, 'accessTokens' | 'loginProvider'>> {
  const key = network.tokenKey;
  const loginProvider = config.oidcEnabled ? await openLoginProvider({ config, identity, stores, key }) : null;
  const accessTokens = new AccessTokens({
    isOwn: (token) => loginProvider?.isOwn(token) === true,
    read: (token) => loginProvider?.read(token),
    isRevoked: (tokenId) => stores.revocations.isTokenRevoked(tokenId),
    maxEntries: config.cachedSessions,
  });
  return { accessTokens, loginProvider };
}

/** Routers and the list of controllers that they are told. */
async function openFabric(
  { config, log, closers }: Start,
  data: Data & ControllerIdentity,
  sessions: Pick<RunningParts, 'apiSessions' | 'accessTokens'>,
): Promise<{ fabric: RunningParts['fabric']; list: ControllerListKeeper }> {
  const { stores, network, controllerId } = data;
  const list = await openControllerList({
    stores,
    trustDomain: network.trustDomain,
    address: routersReach(config),
  });
  const fabric = createControl({
    ...data,
    config,
    ...sessions,
    tokenKey: network.tokenKey,
    controllers: list.known,
    log,
  });
  list.onChange = () => {
    fabric.events.controllersChanged();
  };
  closers.push(() => fabric.close());
  if (!cluster.isWorker) await stores.routerChannels.forgetHostsOf(controllerId);
  return { fabric, list };
}

/** Resolves when the first attempt of the feed to connect is over. */
async function followChanges(
  { closers, changes }: Start,
  connection: ServerConfig,
  database: Database,
  subscribers: Subscribers,
): Promise<ChangeFeed> {
  changes.subscribe(subscribers);
  const announce = (channel: string, payload: string) => database.execute(ANNOUNCE, [channel, payload]);
  const feed = new ChangeFeed(connection, announce, changes.listeners(subscribers));
  closers.push(() => {
    feed.close();
  });
  changes.onDatabaseLost = () => {
    feed.suspect();
  };
  await feed.ready;
  return feed;
}

/** Deletes what has expired, and adds and drops the monthly partitions of the audit record. */
function clearAway({ config, log, closers }: Start, stores: Stores): void {
  const expiry = createExpirySweeper(
    {
      traces: stores.identityTraces,
      revocations: stores.revocations,
      apiSessionCertificates: stores.apiSessionCertificates,
      issuedCertificates: stores.issuedCertificates,
      usage: { sweep: (max) => stores.usage.sweep(max, config.usageKeepDays) },
      events: stores.events,
      authRequests: stores.authRequests,
      clientEnds: stores.clientEnds,
    },
    log,
  );
  closers.push(() => expiry.close());
  const audit = createAuditKeeper({ stores, keepDays: config.auditKeepDays, controller: config.name, log });
  closers.push(() => audit.close());
}

type Events = Pick<RunningParts, 'eventReader' | 'eventStreams' | 'outgoing'> & { readonly webhooks: Webhooks };

/** One reader of events for all who wait for them here: streams and webhooks. */
function openEvents({ config, log, closers }: Start, { database, stores, network }: Data): Events {
  const { events } = stores;
  const eventReader = new EventReader({
    events,
    announce: (payload) => database.execute(ANNOUNCE, ['edge', payload]),
    log,
  });
  closers.push(() => eventReader.close());
  const eventStreams = new EventHub({
    events,
    reader: eventReader,
    maxStreams: config.eventStreams,
    maxStreamsPerIdentity: config.eventStreamsPerIdentity,
    heartbeatMs: HEARTBEAT_MS,
    log,
  });
  const outgoing = new Outgoing({ allow: config.outgoingAllow });
  const webhooks = new Webhooks({
    events,
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
  return { eventReader, eventStreams, outgoing, webhooks };
}
