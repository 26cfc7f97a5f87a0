/**
 * The circuits that this controller made or took over and that still stand, in memory. One that stands for a second is
 * written for others to see; when this controller is gone, one of them goes on with it (other-circuits.ts).
 */
import { create } from '@bufbuild/protobuf';
import type { CircuitRow } from '../../db/stores/circuits.js';
import type { CircuitEnds } from '../../domain/fabric/circuit.js';
import type { Path } from '../../domain/fabric/path.js';
import type { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import { UnrouteSchema } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import type { ConnectedChannels } from '../channel/channel.js';
import { PartIndex } from './part-index.js';

export interface Circuit {
  readonly id: string;
  readonly createdAtMs: number;
  readonly path: Path;
  readonly ends: CircuitEnds;
  readonly serviceId: string;
  /** The identity that dialed. */
  readonly clientId: string;
  /** 0 for any time. */
  readonly maxIdleMs: number;
  /** Session of the client that dialed; null when its router did so by itself. */
  readonly sessionId: string | null;
  readonly terminatorId: string;
  /** Session of the host; null when its router hosts it by itself, or an administrator made the terminator. */
  readonly hostSessionId: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** Both ends report the end of a circuit, milliseconds apart. */
const MOST_ENDED = 10_000;

/** @param now  drop what is on its way; else it may still arrive */
export const unrouteMessage = (circuitId: string, now: boolean): Message =>
  typedMessage(ContentType.Unroute, UnrouteSchema, create(UnrouteSchema, { circuitId, now }));

/**
 * Lets routers forget a circuit, but those that it still leads over.
 * @param options.now  of `unrouteMessage`
 */
export function unroute(
  circuitId: string,
  routerIds: Iterable<string>,
  channels: Pick<ConnectedChannels, 'get'>,
  { now = true, kept = [] }: { readonly now?: boolean; readonly kept?: readonly string[] } = {},
): void {
  const message = unrouteMessage(circuitId, now);
  for (const id of routerIds) if (!kept.includes(id)) channels.get(id)?.send(message);
}

export class Circuits {
  readonly #byId = new Map<string, Circuit>();
  readonly #byRouter = new PartIndex<Circuit>(({ path }) => path.routerIds);
  readonly #byLink = new PartIndex<Circuit>(({ path }) => path.linkIds);
  /** Circuits by session of either end. */
  readonly #bySession = new PartIndex<Circuit>(({ sessionId, hostSessionId }) => present(sessionId, hostSessionId));
  readonly #indexes = [this.#byRouter, this.#byLink, this.#bySession];
  /** Ids of the circuits that ended last, and of those before them. */
  #ended = new Set<string>();
  #endedBefore = new Set<string>();
  /** Ids of circuits that are being led over another path. */
  readonly #moving = new Set<string>();

  constructor(
    private readonly channels: Pick<ConnectedChannels, 'get'>,
    private readonly costs: TerminatorCosts,
    /** Called when a circuit came, is on another path or is gone. */
    private readonly onChanged: (circuitId: string) => void,
  ) {}

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Circuit | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<Circuit> {
    return this.#byId.values();
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** The circuit as all controllers are shown it; undefined when it is not known. */
  rowOf(id: string): CircuitRow | undefined {
    const circuit = this.#byId.get(id);
    if (circuit === undefined) return undefined;
    const { path, createdAtMs, serviceId, terminatorId, clientId, sessionId, ...rest } = circuit;
    const { ends, maxIdleMs, hostSessionId, tags } = rest;
    const details = { ends, maxIdleMs, hostSessionId, tags };
    return { id, createdAt: new Date(createdAtMs), serviceId, terminatorId, clientId, sessionId, ...path, details };
  }

  /** Goes on with the circuit of a controller that is gone. False when it is known already. */
  takeOver({ createdAt, routerIds, linkIds, cost, details, ...rest }: CircuitRow): boolean {
    if (this.#byId.has(rest.id)) return false;
    this.costs.dialSucceeded(rest.terminatorId);
    this.add({ ...rest, ...details, createdAtMs: createdAt.getTime(), path: { routerIds, linkIds, cost } });
    return true;
  }

  /** Forgets a circuit that another controller has taken over. */
  taken(id: string): void {
    const circuit = this.#byId.get(id);
    if (circuit !== undefined) this.forget(circuit);
  }

  /** It stood here a moment ago: what routers report of it is late, and is ignored. */
  hasEnded(id: string): boolean {
    return this.#ended.has(id) || this.#endedBefore.has(id);
  }

  add(circuit: Circuit): void {
    this.#byId.set(circuit.id, circuit);
    for (const index of this.#indexes) index.add(circuit);
    this.onChanged(circuit.id);
  }

  ofRouter(routerId: string): Circuit[] {
    return this.#byRouter.of(routerId);
  }

  /** Circuits whose path leads over a link. */
  ofLink(linkId: string): Circuit[] {
    return this.#byLink.of(linkId);
  }

  /** Circuits that a session dialed or hosts. */
  ofSession(sessionId: string): Circuit[] {
    return this.#bySession.of(sessionId);
  }

  /** Tells every router of its path, and forgets it. */
  end(circuit: Circuit, now: boolean): void {
    if (this.forget(circuit)) unroute(circuit.id, circuit.path.routerIds, this.channels, { now });
  }

  /** Reserves the circuit for a move to another path: call `moved` at the end. False when it is reserved already. */
  beginMove(id: string): boolean {
    if (this.#moving.has(id)) return false;
    this.#moving.add(id);
    return true;
  }

  moved(id: string): void {
    this.#moving.delete(id);
  }

  /** Puts the circuit on another path. */
  replace(circuit: Circuit, path: Path): Circuit {
    const next = { ...circuit, path };
    this.#remove(circuit);
    this.add(next);
    return next;
  }

  /** Forgets it without a word to routers. False when it was forgotten already. */
  forget(circuit: Circuit): boolean {
    if (!this.#remove(circuit)) return false;
    this.costs.circuitEnded(circuit.terminatorId);
    return true;
  }

  #remove(circuit: Circuit): boolean {
    if (this.#byId.get(circuit.id) !== circuit) return false;
    this.#byId.delete(circuit.id);
    this.onChanged(circuit.id);
    if (this.#ended.size >= MOST_ENDED) [this.#ended, this.#endedBefore] = [new Set(), this.#ended];
    this.#ended.add(circuit.id);
    for (const index of this.#indexes) index.remove(circuit);
    return true;
  }
}

const present = (...ids: readonly (string | null)[]) => ids.filter((id) => id !== null);
