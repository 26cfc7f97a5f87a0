/** What both drills count alike: when an event is over for clients, what was lost, and what must not have been seen. */
import { pause } from './sessions.js';
import { NAME_PREFIX } from './streams.js';
import type { Tally } from './tally.js';

const HEAL_DEADLINE_MS = 60_000;

/** A create as the database has it. */
export interface Stored {
  readonly id: string;
  readonly name: string;
}

export const STORED = `SELECT id, name FROM identities WHERE starts_with(name, '${NAME_PREFIX}')`;

/** Waits until no create was refused for so long. @throws Error when that does not come to pass */
export async function untilHealed(tally: Tally, quietMs: number): Promise<void> {
  const overAt = performance.now();
  const never = new AbortController().signal;
  for (;;) {
    const now = performance.now();
    const quietSince = Math.max(overAt, tally.lastRefusalAt ?? 0);
    if (now - quietSince > quietMs && tally.healedAt !== undefined) return;
    if (now - overAt > HEAL_DEADLINE_MS) throw new Error(`refused still, ${HEAL_DEADLINE_MS / 1000} s after the event`);
    await pause(100, never);
  }
}

/** @param rows  all that the database holds now, of this event and others */
export function compare(tally: Tally, rows: readonly Stored[]): { lost: number; unacknowledged: number } {
  const stored = new Map(rows.map(({ id, name }) => [name, id]));
  return {
    lost: [...tally.acknowledged].filter(([name, id]) => stored.get(name) !== id).length,
    unacknowledged: tally.refusedNames.filter((name) => stored.has(name)).length,
  };
}

interface Counts {
  readonly lost: number;
  readonly staleReads: number;
  readonly unexpected: Readonly<Record<string, number>>;
}

export const faultsOfCounts = ({ lost, staleReads, unexpected }: Counts): string[] => [
  ...(lost > 0 ? [`${lost} acknowledged creates are lost`] : []),
  ...(staleReads > 0 ? [`${staleReads} reads did not find what was acknowledged`] : []),
  ...Object.entries(unexpected).map(([what, count]) => `unexpected, ${count} x ${what}`),
];
