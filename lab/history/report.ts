/** Figures of a record, and its verdict, in words. */
import { longestAfterTake } from './access.js';
import { faultsOf } from './checker.js';
import type { Verdict } from './checker.js';
import type { Entry, Outcome } from './record.js';
import { ofKind } from './record.js';

/** Shown of each part; the record has all. */
const MOST = 12;
const OUTCOMES: readonly Outcome[] = ['ok', 'failed', 'unknown'];

export function figuresOf(entries: readonly Entry[]): string[] {
  const operations = ofKind(entries, 'write', 'read', 'create', 'remove', 'give', 'take', 'use');
  const count = (kinds: readonly string[], outcome: string) =>
    operations.filter((operation) => kinds.includes(operation.kind) && operation.outcome === outcome).length;
  const line = (what: string, ...kinds: readonly string[]) =>
    `${what.padEnd(30)} ${OUTCOMES.map((outcome) => `${count(kinds, outcome)} ${outcome}`).join(', ')}`;
  const conditional = ofKind(entries, 'write').filter(({ base }) => base !== undefined);
  const refused = conditional.filter(({ answer }) => answer.startsWith('412')).length;
  const uses = ofKind(entries, 'use');
  const granted = uses.filter(({ isGranted }) => isGranted === true).length;
  return [
    line('writes', 'write'),
    `${'  with If-Match'.padEnd(30)} ${conditional.length}, ${refused} of them 412`,
    line('reads', 'read'),
    line('entities made and removed', 'create', 'remove'),
    line('access given and taken', 'give', 'take'),
    `${'attempts to use it'.padEnd(30)} ${granted} granted, ${uses.length - granted} not; ` +
      `the latest ${Math.round(longestAfterTake(entries))} ms after the end`,
    `${'events'.padEnd(30)} ${ofKind(entries, 'event').length} received, ` +
      `${ofKind(entries, 'audit').length} audit records`,
    `${'faults'.padEnd(30)} ${ofKind(entries, 'fault').length}`,
  ];
}

/** One line for each part without a fault, all faults of the others up to a bound. */
export function verdictLines(verdict: Verdict): string[] {
  return Object.entries(verdict).flatMap(([part, faults]: [string, readonly string[]]) => {
    if (faults.length === 0) return [`${part.padEnd(10)} nothing wrong`];
    const more = faults.length > MOST ? [`  and ${faults.length - MOST} more`] : [];
    return [
      `${part.padEnd(10)} ${faults.length} faults`,
      ...faults.slice(0, MOST).map((fault) => `  ${fault}`),
      ...more,
    ];
  });
}

export const isClean = (verdict: Verdict): boolean => faultsOf(verdict).length === 0;
