/** Judges access: nothing is granted for longer than a moment after it was taken, and what was given is granted. */
import type { Change, Entry, Fault, Use } from './record.js';
import { groupBy, ofKind } from './record.js';

export interface Bounds {
  /** Access that begins so long after its end was acknowledged is a fault. */
  readonly calmMs: number;
  /** The same while something is broken, or was within this time. */
  readonly brokenMs: number;
  /** Access that was given and is refused so long afterwards is a fault. */
  readonly givenMs: number;
}

export const BOUNDS: Bounds = { calmMs: 100, brokenMs: 1_000, givenMs: 6_000 };

/** What is wrong, one line each. */
export function judgeAccess(entries: readonly Entry[], bounds: Bounds): string[] {
  const faults = ofKind(entries, 'fault');
  const uses = groupBy(ofKind(entries, 'use'), ({ subject }) => subject);
  return [...groupBy(ofKind(entries, 'give', 'take'), ({ subject }) => subject)].flatMap(([subject, changes]) =>
    judgeSubject(changes, uses.get(subject) ?? [], faults, bounds).map((fault) => `${subject}: ${fault}`),
  );
}

const isBroken = (faults: readonly Fault[], from: number, to: number, afterMs: number): boolean =>
  faults.some(({ start, end }) => start < to && end + afterMs > from);

/** @param changes  of one owner, one after the other */
function judgeSubject(
  changes: readonly Change[],
  uses: readonly Use[],
  broken: readonly Fault[],
  { calmMs, brokenMs, givenMs }: Bounds,
): string[] {
  const found: string[] = [];
  const settled = uses.filter(({ outcome, isGranted }) => outcome === 'ok' && isGranted !== undefined);
  const effective = changes.filter(({ outcome }) => outcome !== 'failed');
  for (const [index, change] of effective.entries()) {
    if (change.outcome !== 'ok') continue;
    const next = effective[index + 1]?.start ?? Infinity;
    for (const use of settled) {
      if (use.start <= change.end || use.end >= next) continue;
      const lateMs = use.start - change.end;
      if (change.kind === 'take' && use.isGranted === true) {
        const grace = isBroken(broken, change.start, use.end, brokenMs) ? brokenMs : calmMs;
        if (lateMs > grace) found.push(sentence(use, `granted ${Math.round(lateMs)} ms after it was taken`, change));
      }
      if (change.kind === 'give' && use.isGranted === false && lateMs > givenMs)
        found.push(sentence(use, `refused ${Math.round(lateMs)} ms after it was given`, change));
    }
  }
  return found;
}

const sentence = (use: Use, what: string, change: Change): string =>
  `${use.what} was ${what}, at ${use.at} (${use.client}, ${(use.start / 1000).toFixed(3)} s, ${use.answer}); ` +
  `${change.kind} at ${change.at}, ${(change.end / 1000).toFixed(3)} s`;

/** How long after its end access was granted at most, in milliseconds: a figure, no judgement. */
export function longestAfterTake(entries: readonly Entry[]): number {
  const uses = groupBy(ofKind(entries, 'use'), ({ subject }) => subject);
  let longest = 0;
  for (const [subject, changes] of groupBy(ofKind(entries, 'give', 'take'), ({ subject }) => subject)) {
    const effective = changes.filter(({ outcome }) => outcome !== 'failed');
    for (const [index, { kind, outcome, end }] of effective.entries()) {
      if (kind !== 'take' || outcome !== 'ok') continue;
      const next = effective[index + 1]?.start ?? Infinity;
      for (const use of uses.get(subject) ?? [])
        if (use.isGranted === true && use.start > end && use.end < next) longest = Math.max(longest, use.start - end);
    }
  }
  return longest;
}
