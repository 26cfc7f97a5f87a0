/** Constants and types shared by terminators of all kinds. */

/** Bindings by which stock routers tell terminators of an SDK from those that the router hosts itself. */
export const SDK_BINDING = 'edge';
export const TUNNEL_BINDING = 'tunnel';

/** Terminators that only the router's own SDK listener or tunneler knows: one that it denies does not exist. */
export const ROUTER_BINDINGS: readonly string[] = [SDK_BINDING, TUNNEL_BINDING];

export const MAX_COST = 65_535;

/** How many there may be that routers made: of one session on one router, of one host and service, of one router. */
export const HOSTED_BOUNDS = { session: 100, host: 1_000, router: 20_000 } as const;
/** Limit of one service's terminators that administrators made. */
export const MOST_MADE_BY_HAND = 10_000;

/**
 * How many of a service a dial looks at: the best of them, and more once the best have so much on them that one that
 * was not looked at may be better.
 */
export const LOOKED_AT = [100, 1_000] as const;

/** Data that a host gives to its dialers: bytes by key, such as its public key (1003). */
export type PeerData = ReadonlyMap<number, Uint8Array>;

/** The same as it is stored: base64 by key. */
export type StoredPeerData = Readonly<Record<string, string>>;

export const peerDataOf = (stored: StoredPeerData): PeerData =>
  new Map(Object.entries(stored).map(([key, value]) => [Number(key), Buffer.from(value, 'base64')]));
