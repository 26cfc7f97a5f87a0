/** States and causes of access in words. The server computes them; this only names them. */
import type { CallData } from '../api/contract.js';
import type { MarkKind } from '../parts/basics.js';
import { countText, numberText } from '../parts/words.js';

export type AccessPicture = CallData<'management', 'detailNetworkAccess'>;
export type AccessGroup = AccessPicture['identities'][number];
export type ShownPolicy = AccessPicture['policies'][number];
export type AccessCounts = NonNullable<ShownPolicy['counts']>;
export type AccessStateName = ShownPolicy['state'];
type CauseName = AccessCounts['causes'][number]['cause'];

interface StateWords {
  readonly mark: MarkKind;
  /** Short, as a label of a line. */
  readonly word: string;
  readonly about: string;
}

export const STATES: Readonly<Record<AccessStateName, StateWords>> = {
  allowed: { mark: 'good', word: 'allowed', about: 'every pair works' },
  mixed: { mark: 'mixed', word: 'some blocked', about: 'some pairs work, others do not' },
  posture: { mark: 'warn', word: 'stopped by posture', about: 'a posture check does not pass' },
  unreachable: { mark: 'bad', word: 'no router or host', about: 'no common router, or nobody hosts it' },
  disabled: { mark: 'off', word: 'disabled', about: 'the identities are disabled' },
  unknown: { mark: 'off', word: 'not known', about: 'your rights do not cover what decides it' },
  empty: { mark: 'off', word: 'nothing', about: 'a role selects nothing yet' },
};

const CAUSES: Readonly<Record<CauseName, string>> = {
  IDENTITY_DISABLED: 'the identity is disabled',
  POSTURE: 'a posture check does not pass',
  NO_COMMON_ROUTER: 'no router is given to both ends',
  ROUTERS_OFFLINE: 'the common routers are offline',
  NO_TERMINATOR: 'nobody hosts the service',
  ONLY_NAMED_TERMINATORS: 'only named hosts offer it',
  TERMINATORS_OFFLINE: 'its hosts are offline',
  NO_PATH: 'no link leads to its host',
};

export const causeText = (cause: string | null): string =>
  cause === null ? '' : (CAUSES[cause as CauseName] ?? cause.toLowerCase().replaceAll('_', ' '));

/** `228 of 240 pairs work; 12: a posture check does not pass`. */
export function countsText(counts: AccessCounts | undefined): string {
  if (counts === undefined) return '';
  if (counts.pairs === 0) return 'no pairs yet';
  const causes = counts.causes.map(({ cause, pairs }) => `${numberText(pairs)}: ${causeText(cause)}`);
  const unknown = counts.unknown === 0 ? [] : [`${numberText(counts.unknown)}: not known`];
  return [`${numberText(counts.allowed)} of ${countText(counts.pairs, 'pair')} work`, ...causes, ...unknown].join('; ');
}

/** Names a group. */
export function groupName({ kind, name, roles, id }: AccessGroup, all: string): string {
  if (kind === 'all') return all;
  if (kind === 'hidden') return 'single ones that you may not read';
  return kind === 'entity' ? (name ?? id ?? roles.join(' + ')) : roles.join(' + ');
}
