/** Terminators of one service, and the one that a dial goes to. */
import type { Strategy } from '../../domain/fabric/terminator-choice.js';

export interface ChoiceCase {
  readonly name: string;
  readonly strategy: Strategy;
  /** `id precedence cost dynamicCost pathCost`, one a line; precedence by its first letter. */
  readonly candidates: readonly string[];
  readonly sticky?: string;
  /** What the random source answers. */
  readonly random?: number;
  readonly chosen: string | null;
}

export const choiceCases: readonly ChoiceCase[] = [
  { name: 'nobody hosts', strategy: 'smartrouting', candidates: [], chosen: null },
  { name: 'one', strategy: 'smartrouting', candidates: ['a d 0 0 0'], chosen: 'a' },
  { name: 'the cheapest', strategy: 'smartrouting', candidates: ['a d 5 0 0', 'b d 1 0 0'], chosen: 'b' },
  { name: 'what is open counts', strategy: 'smartrouting', candidates: ['a d 1 6 0', 'b d 3 0 0'], chosen: 'b' },
  { name: 'the path counts', strategy: 'smartrouting', candidates: ['a d 0 0 11', 'b d 10 0 0'], chosen: 'b' },
  { name: 'the smaller id of equals', strategy: 'smartrouting', candidates: ['b d 1 0 0', 'a d 1 0 0'], chosen: 'a' },
  {
    name: 'required before any default, however dear',
    strategy: 'smartrouting',
    candidates: ['a d 0 0 0', 'b r 65535 65535 1048576'],
    chosen: 'b',
  },
  {
    name: 'default before failed, however dear',
    strategy: 'smartrouting',
    candidates: ['a f 0 0 0', 'b d 65535 65535 1048576'],
    chosen: 'b',
  },
  { name: 'failed when there is no other', strategy: 'smartrouting', candidates: ['a f 9 0 0'], chosen: 'a' },
  {
    name: 'random: the first part',
    strategy: 'random',
    candidates: ['a d 0 0 0', 'b d 900 0 0'],
    random: 0.49,
    chosen: 'a',
  },
  {
    name: 'random: the second part',
    strategy: 'random',
    candidates: ['a d 0 0 0', 'b d 900 0 0'],
    random: 0.5,
    chosen: 'b',
  },
  {
    name: 'random: never of a lower precedence',
    strategy: 'random',
    candidates: ['a r 0 0 0', 'b d 0 0 0'],
    random: 0.99,
    chosen: 'a',
  },
  { name: 'weighted: one', strategy: 'weighted', candidates: ['a d 7 0 0'], random: 0.5, chosen: 'a' },
  {
    name: 'weighted: nine of ten to the cheaper',
    strategy: 'weighted',
    candidates: ['a d 10 0 0', 'b d 90 0 0'],
    random: 0.89,
    chosen: 'a',
  },
  {
    name: 'weighted: one of ten to the dearer',
    strategy: 'weighted',
    candidates: ['a d 10 0 0', 'b d 90 0 0'],
    random: 0.91,
    chosen: 'b',
  },
  {
    name: 'weighted: costs of zero count as one',
    strategy: 'weighted',
    candidates: ['a d 0 0 0', 'b d 0 0 0'],
    random: 0.51,
    chosen: 'b',
  },
  {
    name: 'weighted: never of a lower precedence',
    strategy: 'weighted',
    candidates: ['a d 900 0 0', 'b f 0 0 0'],
    random: 0.99,
    chosen: 'a',
  },
  {
    name: 'sticky: the one before',
    strategy: 'sticky',
    candidates: ['a d 0 0 0', 'b d 9 0 0'],
    sticky: 'b',
    chosen: 'b',
  },
  { name: 'sticky: at first the cheapest', strategy: 'sticky', candidates: ['a d 1 0 0', 'b d 0 0 0'], chosen: 'b' },
  {
    name: 'sticky: another when the one before is gone',
    strategy: 'sticky',
    candidates: ['a d 1 0 0', 'b d 0 0 0'],
    sticky: 'c',
    chosen: 'b',
  },
  {
    name: 'sticky: not the one before when a better precedence has come',
    strategy: 'sticky',
    candidates: ['a d 0 0 0', 'b f 0 0 0'],
    sticky: 'b',
    chosen: 'a',
  },
];
