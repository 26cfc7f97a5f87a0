/**
 * Circuits that stand and are led over a cheaper path although theirs holds: few in each round, since each move costs
 * its routers messages and may put what is on its way out of order.
 */
import type { Path } from './path.js';

/** Share of the circuits that move in a round, and how many at most. */
const SHARE = 0.02;
const MOST = 4;
/** A path must be cheaper by so much. */
const LEAST_GAIN = 15;

/** How many of so many circuits may move in one round. */
export const mostToMove = (circuits: number): number => Math.max(1, Math.min(MOST, Math.floor(circuits * SHARE)));

/** Chooses the dearest of those that gain enough. */
export class CheaperPaths<C extends { readonly path: Path }> {
  readonly #most: number;
  #chosen: { readonly circuit: C; readonly cost: number }[] = [];

  /** @param circuits  how many there are */
  constructor(circuits: number) {
    this.#most = mostToMove(circuits);
  }

  /**
   * Looks at one circuit.
   * @param cost  of its path, as it is now; undefined when a part of that is gone
   * @param best  the cheapest path between the same two routers
   */
  consider(circuit: C, cost: number | undefined, best: Path | undefined): void {
    if (cost === undefined || best === undefined || cost - best.cost < LEAST_GAIN) return;
    if (isSame(circuit.path, best)) return;
    const place = this.#chosen.findIndex((other) => other.cost < cost);
    if (place < 0 && this.#chosen.length >= this.#most) return;
    this.#chosen.splice(place < 0 ? this.#chosen.length : place, 0, { circuit, cost });
    this.#chosen = this.#chosen.slice(0, this.#most);
  }

  /** Returns those to move, the dearest first. */
  get chosen(): readonly C[] {
    return this.#chosen.map(({ circuit }) => circuit);
  }
}

const isSame = (a: Path, b: Path): boolean =>
  a.linkIds.length === b.linkIds.length && a.linkIds.every((id, index) => id === b.linkIds[index]);
