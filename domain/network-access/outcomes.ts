/** Outcomes of dials as numbers, and how often there is each. The words are those of an explanation. */
import type { Cause } from '../explain/explanation.js';

/** Causes that stop whoever is logged in, in the order in which a dial meets them. */
export const STOPS = [
  'IDENTITY_DISABLED',
  'POSTURE',
  'NO_COMMON_ROUTER',
  'ROUTERS_OFFLINE',
  'NO_TERMINATOR',
  'ONLY_NAMED_TERMINATORS',
  'TERMINATORS_OFFLINE',
  'NO_PATH',
] as const satisfies readonly Cause[];

export type Stop = (typeof STOPS)[number];

/** Number of an outcome: that of its cause, or one of these. */
export const ALLOWED = STOPS.length;
/** Nothing stops it that the reader may see. */
export const UNKNOWN = ALLOWED + 1;
const OUTCOMES = UNKNOWN + 1;

export const outcomeOf = (stop: Stop): number => STOPS.indexOf(stop);

export const IS_DISABLED = outcomeOf('IDENTITY_DISABLED');
export const FAILS_POSTURE = outcomeOf('POSTURE');

/** State of one pair. */
export type PairState = 'allowed' | 'disabled' | 'posture' | 'unreachable' | 'unknown';
/** State of many pairs. */
export type TallyState = PairState | 'mixed' | 'empty';
export type StateWish = PairState | 'blocked';

export function stateOfOutcome(outcome: number): PairState {
  switch (outcome) {
    case ALLOWED:
      return 'allowed';
    case UNKNOWN:
      return 'unknown';
    case IS_DISABLED:
      return 'disabled';
    case FAILS_POSTURE:
      return 'posture';
    default:
      return 'unreachable';
  }
}

export const isWished = (state: PairState, wish: StateWish): boolean =>
  wish === 'blocked' ? state !== 'allowed' && state !== 'unknown' : state === wish;

/** How many pairs have each outcome. */
export class Tally {
  readonly #pairs = new Float64Array(OUTCOMES);

  add(outcome: number, pairs: number): void {
    this.#pairs[outcome] = (this.#pairs[outcome] ?? 0) + pairs;
  }

  addAll(other: Tally): void {
    other.#pairs.forEach((pairs, outcome) => {
      this.add(outcome, pairs);
    });
  }

  get pairs(): number {
    return this.#pairs.reduce((sum, pairs) => sum + pairs, 0);
  }

  get allowed(): number {
    return this.#pairs[ALLOWED] ?? 0;
  }

  get unknown(): number {
    return this.#pairs[UNKNOWN] ?? 0;
  }

  get causes(): { readonly cause: Stop; readonly pairs: number }[] {
    return STOPS.map((cause, outcome) => ({ cause, pairs: this.#pairs[outcome] ?? 0 })).filter(
      ({ pairs }) => pairs > 0,
    );
  }

  get state(): TallyState {
    const states = new Set<PairState>();
    this.#pairs.forEach((pairs, outcome) => {
      if (pairs > 0) states.add(stateOfOutcome(outcome));
    });
    const [only = 'empty'] = states;
    return states.size > 1 ? 'mixed' : only;
  }

  hasAny(wish: StateWish): boolean {
    return this.#pairs.some((pairs, outcome) => pairs > 0 && isWished(stateOfOutcome(outcome), wish));
  }
}
