/**
 * A circuit: the way of one connection over routers. What each router of a path is told to forward, and which answers
 * of routers make an attempt to build it succeed or fail. Knows no messages and no clock.
 */
import type { Path } from './paths.js';

/** Where a router sends what comes from the other side: to its own client, its own host, or a link. */
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

/** What became of one attempt to build a circuit. */
export type AttemptState =
  | { readonly phase: 'waiting'; readonly pending: readonly string[]; readonly built: readonly string[] }
  | { readonly phase: 'built'; readonly built: readonly string[] }
  | { readonly phase: 'failed'; readonly routerId: string; readonly built: readonly string[] };

/** An answer of a router, or that there will be none (`lost`: timeout, or its channel closed). */
export interface RouterAnswer {
  readonly routerId: string;
  readonly result: 'succeeded' | 'failed' | 'lost';
}

export const startAttempt = ({ routerIds }: Path): AttemptState => ({
  phase: 'waiting',
  pending: [...routerIds],
  built: [],
});

/**
 * The first failure decides. Answers that come later still count for `built`: such routers have to be told to forget
 * the circuit. An answer of a router that was not asked, or a second one, changes nothing.
 */
export function afterAnswer(state: AttemptState, { routerId, result }: RouterAnswer): AttemptState {
  if (state.phase === 'failed') {
    const isNews = result === 'succeeded' && !state.built.includes(routerId);
    return isNews ? { ...state, built: [...state.built, routerId] } : state;
  }
  if (state.phase === 'built' || !state.pending.includes(routerId)) return state;
  if (result !== 'succeeded') return { phase: 'failed', routerId, built: state.built };
  const pending = state.pending.filter((id) => id !== routerId);
  const built = [...state.built, routerId];
  return pending.length === 0 ? { phase: 'built', built } : { phase: 'waiting', pending, built };
}
