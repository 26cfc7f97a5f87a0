/** A circuit: the way of one connection over routers. What each router of a path is told to forward. */
import type { Path } from './path.js';

/** Destination of data that a router gets from the other side: its own client, its own host, or a link. */
export type Destination = 'start' | 'end' | 'link';

export interface Forward {
  readonly from: string;
  readonly to: string;
  readonly destination: Destination;
}

export interface RouterRoute {
  readonly routerId: string;
  readonly forwards: readonly Forward[];
  /** It connects to the terminator, unless the circuit stands already. */
  readonly isTerminating: boolean;
}

/** Names of the two ends of a circuit, unique in the network. */
export interface CircuitEnds {
  readonly ingressId: string;
  readonly egressId: string;
}

/** One for each router of the path, in its order. */
export function routesOf({ routerIds, linkIds }: Path, { ingressId, egressId }: CircuitEnds): RouterRoute[] {
  return routerIds.map((routerId, index) => {
    const isFirst = index === 0;
    const isLast = index === routerIds.length - 1;
    const before = isFirst ? ingressId : (linkIds[index - 1] ?? '');
    const after = isLast ? egressId : (linkIds[index] ?? '');
    return {
      routerId,
      isTerminating: isLast,
      forwards: [
        { from: before, to: after, destination: isLast ? 'end' : 'link' },
        { from: after, to: before, destination: isFirst ? 'start' : 'link' },
      ],
    };
  });
}
