/** The cost of a link to a path: what an operator set, one by default, and the milliseconds that its ends measured. */
import type { LinkSettings } from './link.js';

export const USUAL_LINK_SETTINGS: LinkSettings = { staticCost: 1, isDown: false };
/** Milliseconds that an end counts for until it has measured, and at most. */
const UNKNOWN_LATENCY_MS = 65_000;

/** Latencies in milliseconds, as each end measured them. */
export interface LinkLatencies {
  readonly dialing: number;
  readonly accepting: number;
}

export const UNKNOWN_LATENCIES: LinkLatencies = { dialing: UNKNOWN_LATENCY_MS, accepting: UNKNOWN_LATENCY_MS };

/**
 * A measured latency within its bounds, in milliseconds; undefined for what is no measurement.
 * @param nanoseconds  as routers report it
 */
export function latencyOf(nanoseconds: number): number | undefined {
  if (!Number.isFinite(nanoseconds) || nanoseconds < 0) return undefined;
  return Math.min(nanoseconds / 1e6, UNKNOWN_LATENCY_MS);
}

export const linkCost = (
  { dialing, accepting }: LinkLatencies,
  { staticCost }: Pick<LinkSettings, 'staticCost'> = USUAL_LINK_SETTINGS,
): number => Math.max(0, staticCost) + Math.round(dialing) + Math.round(accepting);
