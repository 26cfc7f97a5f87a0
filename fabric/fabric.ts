/**
 * The control channel of one process, put together: who is let in, what routers are told when they connect and when
 * something changes, and what all controllers can read of it. docs/control-channel.md describes it.
 */
import { create } from '@bufbuild/protobuf';
import type { Logger } from 'pino';
import type { VerifiedChain } from '../domain/pki/chain.js';
import type { RouterPresence } from '../domain/router.js';
import { YieldQueue } from '../domain/scheduling/yield-queue.js';
import type { KnownRouter } from '../db/stores/router-sync-view.js';
import type { Stores } from '../db/stores/stores.js';
import { ServerHelloSchema } from '../generated/fabric/edge_pb.js';
import { createAcceptor } from './channel/acceptor.js';
import type { Knock } from './channel/acceptor.js';
import type { RouterChannel } from './channel/channel.js';
import type { Circuits } from './traffic/circuits.js';
import { ContentType } from './channel/content-types.js';
import { controllersMessage } from './presence/controllers.js';
import type { KnownControllers } from './presence/controllers.js';
import { RouterModels } from './model/data-model.js';
import { typedMessage } from './channel/frame.js';
import { SyncHeader, encodeBoolean } from './channel/headers.js';
import { LIMITS } from './channel/limits.js';
import type { ChannelLimits } from './channel/limits.js';
import { messageTable } from './messages/index.js';
import { createPresenceWriter } from './presence/presence.js';
import type { KeySources } from './model/public-keys.js';
import { createRegistry } from './channel/registry.js';
import type { ApiSessionTokens, FabricServices } from './services.js';
import { createRouterLog } from './channel/router-log.js';
import { RouterChecks } from './model/router-checks.js';
import { createSessionSync } from './sessions/session-sync.js';
import { Spacing } from './channel/spacing.js';
import { createTraffic } from './traffic/traffic.js';

export interface FabricOptions {
  readonly stores: Stores;
  readonly log: Logger;
  readonly noteFailure: FabricServices['noteFailure'];
  /** Of the row of this controller. */
  readonly controllerId: string;
  readonly controllers: KnownControllers;
  readonly newId: () => string;
  readonly apiSessionToken: (apiSessionId: string) => string;
  readonly sessionTimeoutSeconds: number;
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
  readonly apiSessions: ApiSessionTokens;
  /** Of the network's own CA alone. @throws ChainFault */
  readonly verify: (certificates: readonly Buffer[]) => VerifiedChain;
  /** The CA in force, and what signs session JWTs. */
  readonly keySources: () => Omit<KeySources, 'caPems'>;
  readonly limits?: Partial<ChannelLimits>;
}

export interface Fabric {
  readonly services: FabricServices;
  /** A connection of a router, after its handshake. */
  accept(knock: Knock): void;
  /** News from this controller and others. */
  readonly news: FabricNews;
  /** What stands in this process, for metrics. */
  readonly counts: () => FabricCounts;
  /** Ends all channels; nothing of this process counts as connected any more. Called again, it is the same end. */
  close(): Promise<void>;
}

export interface FabricCounts {
  /** Routers whose channel this process holds, and those of them that know all that they must. */
  readonly connected: number;
  readonly inSync: number;
  readonly circuits: number;
  readonly dials: Circuits['dials'];
}

export interface FabricNews {
  routerChanged(routerId: string): void;
  /** What identities may reach: services, configs, service policies, a router's own identity. */
  accessMoved(): void;
  /** Routers or policies changed. */
  routingMoved(): void;
  sessionsChanged(apiSessionIds: readonly string[]): void;
  allSessionsChanged(): void;
  identityChanged(identityId: string): void;
  /** Sessions for services, by their ids. */
  sessionsEnded(sessionIds: readonly string[]): void;
  /** Sessions for services may have lost their grant. */
  grantsLost(): void;
  /** A commit of this controller, before it is answered: dials read again what they depend on. */
  localChange(): void;
  /** Of these services; undefined: of many. */
  terminatorsChanged(serviceIds: readonly string[] | undefined): void;
  /** Routers are to be told another list of controllers. */
  controllersChanged(): void;
  /** CAs, or keys of the network. */
  keysChanged(): void;
  /** False while changes made elsewhere may go unheard. */
  setHearing(isHearing: boolean): void;
}

/** Connections whose certificates wait to be checked: half a second of work. */
const MAX_WAITING_CHECKS = 500;
/** Changes of policies that follow each other are looked up together. */
const GATHER_MS = 100;
/** Signs of life between two whole states of API sessions while changes cannot be heard. */
const DEAF_BEATS = 5;

/** Of one router in a minute. */
const CONNECTION_LINES = 5;

interface Connected {
  router: KnownRouter;
  presence: RouterPresence;
  /** Ends the channel of a router with a new certificate. */
  renewal?: NodeJS.Timeout;
}

export function createFabric(options: FabricOptions): Fabric {
  const { stores, controllerId, controllers, newId, keySources } = options;
  const lines = createRouterLog(options);
  const { log, noteFailure } = lines;
  const limits: ChannelLimits = { ...LIMITS, ...options.limits };
  const registry = createRegistry(limits.probeMs);
  const connected = new Map<RouterChannel, Connected>();
  let isHearing = true;
  let gathering: NodeJS.Timeout | undefined;
  let beats = 0;

  const traffic = createTraffic({ stores, channels: registry, noteFailure });
  const presence = createPresenceWriter({
    store: stores.routerChannels,
    hostId: newId(),
    controllerId,
    log: options.log,
    onBeat: () => {
      beats += 1;
      if (!isHearing) lookOurselves();
      checks.beat();
      models.beat();
    },
  });
  const models = new RouterModels({
    stores,
    keySources,
    onReach: (channel, model) => traffic.tunnels.reached(channel, model),
    onRound: () => {
      traffic.tunnels.roundBegins();
    },
    noteFailure,
  });

  /** Changes go unheard: what may have changed is asked for, what costs more not as often. */
  const lookOurselves = () => {
    checks.all();
    models.changed();
    if (beats % DEAF_BEATS !== 0) return;
    sessionSync.refresh();
    traffic.sessions.check();
    models.keysChanged();
  };

  const routers: FabricServices['routers'] = {
    routerOf: (channel) => connected.get(channel)?.router,
    update(channel, changes) {
      const entry = connected.get(channel);
      if (entry === undefined) return;
      entry.presence = { ...entry.presence, ...changes };
      presence.set(channel.routerId, entry.presence);
    },
  };

  const sessionSync = createSessionSync({
    view: stores.routerSync,
    tokenOf: options.apiSessionToken,
    timeoutSeconds: options.sessionTimeoutSeconds,
    onStatus: (channel, syncStatus) => {
      routers.update(channel, { syncStatus });
    },
    noteFailure,
  });

  const checks = new RouterChecks({
    read: (ids) => stores.routerSync.routers(ids),
    isOurs: (id) => registry.get(id) !== undefined || traffic.circuits.ofRouter(id).length > 0,
    ours: () => [...registry.all()].map(({ routerId }) => routerId),
    onRead: (id, router) => {
      check(id, router);
    },
  });
  const check = (id: string, router: KnownRouter | undefined) => {
    const reason = barred(router);
    if (reason !== undefined) traffic.routerBarred(id);
    const channel = registry.get(id);
    const entry = channel && connected.get(channel);
    if (channel === undefined || entry === undefined) return;
    if (reason !== undefined) channel.close(reason);
    else if (router !== undefined) {
      entry.router = router;
      sessionSync.changed(router);
      traffic.routerChanged(router);
      if (router.fingerprint !== channel.fingerprint)
        entry.renewal ??= setTimeout(() => {
          channel.close('the router has a new certificate');
        }, limits.renewedMs).unref();
    }
  };

  const services: FabricServices = {
    stores,
    log,
    noteFailure,
    channels: registry,
    routers,
    sessionSync,
    dataModel: models,
    wholeStates: { sessions: new Spacing(limits.wholeStateMs), dataModel: new Spacing(limits.wholeStateMs) },
    sessionsSeen: options.sessionsSeen,
    apiSessions: options.apiSessions,
    traffic,
    controllers,
  };

  const acceptor = createAcceptor({
    services,
    log: options.log,
    registry,
    table: messageTable,
    limits,
    turns: new YieldQueue({ waiting: MAX_WAITING_CHECKS }),
    verify: options.verify,
    onOpen(channel, router) {
      const { version: versionInfo } = channel.hello;
      connected.set(channel, {
        router,
        presence: {
          connectedAt: channel.connectedAt,
          syncStatus: 'SYNC_QUEUED',
          hostname: '',
          protocols: {},
          versionInfo,
        },
      });
      // First of all: a router that loses us before it has the list may not come back.
      channel.send(controllersMessage(controllers.now()));
      routers.update(channel, router.isEdge ? { syncStatus: 'SYNC_HELLO' } : {});
      if (router.isEdge) channel.send(serverHello(versionInfo.version));
      traffic.routerConnected(channel, router);
      models.begin(channel);
      log.info({ routerId: router.id, version: versionInfo.version }, 'router connected', CONNECTION_LINES);
      // What was true when it was let in may have changed since.
      checks.due(router.id);
    },
    onClose(channel, reason) {
      clearTimeout(connected.get(channel)?.renewal);
      connected.delete(channel);
      sessionSync.end(channel);
      models.end(channel);
      traffic.routerLost(channel);
      presence.drop(channel.routerId);
      log.info({ routerId: channel.routerId, reason }, 'router disconnected', CONNECTION_LINES);
    },
  });

  const checkSoon = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      checks.all();
    }, GATHER_MS).unref();
  };

  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    clearTimeout(gathering);
    acceptor.close();
    sessionSync.close();
    for (const channel of [...registry.all()]) channel.close('the controller stops');
    await checks.close();
    await models.close();
    await traffic.close();
    await presence.close();
    lines.close();
  };

  return {
    services,
    accept: (knock) => {
      acceptor.accept(knock);
    },
    news: {
      routerChanged(routerId) {
        traffic.memory.forgetAll();
        checks.due(routerId);
      },
      accessMoved: () => {
        traffic.memory.forgetAll();
        models.changed();
      },
      localChange: () => {
        traffic.memory.forgetAll();
      },
      routingMoved() {
        traffic.memory.forgetAll();
        checkSoon();
        models.changed();
        traffic.sessions.check();
      },
      sessionsEnded: (ids) => {
        traffic.memory.forgetSessions(ids);
        traffic.sessions.ended(ids);
      },
      terminatorsChanged: (serviceIds) => {
        traffic.memory.forgetTargets(serviceIds);
        traffic.flights.doubtTerminators(serviceIds);
      },
      grantsLost: () => {
        traffic.memory.forgetAll();
        traffic.sessions.check();
      },
      sessionsChanged: (ids) => {
        sessionSync.sessionsChanged(ids);
      },
      allSessionsChanged: () => {
        sessionSync.refresh();
      },
      identityChanged: (identityId) => {
        traffic.memory.forgetAll();
        sessionSync.identityChanged(identityId);
      },
      controllersChanged() {
        const list = controllersMessage(controllers.now());
        for (const channel of registry.all()) channel.send(list);
      },
      keysChanged: () => {
        models.keysChanged();
      },
      setHearing(next) {
        isHearing = next;
        traffic.memory.setTrusted(next);
        if (!next) return;
        checkSoon();
        traffic.sessions.check();
        sessionSync.refresh();
        models.keysChanged();
      },
    },
    counts() {
      const { circuits } = traffic;
      const states = [...connected.values()];
      // A router that takes no part in access is told nothing, and lacks nothing.
      const inSync = states.filter((each) => !each.router.isEdge || each.presence.syncStatus === 'SYNC_DONE').length;
      return { connected: states.length, inSync, circuits: circuits.size, dials: { ...circuits.dials } };
    },
    close: () => (closing ??= closeAll()),
  };
}

/** Why a router may not be connected. @param router  undefined when it is not there */
function barred(router: KnownRouter | undefined): string | undefined {
  if (router === undefined) return 'the router was deleted';
  if (router.disabled) return 'the router was disabled';
  return router.fingerprint === null ? 'the router must enroll again' : undefined;
}

/** What the router looks at is the header. @param version  its own, as it said */
function serverHello(version: string) {
  return typedMessage(
    ContentType.ServerHello,
    ServerHelloSchema,
    create(ServerHelloSchema, { version, data: { instant: 'true', routerModel: 'true' } }),
    [[SyncHeader.RouterDataModel, encodeBoolean(true)]],
  );
}
