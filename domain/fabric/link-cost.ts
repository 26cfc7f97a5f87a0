/** The cost of a link to a path: one, and the milliseconds that its two ends measured. */

export const STATIC_LINK_COST = 1;
/** Milliseconds that an end counts for until it has measured, and at most. */
export const UNKNOWN_LATENCY_MS = 65_000;

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

export const linkCost = ({ dialing, accepting }: LinkLatencies): number =>
  STATIC_LINK_COST + Math.round(dialing) + Math.round(accepting);
