/** An outage under load, and the row that it makes. */
import { setMaxListeners } from 'node:events';
import { compare, faultsOfCounts, untilHealed } from '../measure.js';
import type { Stored } from '../measure.js';
import { pause } from '../sessions.js';
import { runStreams } from '../streams.js';
import type { Pace, Target } from '../streams.js';
import { Tally } from '../tally.js';

const CALM_MS = 1_500;
/** Without a refusal for so long it counts as healed. */
const HEALED_MS = 1_500;
/** A refusal that came sooner is not mentioned. */
const SLOW_MS = 1_000;

export interface Row {
  readonly event: string;
  /** What clients saw, in words. */
  readonly saw: string;
  readonly healed?: string | undefined;
  /** Creates that were answered 201; undefined where nothing was created. */
  readonly acknowledged?: number;
  readonly lost: number;
  readonly unacknowledged: number;
  readonly staleReads: number;
  /** Sessions that were accepted after their end. */
  readonly accepted: number;
  /** Requests that a server answered which must not be believed. */
  readonly believed: number;
  readonly unexpected: Readonly<Record<string, number>>;
}

/** A row in which nothing went wrong, of a drill without creates. */
export const CLEAN = { lost: 0, unacknowledged: 0, staleReads: 0, accepted: 0, believed: 0, unexpected: {} } as const;

export interface Load extends Pace {
  readonly targets: readonly Target[];
  /** What the database holds at the end. */
  readonly stored: () => Promise<readonly Stored[]>;
  /** The event ends what serves the requests. */
  readonly allowsCuts?: boolean;
}

export interface Measured {
  readonly tally: Tally;
  /** Of the event itself. */
  readonly seconds: number;
  /** When it was over. */
  readonly overAt: number;
  readonly lost: number;
  readonly unacknowledged: number;
}

/** @param act  resolves when the event is over */
export async function underLoad(load: Load, act: () => Promise<void>): Promise<Measured> {
  const halt = new AbortController();
  setMaxListeners(0, halt.signal);
  const tally = new Tally(performance.now(), load.allowsCuts);
  const streams = runStreams(load.targets, tally, halt.signal, load);
  let [eventAt, overAt] = [0, 0];
  try {
    await pause(CALM_MS, halt.signal);
    eventAt = performance.now();
    await act();
    overAt = performance.now();
    await untilHealed(tally, HEALED_MS);
  } finally {
    halt.abort();
    await streams;
  }
  return { tally, seconds: (overAt - eventAt) / 1000, overAt, ...compare(tally, await load.stored()) };
}

/** @param saw  instead of the usual words */
export function rowOf(event: string, measured: Measured, saw = sawOf(measured.tally)): Row {
  const { tally, lost, unacknowledged } = measured;
  return {
    ...CLEAN,
    event,
    saw,
    healed: healedOf(measured),
    acknowledged: tally.acknowledged.size,
    lost,
    unacknowledged,
    staleReads: tally.staleReads,
    unexpected: Object.fromEntries(tally.unexpected),
  };
}

export function sawOf(tally: Tally): string {
  const { timeouts, slowestRefusalMs: slowest } = tally;
  return [
    `${of(tally.refused, tally.creates)} creates 503${timeouts > 0 ? `, ${timeouts} of them TIMEOUT` : ''}` +
      (tally.refused > 0 && slowest > SLOW_MS ? `, slowest ${inSeconds(slowest)}` : ''),
    `reads ${of(tally.refusedReads, tally.reads)}`,
    ...(tally.logins === 0 ? [] : [`logins ${of(tally.refusedLogins, tally.logins)}`]),
    `readyz ${of(tally.notReadyLooks, tally.looks)}`,
  ].join('; ');
}

function healedOf({ tally, overAt }: Measured): string | undefined {
  if (tally.lastRefusalAt === undefined || tally.healedAt === undefined) return undefined;
  const late = tally.healedAt - overAt;
  return `${late > 0 ? `${inSeconds(late)} after it` : 'at once'}; gap ${inSeconds(tally.longestGapMs)}`;
}

/** An outage may refuse; it may never lose, contradict itself, accept an ended session, or answer anything but 503. */
export function faultsOf(rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    [
      ...faultsOfCounts(row),
      ...(row.accepted > 0 ? [`${row.accepted} sessions were accepted after their end`] : []),
      ...(row.believed > 0 ? [`${row.believed} requests were answered by a server that must not be believed`] : []),
    ].map((fault) => `${row.event}: ${fault}`),
  );
}

export const whole = (value: number): string => value.toLocaleString('en');
export const of = (part: number, all: number): string => `${whole(part)} of ${whole(all)}`;
export const inSeconds = (milliseconds: number): string => {
  const seconds = milliseconds / 1000;
  return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
};
