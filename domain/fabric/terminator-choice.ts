/**
 * Chooses the terminator of a service that a dial goes to. Precedence is stronger than any cost: each has a band of
 * its own, and a cost is capped inside its band.
 */
import type { HostingPrecedence } from '../entity.js';

export interface Candidate {
  readonly id: string;
  readonly precedence: HostingPrecedence;
  /** Cost set when it was created, 0 to 65,535. */
  readonly cost: number;
  /** Added cost of open circuits and of failed dials, 0 to 65,535 (`TerminatorCosts`). */
  readonly dynamicCost: number;
  /** Cost of the path to its router. */
  readonly pathCost: number;
}

export const STRATEGIES = ['smartrouting', 'weighted', 'random', 'sticky'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The first cost of each band, and of what follows the last. */
const BASES = { required: 0, default: 1_073_741_823, failed: 2_147_483_646 } as const;
const ENDS = { required: BASES.default - 1, default: BASES.failed - 1, failed: 3_221_225_468 } as const;

/** Within a band; `weighted` compares these. */
const plainCost = ({ cost, dynamicCost, pathCost }: Candidate): number => cost + dynamicCost + pathCost;

export const biasedCost = (candidate: Candidate): number =>
  Math.min(BASES[candidate.precedence] + plainCost(candidate), ENDS[candidate.precedence]);

export interface Choice<C extends Candidate> {
  readonly terminator: C;
  /** Token that the dialer presents to come back to this terminator; only by strategy `sticky`. */
  readonly stickyToken?: string;
}

export interface ChoiceOptions {
  readonly strategy: Strategy;
  /** Token that the dialer presented. */
  readonly stickyToken?: string | undefined;
  /** Random number of at least 0 and less than 1. */
  readonly random: () => number;
}

/** undefined when there are no candidates. */
export function chooseTerminator<C extends Candidate>(
  candidates: readonly C[],
  { strategy, stickyToken, random }: ChoiceOptions,
): Choice<C> | undefined {
  const sorted = [...candidates].sort((a, b) => biasedCost(a) - biasedCost(b) || (a.id < b.id ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) return undefined;
  const best = sorted.filter(({ precedence }) => precedence === first.precedence);
  switch (strategy) {
    case 'smartrouting':
      return { terminator: first };
    case 'random':
      return { terminator: best[Math.floor(random() * best.length)] ?? first };
    case 'weighted':
      return { terminator: byWeight(best, random()) ?? first };
    case 'sticky': {
      const terminator = best.find(({ id }) => id === stickyToken) ?? first;
      return { terminator, stickyToken: terminator.id };
    }
  }
}

/**
 * Whether one that is not among these may be cheaper than each of them: they are the best by precedence, cost and path,
 * in this order, and what dials add to costs is known only now.
 */
export function mayMissBetter(best: readonly Candidate[], strategy: Strategy): boolean {
  const [first, last] = [best[0], best.at(-1)];
  if (first === undefined || last === undefined || last.precedence !== first.precedence) return false;
  if (strategy === 'random' || strategy === 'weighted') return false;
  return Math.min(...best.map(plainCost)) > last.cost + last.pathCost;
}

/** The cheaper, the likelier: each has the part of all costs that is not its own. */
function byWeight<C extends Candidate>(candidates: readonly C[], at: number): C | undefined {
  const costs = candidates.map((candidate) => Math.max(plainCost(candidate), 1));
  const sum = costs.reduce((total, cost) => total + cost, 0);
  const weights = costs.map((cost) => 1 - cost / sum);
  const all = weights.reduce((total, weight) => total + weight, 0);
  let left = at * all;
  for (const [index, candidate] of candidates.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return candidate;
  }
  return candidates.at(-1);
}
