/**
 * Which controllers routers are told of: the addresses at which a live controller takes routers. Controllers that share
 * an address, behind a balancer, are one controller to a router. docs/decisions/0023 says why.
 */
import { createHash } from 'node:crypto';

/** Address at which a controller takes routers, as `host:port`, and the time since its last sign of life. */
export interface SeenController {
  readonly address: string;
  readonly unseenMs: number;
}

/** A list as routers are told of it. Of two, the one with the greater index is the newer. */
export interface ControllerList {
  readonly index: number;
  /** Each `host:port`, sorted; never empty. */
  readonly addresses: readonly string[];
}

/** A controller that has been silent for longer leaves the list. It gives a sign of life every 5 s. */
export const LEASE_MS = 30_000;

export interface ListSources {
  /** The list that routers have now. */
  readonly told: readonly string[];
  readonly seen: readonly SeenController[];
  /** Address of the controller that asks. */
  readonly own: string;
  /**
   * The one that asks has itself given signs of life for a lease: otherwise the silence of others may have been an
   * outage of the database, and an address that routers were told stays while any controller claims it.
   */
  readonly isSteady: boolean;
}

/** The addresses that routers are to be told. */
export function addressesNow({ told, seen, own, isSteady }: ListSources): string[] {
  const kept = seen.filter(({ address, unseenMs }) => unseenMs < LEASE_MS || (!isSteady && told.includes(address)));
  return [...new Set([own, ...kept.map(({ address }) => address)])].sort();
}

/**
 * Id by which routers know the controller at an address that no row has: the same for each process there. 22
 * characters.
 * @param network  the trust domain, which no two networks share
 */
export function controllerIdAt(network: string, address: string): string {
  return createHash('sha256').update(`controller\0${network}\0${address}`).digest('base64url').slice(0, 22);
}
