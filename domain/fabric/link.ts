/** Links and circuits as they are shown: what the processes that hold channels of routers know of them. */
import type { NamedRef } from '../model.js';

/** One of the connections that a link consists of. */
export interface LinkConnection {
  readonly type: string;
  readonly localAddress: string;
  readonly remoteAddress: string;
}

/** Settings of one link, by an operator. */
export interface LinkSettings {
  /** Cost beside that of its latency. */
  readonly staticCost: number;
  /** It carries no new paths. */
  readonly isDown: boolean;
}

export interface ShownLink extends LinkSettings {
  readonly id: string;
  /** Grows with each redial of the same link. */
  readonly iteration: number;
  readonly createdAt: Date;
  /** The router that dialed. A router that was deleted has the empty name. */
  readonly sourceRouter: NamedRef;
  readonly destRouter: NamedRef;
  readonly protocol: string;
  readonly dialAddress: string;
  /** Latency in nanoseconds, as each end measured it. */
  readonly sourceLatency: number;
  readonly destLatency: number;
  readonly cost: number;
  readonly connections: readonly LinkConnection[];
  /** A router of it is connected, and would have said that it is lost. */
  readonly isWatched: boolean;
}

export interface ShownCircuit {
  readonly id: string;
  readonly createdAt: Date;
  /** Service; its name is empty when it was deleted meanwhile. */
  readonly service: NamedRef;
  readonly terminatorId: string;
  /** The identity that dialed. */
  readonly clientId: string;
  /** null for a router that dialed by itself. */
  readonly sessionId: string | null;
  readonly apiSessionId: string | null;
  /** Routers from the entry to the exit, and the links between them. */
  readonly routers: readonly NamedRef[];
  readonly linkIds: readonly string[];
  readonly cost: number;
}
