/** The verdict on a record: everything that must not be. Pure: it asks nothing but the record. */
import { BOUNDS, judgeAccess } from './access.js';
import type { Bounds } from './access.js';
import { judgeEvents, judgePresence } from './events.js';
import type { Entry } from './record.js';
import { ofKind } from './record.js';
import { judgeRegisters } from './registers.js';

export interface Verdict {
  readonly registers: readonly string[];
  readonly presence: readonly string[];
  readonly access: readonly string[];
  readonly events: readonly string[];
  readonly answers: readonly string[];
}

export function judge(entries: readonly Entry[], bounds: Bounds = BOUNDS): Verdict {
  return {
    registers: judgeRegisters(entries),
    presence: judgePresence(entries),
    access: judgeAccess(entries, bounds),
    events: judgeEvents(entries),
    answers: judgeAnswers(entries),
  };
}

export const faultsOf = (verdict: Verdict): string[] =>
  Object.entries(verdict).flatMap(([part, faults]: [string, readonly string[]]) =>
    faults.map((fault) => `${part}: ${fault}`),
  );

/** Faults may refuse (503) and cut connections. Nothing explains any other answer. */
const EXPLAINED = /^(2\d\d|304|401|403|404|412|429|503|cut|refused|late)\b/;

function judgeAnswers(entries: readonly Entry[]): string[] {
  const counts = new Map<string, number>();
  for (const operation of ofKind(entries, 'write', 'read', 'create', 'remove', 'give', 'take', 'use')) {
    if (EXPLAINED.test(operation.answer)) continue;
    const what = `${operation.kind} was answered ${operation.answer}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} x ${what}`);
}
