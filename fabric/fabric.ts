/**
 * The control channel of one process, put together: who is let in, what routers are told when they connect and when
 * something changes, and what all controllers can read of it. docs/control-channel.md describes it.
 */
import type { Logger } from 'pino';
import type { VerifiedChain } from '../domain/pki/chain.js';
import { YieldQueue } from '../domain/scheduling/yield-queue.js';
import type { KnownRouter } from '../db/stores/router-sync-view.js';
import type { Stores } from '../db/stores/stores.js';
import { Acceptor } from './channel/acceptor.js';
import type { IncomingConnection } from './channel/acceptor.js';
import type { MessageTable } from './channel/channel.js';
import { LIMITS } from './channel/limits.js';
import type { ChannelLimits } from './channel/limits.js';
import { ChannelRegistry } from './channel/registry.js';
import { RouterLog } from './channel/router-log.js';
import type { NoteFailure } from './channel/router-log.js';
import { Spacing } from './channel/spacing.js';
import { FabricEvents } from './fabric-events.js';
import { messageTable } from './messages/index.js';
import { RouterPeers } from './links/peers.js';
import { RouterModels } from './model/data-model.js';
import type { KeySources } from './model/public-keys.js';
import { RouterChecks } from './model/router-checks.js';
import { ConnectedRouters } from './presence/connected-routers.js';
import type { KnownControllers } from './presence/controllers.js';
import { PresenceWriter } from './presence/presence.js';
import { RouterLifecycle } from './router-lifecycle.js';
import { SessionSync } from './sessions/session-sync.js';
import type { ConnectedIdentities } from './traffic/connected-identities.js';
import type { DialCounts } from './traffic/dials.js';
import type { ApiSessionTokens } from './traffic/session-admission.js';
import { Traffic } from './traffic/traffic.js';

export interface FabricOptions {
  readonly stores: Stores;
  readonly log: Logger;
  readonly noteFailure: NoteFailure;
  /** Id of this controller's row. */
  readonly controllerId: string;
  readonly controllers: KnownControllers;
  readonly newId: () => string;
  readonly apiSessionToken: (apiSessionId: string) => string;
  readonly sessionTimeoutSeconds: number;
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
  readonly apiSessions: ApiSessionTokens;
  /** Verifies against the network's own CA alone. @throws ChainFault */
  readonly verify: (certificates: readonly Buffer[]) => VerifiedChain;
  /** Returns the CA in force, and the key that signs session JWTs. */
  readonly keySources: () => Omit<KeySources, 'caPems'>;
  readonly limits?: Partial<ChannelLimits>;
}

export interface FabricCounts {
  /** Routers whose channel this process holds. */
  readonly connected: number;
  /** Connected routers that have all they must know. */
  readonly inSync: number;
  readonly circuits: number;
  readonly dials: DialCounts;
}

export interface Fabric {
  /** Takes over a connection of a router, after its handshake. */
  accept(connection: IncomingConnection): void;
  /** Takes the changes of this controller and others. */
  readonly events: FabricEvents;
  /** Knows which identities are connected to routers. */
  readonly edgeConnections: Pick<ConnectedIdentities, 'of'>;
  /** Counts for metrics. */
  readonly counts: () => FabricCounts;
  /** Ends all channels; nothing of this process counts as connected any more. Another call joins the first. */
  close(): Promise<void>;
}

/** Connections whose certificates wait to be checked: half a second of work. */
const MAX_WAITING_CHECKS = 500;

export function createFabric(options: FabricOptions): Fabric {
  const limits: ChannelLimits = { ...LIMITS, ...options.limits };
  const parts = makeParts(options, limits);
  const acceptor = makeAcceptor(options, limits, parts);
  const { traffic, routers, events } = parts;
  let closing: Promise<void> | undefined;
  return {
    accept: (connection) => {
      acceptor.accept(connection);
    },
    events,
    edgeConnections: traffic.connected,
    counts: () => ({ ...routers.counts, circuits: traffic.circuits.size, dials: traffic.dials.counts }),
    close: () => (closing ??= closeAll(acceptor, parts)),
  };
}

type Parts = ReturnType<typeof makeParts>;

/** Makes the parts in an order in which each gets only parts that are there. */
function makeParts(options: FabricOptions, limits: ChannelLimits) {
  const { stores, controllerId, controllers, keySources } = options;
  const lines = new RouterLog(options);
  const { log, noteFailure } = lines;
  const registry = new ChannelRegistry(limits.probeMs);
  const traffic = new Traffic({ stores, channels: registry, log, noteFailure });
  const presence = new PresenceWriter({
    store: stores.routerChannels,
    hostId: options.newId(),
    controllerId,
    log: options.log,
  });
  const routers = new ConnectedRouters(presence);
  const models = new RouterModels({ stores, keySources, listener: traffic.tunnels, noteFailure });
  const sessionSync = new SessionSync({
    view: stores.routerSync,
    tokenOf: options.apiSessionToken,
    timeoutSeconds: options.sessionTimeoutSeconds,
    onStatus: (channel, syncStatus) => {
      routers.update(channel, { syncStatus });
    },
    noteFailure,
  });
  const { renewedMs } = limits;
  const shared = { registry, routers, controllers, sessionSync, models, peers: new RouterPeers(), traffic };
  const lifecycle = new RouterLifecycle({ ...shared, log, renewedMs });
  const checks = new RouterChecks<KnownRouter>({
    read: (ids) => stores.routerSync.routers(ids),
    isOurs: (id) =>
      registry.get(id) !== undefined || shared.peers.awaits(id) || traffic.circuits.ofRouter(id).length > 0,
    ours: () => [...[...registry.all()].map(({ routerId }) => routerId), ...shared.peers.away],
    onRead: (id, router) => {
      lifecycle.reread(id, router);
    },
  });
  const events = new FabricEvents({ channels: registry, controllers, traffic, models, sessionSync, checks });
  return { ...shared, lines, presence, lifecycle, checks, events };
}

function makeAcceptor(options: FabricOptions, limits: ChannelLimits, parts: Parts): Acceptor {
  const { stores, controllers } = options;
  const { registry, lines, lifecycle, checks } = parts;
  const { noteFailure } = lines;
  return new Acceptor({
    routers: stores.routerSync,
    verify: options.verify,
    verifications: new YieldQueue({ waiting: MAX_WAITING_CHECKS }),
    refusals: { log: options.log, noteFailure },
    lines,
    registry,
    table: makeTable(options, limits, parts),
    limits,
    ownId: () => controllers.ownId(),
    onOpen: (channel, router) => {
      lifecycle.opened(channel, router);
      // The router may have changed since it was let in.
      checks.schedule(router.id);
    },
    onClose: (channel, reason) => {
      lifecycle.closed(channel, reason);
    },
  });
}

function makeTable(options: FabricOptions, { wholeStateMs }: ChannelLimits, parts: Parts): MessageTable {
  const { traffic, lines } = parts;
  return messageTable({
    stores: options.stores,
    controllers: options.controllers,
    apiSessions: options.apiSessions,
    sessionsSeen: options.sessionsSeen,
    log: lines.log,
    noteFailure: lines.noteFailure,
    routers: parts.routers,
    models: parts.models,
    modelStates: new Spacing(wholeStateMs),
    sessionSync: parts.sessionSync,
    sessionStates: new Spacing(wholeStateMs),
    circuits: traffic.circuits,
    connected: traffic.connected,
    dials: traffic.dials,
    flights: traffic.flights,
    limits: traffic.limits,
    memory: traffic.memory,
    sessions: traffic.sessions,
    links: traffic.links,
    moves: traffic.moves,
    tunnels: traffic.tunnels,
    validation: traffic.validation,
  });
}

async function closeAll(acceptor: Acceptor, parts: Parts): Promise<void> {
  const { registry, lines, presence, events, sessionSync, checks, models, traffic } = parts;
  events.close();
  acceptor.close();
  sessionSync.close();
  for (const channel of [...registry.all()]) channel.close('the controller stops');
  await checks.close();
  await models.close();
  await traffic.close();
  await presence.close();
  lines.close();
}
