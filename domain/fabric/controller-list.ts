/**
 * The list of controllers that routers get: the addresses at which a live controller takes routers, and those whose
 * controller is gone, each with the one that stands in for it. Controllers that share an address, behind a balancer,
 * are one controller to a router. docs/decisions/0023 and 0034 say why.
 */
import { createHash } from 'node:crypto';

/** Address at which a controller takes routers, as `host:port`, and the time since its last sign of life. */
export interface SeenController {
  readonly address: string;
  readonly unseenMs: number;
  /** How often it gives one; 0 when it has said that it ends. */
  readonly everyMs: number;
}

/** A controller that is gone, and the live one that routers find in its place. Both by their addresses. */
export interface StandIn {
  readonly address: string;
  readonly by: string;
}

/** The controllers that routers find, and where. */
export interface ControllerAddresses {
  /** Addresses of live controllers, each `host:port`, sorted; never empty. */
  readonly addresses: readonly string[];
  /** Sorted by address. */
  readonly standIns: readonly StandIn[];
}

/** A list as routers are told of it. Of two, the one with the greater index is the newer. */
export interface ControllerList extends ControllerAddresses {
  readonly index: number;
}

/** A controller is gone when it has missed so many signs of life. */
export const MISSED = 4;
/** A controller that judges others has itself given signs of life for so long: else they shared an outage. */
export const STEADY_MS = 10_000;
/** A controller that does not come back by then has left for good. */
export const STOOD_FOR_MS = 7 * 86_400_000;

export interface ListSources {
  /** The list that routers have now. */
  readonly current: ControllerAddresses;
  readonly seen: readonly SeenController[];
  /** Address of the controller that asks. */
  readonly own: string;
  /** The one that asks may judge others: see `STEADY_MS`. Otherwise whatever routers were told of others stays. */
  readonly isSteady: boolean;
}

/** Returns what routers are to be told. */
export function addressesNow({ current, seen, own, isSteady }: ListSources): ControllerAddresses {
  const unseen = new Map<string, SeenController>();
  for (const each of seen)
    if (each.unseenMs < (unseen.get(each.address)?.unseenMs ?? Infinity)) unseen.set(each.address, each);
  const isFresh = ({ unseenMs, everyMs }: SeenController) => unseenMs < MISSED * everyMs;
  const known = [...unseen.values()];
  const addresses = known
    .filter((each) => isFresh(each) || (!isSteady && each.everyMs > 0 && current.addresses.includes(each.address)))
    .map(({ address }) => address);
  const live = [...new Set([own, ...addresses])].sort();
  const knownToRouters = new Set([...current.addresses, ...current.standIns.map(({ address }) => address)]);
  const standIns = known
    .filter(
      ({ address, unseenMs }) => knownToRouters.has(address) && !live.includes(address) && unseenMs < STOOD_FOR_MS,
    )
    .map(({ address }) => ({ address, by: nextAfter(address, live) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  return { addresses: live, standIns };
}

/** The first of them that follows in their order, or the first of all: so that several do not all go to one. */
const nextAfter = (address: string, live: readonly string[]): string =>
  live.find((each) => each > address) ?? live[0] ?? address;

export const areEqual = (one: ControllerAddresses, other: ControllerAddresses): boolean =>
  JSON.stringify([one.addresses, one.standIns.map(pairOf)]) ===
  JSON.stringify([other.addresses, other.standIns.map(pairOf)]);

const pairOf = ({ address, by }: StandIn) => [address, by];

/**
 * The same address in another writing, which leads to the same port: a router takes an address that it is connected to
 * already for done. @param nth  of those that this address stands in for, from 1
 */
export const otherWriting = (address: string, nth: number): string =>
  address.replace(/(\d+)$/, (port) => `${'0'.repeat(nth)}${port}`);

/**
 * Id by which routers know the controller at an address that no row has: the same for each process there. 22
 * characters.
 * @param network  the trust domain, which no two networks share
 */
export function controllerIdAt(network: string, address: string): string {
  return createHash('sha256').update(`controller\0${network}\0${address}`).digest('base64url').slice(0, 22);
}
