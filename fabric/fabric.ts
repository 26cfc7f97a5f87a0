/**
 * The control channel of one process, put together: who is let in, what routers are told when they connect and when
 * something changes, and what all controllers can read of it. docs/control-channel.md describes it.
 */
import type { TrafficFeed } from '../domain/fabric/traffic-feed.js';
import type { EdgeConnection } from '../domain/router.js';
import { GatheredReads } from '../domain/scheduling/gathered-reads.js';
import { YieldQueue } from '../domain/scheduling/yield-queue.js';
import { Acceptor } from './channel/acceptor.js';
import type { IncomingConnection } from './channel/acceptor.js';
import type { MessageTable } from './channel/channel.js';
import { LIMITS } from './channel/limits.js';
import type { ChannelLimits } from './channel/limits.js';
import { Spacing } from './channel/spacing.js';
import type { FabricEvents } from './fabric-events.js';
import { messageTable } from './messages/index.js';
import type { ModelDifference } from './model/model-check.js';
import type { DialCounts } from './traffic/dials.js';
import type { RouterTotals } from './usage/usage.js';
import type { FabricOptions } from './fabric-options.js';
import { makeParts, modelCheck } from './fabric-parts.js';
import type { FabricParts } from './fabric-parts.js';

export interface FabricCounts {
  /** Routers whose channel this process holds. */
  readonly connected: number;
  /** Connected routers that have all they must know. */
  readonly inSync: number;
  readonly circuits: number;
  readonly dials: DialCounts;
  /** Counts of 200 routers at most, by id. */
  readonly routers: ReadonlyMap<string, RouterTotals>;
  /** Milliseconds that the dialing end measured, by id of the link, of 200 at most. */
  readonly linkLatencies: ReadonlyMap<string, number>;
}

export interface Fabric {
  /** Takes over a connection of a router, after its handshake. */
  accept(connection: IncomingConnection): void;
  /** Takes the changes of this controller and others. */
  readonly events: FabricEvents;
  /** Knows which identities are connected to routers. */
  readonly edgeConnections: { of(identityId: string): EdgeConnection };
  /** See `RouterModels.check`; undefined also for a router that is not connected here. */
  readonly checkModel: (routerId: string) => Promise<readonly ModelDifference[] | undefined>;
  /** Brings what routers that are connected here report. */
  readonly trafficFeed: TrafficFeed;
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
  const { traffic, routers, events, models, registry } = parts;
  let closing: Promise<void> | undefined;
  return {
    accept: (connection) => {
      acceptor.accept(connection);
    },
    events,
    edgeConnections: { of: (id) => connectionOf(id, parts) },
    trafficFeed: traffic.usage.feed,
    checkModel: (routerId) => modelCheck(routerId, registry, models),
    counts: () => ({
      ...routers.counts,
      circuits: traffic.circuits.size,
      dials: traffic.dials.counts,
      routers: traffic.usage.routers,
      linkLatencies: traffic.links.latencies(MOST_LINKS_MEASURED),
    }),
    close: () => (closing ??= closeAll(acceptor, parts)),
  };
}

/** State of an identity at the routers of all processes. */
function connectionOf(identityId: string, { traffic, elsewhere }: FabricParts): EdgeConnection {
  const here = traffic.connected.of(identityId);
  if (here === 'online') return here;
  const there = elsewhere.of(identityId);
  return there === 'offline' ? here : there;
}

/** Links with a metric each. */
const MOST_LINKS_MEASURED = 200;

/** Time in which routers that come one after another are gathered, to be read together. */
const READS_APART_MS = 50;

function makeAcceptor(options: FabricOptions, limits: ChannelLimits, parts: FabricParts): Acceptor {
  const { stores, controllers } = options;
  const { registry, lines, lifecycle, models, standIns, checks } = parts;
  const { noteFailure } = lines;
  return new Acceptor({
    routers: new GatheredReads((ids) => stores.routerSync.routers(ids), READS_APART_MS),
    verify: options.verify,
    verifications: new YieldQueue({ waiting: MAX_WAITING_CHECKS }),
    refusals: { log: options.log, noteFailure },
    lines,
    registry,
    table: makeTable(options, limits, parts),
    standIns,
    limits,
    ownId: () => controllers.ownId(),
    onOpen: (channel, router) => {
      lifecycle.opened(channel, router);
      // The router may have changed since it was let in.
      checks.schedule(router.id);
    },
    onClose: (channel, reason) => {
      lifecycle.closed(channel, reason);
      standIns.closeOf(channel.routerId, reason);
    },
    onStandIn: (channel) => {
      models.begin(channel);
    },
    onStandInClose: (channel) => {
      models.end(channel);
    },
  });
}

function makeTable(options: FabricOptions, { wholeStateMs }: ChannelLimits, parts: FabricParts): MessageTable {
  const { traffic, lines } = parts;
  return messageTable({
    stores: options.stores,
    controllers: options.controllers,
    apiSessions: options.apiSessions,
    extensions: options.extensions,
    sessionsSeen: options.sessionsSeen,
    log: lines.log,
    noteFailure: lines.noteFailure,
    routers: parts.routers,
    models: parts.models,
    modelStates: new Spacing(wholeStateMs),
    sessionSync: parts.sessionSync,
    sessionStates: new Spacing(wholeStateMs),
    circuits: traffic.circuits,
    others: traffic.others,
    connected: traffic.connected,
    dials: traffic.dials,
    flights: traffic.flights,
    limits: traffic.limits,
    memory: traffic.memory,
    sessions: traffic.sessions,
    links: traffic.links,
    usage: traffic.usage,
    peers: parts.peers,
    listenerChanges: new Spacing(wholeStateMs),
    moves: traffic.moves,
    tunnels: traffic.tunnels,
    validation: traffic.validation,
  });
}

async function closeAll(acceptor: Acceptor, parts: FabricParts): Promise<void> {
  const { registry, lines, presence, standIns, others, elsewhere, records, linkSettings, events } = parts;
  const { sessionSync, checks, models, ends, traffic } = parts;
  events.close();
  acceptor.close();
  sessionSync.close();
  for (const channel of [...standIns.all(), ...registry.all()]) channel.close('the controller stops');
  await checks.close();
  await others.close();
  await elsewhere.close();
  await models.close();
  await ends.close();
  await traffic.close();
  await linkSettings.close();
  await records.close();
  await presence.close();
  lines.close();
}
