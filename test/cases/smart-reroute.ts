/** Circuits by what they cost and what the best path between their routers costs: which of them move in a round. */

export interface RerouteCase {
  readonly name: string;
  /** `now>best` for each circuit; `-` for a path that is not there, `=` at the end where the best path is its own. */
  readonly circuits: string;
  /** How many circuits there are in all, where it is more than are named. */
  readonly of?: number;
  /** Numbers of those that move, in their order. */
  readonly moves: readonly number[];
}

export const rerouteCases: readonly RerouteCase[] = [
  { name: 'none of none', circuits: '', moves: [] },
  { name: 'the only one, for a gain of 15', circuits: '115>100', moves: [0] },
  { name: 'none for a gain of 14', circuits: '114>100', moves: [] },
  { name: 'none whose best path is dearer', circuits: '100>300', moves: [] },
  { name: 'none whose best path is its own, whatever that cost before', circuits: '130>100=', moves: [] },
  { name: 'none that lacks a link: it moves by itself', circuits: '->100', moves: [] },
  { name: 'none that has no path', circuits: '100>-', moves: [] },
  { name: 'the dearest of several', circuits: '200>100 500>400 300>100', moves: [1] },
  { name: 'the dearest that gains enough', circuits: '900>890 500>400 300>100', moves: [1] },
  { name: 'the first of two that cost the same', circuits: '500>100 500>400', moves: [0] },
  { name: 'one of 99', circuits: '200>100 500>400', of: 99, moves: [1] },
  { name: 'two of 100', circuits: '200>100 500>400 300>100', of: 100, moves: [1, 2] },
  { name: 'three of 199', circuits: '200>1 500>1 300>1 400>1', of: 199, moves: [1, 3, 2] },
  {
    name: 'four of 200, in the order of what they cost',
    circuits: '1>0 40>1 20>1 50>1 30>1 60>1',
    of: 200,
    moves: [5, 3, 1, 4],
  },
  { name: 'four of a million', circuits: '20>1 30>1 40>1 50>1 60>1', of: 1_000_000, moves: [4, 3, 2, 1] },
];
