/** What terminators of all kinds have in common. */

/** By which stock routers know what an SDK hosts, and what the router hosts itself. */
export const SDK_BINDING = 'edge';
export const TUNNEL_BINDING = 'tunnel';

/** Terminators that only the router's own SDK listener or tunneler knows: one that it denies does not exist. */
export const ROUTER_BINDINGS: readonly string[] = [SDK_BINDING, TUNNEL_BINDING];

export const MAX_COST = 65_535;
