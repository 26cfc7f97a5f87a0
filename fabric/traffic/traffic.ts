/**
 * What carries traffic, of all routers together: circuits, terminators, sessions in use. Built once; fabric.ts tells it
 * which routers come and go and which sessions end.
 */
import type { Stores } from '../../db/stores/stores.js';
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import type { PathRouter } from '../../domain/fabric/paths.js';
import { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import type { RouterChannel } from '../channel/channel.js';
import { Circuits } from './circuits.js';
import { ConnectedIdentities } from './connected-identities.js';
import { DialMemory } from './dial-memory.js';
import { Flights } from './flights.js';
import type { ChannelRegistry, FabricServices } from '../services.js';
import { Removals } from './removals.js';
import { SessionWatch } from './session-watch.js';
import { TerminatorValidation } from './terminator-validation.js';
import { Topology } from './topology.js';
import { TunnelWatch, isTunneledTo } from './tunnel-watch.js';

/** What one router may have us do at a time: a flood of one is no other's business. */
export interface RouterGates {
  readonly circuits: ConcurrencyLimit;
  readonly terminators: ConcurrencyLimit;
  /** By id: terminators that are being made. What removes one waits for it. */
  readonly making: Map<string, Promise<unknown>>;
  /** Of requests for them that are not answered yet. */
  makingBytes: number;
  readonly removals: Removals;
}

export interface Traffic {
  readonly circuits: Circuits;
  readonly costs: TerminatorCosts;
  readonly flights: Flights;
  readonly sessions: SessionWatch;
  readonly tunnels: TunnelWatch;
  readonly topology: Topology;
  readonly validation: TerminatorValidation;
  readonly connected: ConnectedIdentities;
  readonly memory: DialMemory;
  gatesOf(channel: RouterChannel): RouterGates;
  /** Its hello was accepted. */
  routerConnected(channel: RouterChannel, router: PathRouter): void;
  /** What paths depend on. */
  routerChanged(router: PathRouter): void;
  /** It may not be connected any more: its circuits end at their other ends too. */
  routerBarred(routerId: string): void;
  /** Its channel is closed. */
  routerLost(channel: RouterChannel): void;
  close(): Promise<void>;
}

export interface TrafficOptions {
  readonly stores: Stores;
  readonly channels: ChannelRegistry;
  readonly noteFailure: FabricServices['noteFailure'];
}

const CIRCUIT_GATE = { concurrent: 64, waiting: 2_000 };
const TERMINATOR_GATE = { concurrent: 4, waiting: 5_000 };
const VALIDATE_EVERY_MS = 5_000;
const CREDIT_EVERY_MS = 60_000;
/** A router that does not come back by then has lost its circuits, or asks about them when they are idle. */
const FORGET_CIRCUITS_MS = 5 * 60_000;

export function createTraffic({ stores, channels, noteFailure }: TrafficOptions): Traffic {
  const now = () => performance.now();
  const costs = new TerminatorCosts(now);
  const circuits = new Circuits(channels, costs);
  const flights: Flights = new Flights(() => tunnels.now());
  const sessions = new SessionWatch({ stores, channels, circuits, flights, noteFailure });
  const validation = new TerminatorValidation(stores.hostedTerminators, now, ({ routerId }, sessionIds) => {
    void sessions.named(routerId, sessionIds);
  });
  const tunnels = new TunnelWatch({
    stores,
    circuits,
    onRemoved: (channel, ids) => {
      validation.removed(channel, ids);
    },
  });
  const topology = new Topology();
  const connected = new ConnectedIdentities(now, (id) => channels.get(id) !== undefined);
  const memory = new DialMemory(now);
  const setRouter = ({ id, cost, noTraversal }: PathRouter) => {
    topology.setRouter({ id, cost, noTraversal });
  };
  const gates = new WeakMap<RouterChannel, RouterGates>();
  const absent = new Map<string, number>();
  const forgetAbsent = () => {
    for (const [routerId, sinceMs] of absent) {
      if (now() - sinceMs < FORGET_CIRCUITS_MS) continue;
      absent.delete(routerId);
      for (const circuit of circuits.ofRouter(routerId)) circuits.end(circuit, true);
    }
  };
  /** What was lost while the router was away is asked about, whatever it says itself. */
  const watchStanding = (channel: RouterChannel) => {
    const { routerId } = channel;
    const sessionIds = new Set<string>();
    for (const circuit of circuits.ofRouter(routerId)) {
      const { path, sessionId, hostSessionId, serviceId } = circuit;
      if (path.routerIds[0] === routerId && sessionId !== null) sessionIds.add(sessionId);
      if (path.routerIds[0] === routerId && sessionId === null) tunnels.use(channel, 'Dial', serviceId);
      if (path.routerIds.at(-1) === routerId && hostSessionId !== null) sessionIds.add(hostSessionId);
      if (isTunneledTo(circuit, routerId)) tunnels.use(channel, 'Bind', serviceId);
    }
    void sessions.named(routerId, [...sessionIds]);
  };
  const timers = [
    setInterval(() => {
      validation.askAll();
    }, VALIDATE_EVERY_MS),
    setInterval(() => {
      costs.credit();
      connected.forgetOld();
      forgetAbsent();
    }, CREDIT_EVERY_MS),
  ];
  timers.forEach((timer) => timer.unref());
  return {
    circuits,
    costs,
    flights,
    sessions,
    tunnels,
    topology,
    validation,
    connected,
    memory,
    gatesOf(channel) {
      const known = gates.get(channel);
      if (known !== undefined) return known;
      const made: RouterGates = {
        circuits: new ConcurrencyLimit(CIRCUIT_GATE),
        terminators: new ConcurrencyLimit(TERMINATOR_GATE),
        making: new Map(),
        makingBytes: 0,
        removals: new Removals(async (ids) => {
          const removed = await stores.hostedTerminators.remove(ids, channel.routerId);
          if (removed.length > 0) memory.forgetTargets(undefined);
        }),
      };
      gates.set(channel, made);
      return made;
    },
    routerConnected(channel, router) {
      absent.delete(channel.routerId);
      setRouter(router);
      watchStanding(channel);
      validation.routerConnected(channel).catch((error: unknown) => {
        noteFailure(
          error,
          { routerId: channel.routerId },
          'the terminators of a router could not be read to validate them',
        );
      });
    },
    routerChanged: setRouter,
    routerBarred(routerId) {
      for (const circuit of circuits.ofRouter(routerId)) circuits.end(circuit, true);
    },
    routerLost(channel) {
      validation.routerLost(channel);
      topology.removeRouter(channel.routerId);
      sessions.forgetRouter(channel.routerId);
      connected.routerLost(channel.routerId);
      absent.set(channel.routerId, now());
    },
    async close() {
      timers.forEach((timer) => {
        clearInterval(timer);
      });
      await sessions.close();
    },
  };
}
