/**
 * The state of all traffic together: circuits, terminators, sessions in use. It is told which routers come and go, and
 * ends what they leave behind.
 */
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { Stores } from '../../db/stores/stores.js';
import type { PathRouter } from '../../domain/fabric/paths.js';
import { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import type { ConnectedChannels, RouterChannel } from '../channel/channel.js';
import type { FailureLog } from '../channel/router-log.js';
import { KnownLinks } from '../links/links.js';
import { Usage } from '../usage/usage.js';
import { Topology } from '../links/topology.js';
import { AccessRounds } from './access-rounds.js';
import { Circuits } from './circuits.js';
import type { Circuit } from './circuits.js';
import { ConnectedIdentities } from './connected-identities.js';
import { DialMemory } from './dial-memory.js';
import { Dials } from './dials.js';
import { Flights } from './flights.js';
import { Moves } from './moves.js';
import { OtherCircuits } from './other-circuits.js';
import { LimitsByRouter } from './router-limits.js';
import { SessionWatch } from './session-watch.js';
import { SmartReroute } from './smart-reroute.js';
import { TerminatorValidation } from './terminator-validation.js';
import { TunnelWatch, isTunneledTo } from './tunnel-watch.js';

/** A router as far as traffic is concerned. */
type TrafficRouter = PathRouter & Pick<KnownRouter, 'isQuiesced' | 'isHosting'>;

export interface TrafficOptions extends FailureLog {
  readonly onCircuitTaken: (id: string) => void;
  /** This process, as a host of channels. */
  readonly hostId: string;
  readonly stores: Stores;
  readonly channels: ConnectedChannels;
  /** Called with ids of what all controllers are shown, when it has changed. */
  readonly onLinkChanged: (linkId: string) => void;
  readonly onCircuitChanged: (circuitId: string) => void;
  readonly onCostChanged: (terminatorId: string) => void;
  readonly onIdentityChanged: (identityId: string) => void;
}

const VALIDATE_EVERY_MS = 5_000;
const CREDIT_EVERY_MS = 60_000;
/** A router that does not come back by then has lost its circuits, or asks about them when they are idle. */
const FORGET_CIRCUITS_MS = 5 * 60_000;

const now = () => performance.now();

export class Traffic {
  readonly costs: TerminatorCosts;
  readonly topology = new Topology();
  readonly memory = new DialMemory(now);
  readonly circuits: Circuits;
  readonly links: KnownLinks;
  /** Circuits that other controllers have, or had. */
  readonly others: OtherCircuits;
  readonly moves: Moves;
  readonly smartReroute: SmartReroute;
  readonly flights: Flights;
  readonly sessions: SessionWatch;
  readonly validation: TerminatorValidation;
  readonly tunnels: TunnelWatch;
  readonly connected: ConnectedIdentities;
  readonly limits: LimitsByRouter;
  readonly dials: Dials;
  readonly usage: Usage;
  readonly #options: TrafficOptions;
  /** Times at which routers connected that were not read since. */
  readonly #unread = new WeakMap<RouterChannel, number>();
  /** Times at which routers went, by id. */
  readonly #absent = new Map<string, number>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(options: TrafficOptions) {
    const { stores, channels, log, noteFailure, hostId, onLinkChanged, onCircuitChanged, onCostChanged } = options;
    const rounds = new AccessRounds();
    this.#options = options;
    this.costs = new TerminatorCosts(now, onCostChanged);
    this.circuits = new Circuits(channels, this.costs, onCircuitChanged);
    this.others = new OtherCircuits({
      ...options,
      store: stores.circuits,
      circuits: this.circuits,
      onTaken: options.onCircuitTaken,
    });
    this.moves = new Moves({ circuits: this.circuits, topology: this.topology, channels, noteFailure });
    this.links = new KnownLinks({
      topology: this.topology,
      channels,
      onLost: (linkId) => {
        this.moves.linkLost(linkId);
      },
      onChanged: onLinkChanged,
      log,
    });
    this.flights = new Flights(rounds);
    this.sessions = new SessionWatch({ stores, channels, circuits: this.circuits, flights: this.flights, noteFailure });
    this.validation = new TerminatorValidation(stores.hostedTerminators, now, this.sessions);
    this.tunnels = new TunnelWatch({ stores, circuits: this.circuits, validation: this.validation, rounds });
    const isRouter = (id: string) => channels.get(id) !== undefined;
    this.connected = new ConnectedIdentities(now, isRouter, options.onIdentityChanged);
    this.limits = new LimitsByRouter(stores, this.memory);
    const { circuits, costs, flights, limits, memory, moves, sessions, topology, tunnels } = this;
    const parts = { circuits, costs, flights, limits, memory, moves, sessions, topology, tunnels };
    this.smartReroute = new SmartReroute({ circuits, topology, moves });
    this.usage = new Usage({ store: stores.usage, noteFailure });
    this.dials = new Dials({ ...parts, usage: this.usage, channels, stores, hostId, log, noteFailure });
    this.#timers = this.#startTimers();
  }

  /** Takes up a router whose hello was accepted. */
  routerConnected(channel: RouterChannel, router: TrafficRouter): void {
    this.#absent.delete(channel.routerId);
    this.connected.routerConnected(channel.routerId);
    this.validation.routerConnected(channel);
    this.#unread.set(channel, now());
    this.#routerChanged(router);
    this.#watchStanding(channel);
  }

  /**
   * Takes over a connected router that was read again. The first read that began since it connected says whether
   * anything is stored that it hosted before.
   */
  routerRead(channel: RouterChannel, router: TrafficRouter, begunMs: number): void {
    this.#routerChanged(router);
    if (begunMs < (this.#unread.get(channel) ?? Infinity)) return;
    this.#unread.delete(channel);
    if (router.isHosting) this.#validate(channel);
    else this.tunnels.hostsNothing(channel);
  }

  /**
   * Goes on with what controllers that are gone have left: circuits over routers that are connected here.
   * @throws DomainError when the database refuses
   */
  async takeOver(): Promise<void> {
    const { channels, log } = this.#options;
    const taken = await this.others.takeOver([...channels.all()].map(({ routerId }) => routerId));
    if (taken.length === 0) return;
    log.info({ circuits: taken.length }, 'circuits of a controller that is gone were taken over');
    for (const routerId of new Set(taken.flatMap(({ routerIds }) => routerIds))) {
      const channel = channels.get(routerId);
      if (channel !== undefined) this.#watchStanding(channel);
    }
  }

  /** Takes note that a controller which may have asked about these routers' terminators is gone. */
  checkHosts(routerIds: readonly string[]): void {
    for (const routerId of routerIds) {
      const channel = this.#options.channels.get(routerId);
      if (channel !== undefined) this.#validate(channel);
    }
  }

  /**
   * Ends the circuits that begin or end at a router which may not be connected any more, at their other ends too; those
   * that pass it are led around it.
   */
  routerBarred(routerId: string): void {
    this.topology.removeRouter(routerId);
    for (const circuit of this.#passing(routerId)) this.moves.move(circuit);
    for (const circuit of this.circuits.ofRouter(routerId))
      if (isEnd(circuit, routerId)) this.circuits.end(circuit, true);
    this.links.forgetRouter(routerId);
  }

  /** Takes note that the channel of a router is closed. */
  routerLost(channel: RouterChannel): void {
    const { routerId } = channel;
    this.validation.routerLost(channel);
    this.topology.removeRouter(routerId);
    this.sessions.forgetRouter(routerId);
    this.connected.routerLost(routerId);
    this.#absent.set(routerId, now());
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.smartReroute.close();
    await this.sessions.close();
    await this.others.close();
    await this.usage.close();
  }

  /** Takes over what paths depend on. A router that is to be emptied keeps what begins or ends there. */
  #routerChanged({ id, cost, noTraversal, isQuiesced }: TrafficRouter): void {
    this.topology.setRouter({ id, cost, noTraversal: noTraversal || isQuiesced });
    if (isQuiesced) for (const circuit of this.#passing(id)) this.moves.move(circuit, { isOptional: true });
  }

  #validate(channel: RouterChannel): void {
    this.validation.doubtStored(channel).catch((error: unknown) => {
      const text = 'the terminators of a router could not be read to validate them';
      this.#options.noteFailure(error, { routerId: channel.routerId }, text);
    });
  }

  /** Circuits that neither begin nor end there. */
  #passing(routerId: string): Circuit[] {
    return this.circuits.ofRouter(routerId).filter((circuit) => !isEnd(circuit, routerId));
  }

  #startTimers(): NodeJS.Timeout[] {
    const timers = [
      setInterval(() => {
        this.validation.askAll();
      }, VALIDATE_EVERY_MS),
      setInterval(() => {
        this.costs.credit();
        this.connected.forgetOld();
        this.#forgetAbsent();
      }, CREDIT_EVERY_MS),
    ];
    for (const timer of timers) timer.unref();
    return timers;
  }

  #forgetAbsent(): void {
    for (const [routerId, sinceMs] of this.#absent) {
      if (now() - sinceMs < FORGET_CIRCUITS_MS) continue;
      this.#absent.delete(routerId);
      this.routerBarred(routerId);
    }
  }

  /** Watches the circuits that stand over the router: what was lost while it was away is asked about. */
  #watchStanding(channel: RouterChannel): void {
    const { routerId } = channel;
    const sessionIds = new Set<string>();
    for (const circuit of this.circuits.ofRouter(routerId)) {
      const { path, sessionId, hostSessionId, serviceId } = circuit;
      if (path.routerIds[0] === routerId && sessionId !== null) sessionIds.add(sessionId);
      if (path.routerIds[0] === routerId && sessionId === null) this.tunnels.use(channel, 'Dial', serviceId);
      if (path.routerIds.at(-1) === routerId && hostSessionId !== null) sessionIds.add(hostSessionId);
      if (isTunneledTo(circuit, routerId)) this.tunnels.use(channel, 'Bind', serviceId);
    }
    void this.sessions.named(routerId, [...sessionIds]);
  }
}

const isEnd = ({ path: { routerIds } }: Circuit, routerId: string): boolean =>
  routerIds[0] === routerId || routerIds.at(-1) === routerId;
