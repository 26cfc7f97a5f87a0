/** Routers as the controller thinks of them: what is set on them, and what they tell of themselves. */
import type { Rights } from './auth/rights.js';
import type { BaseEntity, Tags } from './model.js';

/** Members of a router that an administrator sets; only edge routers have role attributes, a tunneler and `appData`. */
export interface RouterDraft {
  readonly name: string;
  readonly isEdge: boolean;
  readonly cost: number;
  readonly noTraversal: boolean;
  readonly disabled: boolean;
  readonly isTunnelerEnabled: boolean;
  readonly roleAttributes: readonly string[];
  readonly appData: Tags;
  /** Addresses at which the router listens for other controllers, by underlay binding. */
  readonly ctrlChanListeners: Record<string, string[]>;
  readonly configs: readonly string[];
  readonly tags: Tags;
}

/** Version of the router's program, as the router reports it. */
export interface RouterVersion {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly os: string;
  readonly arch: string;
}

/** State of a router while it is connected to a controller. */
export interface RouterPresence {
  readonly connectedAt: Date;
  /** How far it has been told what it must know, such as `SYNC_DONE`. */
  readonly syncStatus: string;
  /** Host name under which clients reach it; empty until the router reports one. */
  readonly hostname: string;
  /** URLs by protocol, such as `tls://router.example:3022`; empty until it has said so. */
  readonly protocols: Readonly<Record<string, string>>;
  /** Addresses at which it listens for links. */
  readonly linkListeners: readonly LinkListener[];
  readonly versionInfo: RouterVersion;
}

/** An address at which a router listens for links of other routers. */
export interface LinkListener {
  readonly address: string;
  readonly protocol: string;
}

/** A network interface of a router's machine, as it reports it. */
export interface RouterInterface {
  readonly name: string;
  readonly hardwareAddress: string;
  readonly mtu: number;
  readonly index: number;
  readonly isBroadcast: boolean;
  readonly isLoopback: boolean;
  readonly isMulticast: boolean;
  readonly isRunning: boolean;
  readonly isUp: boolean;
  readonly addresses: readonly string[];
}

/** Abilities of a router's program, by the bit of its mask. */
const CAPABILITIES = {
  MULTI_CHANNEL: 1n,
  CONNECT_V2: 2n,
  SERVICE_SUBSCRIPTIONS: 4n,
  POSTURE_CHECKS: 5n,
  BIND_SUCCESS: 6n,
} as const;

type RouterCapability = keyof typeof CAPABILITIES;

export const ROUTER_CAPABILITIES = Object.keys(CAPABILITIES) as readonly RouterCapability[];

/** Names of the bits of a mask; other bits concern controllers and routers alone. @param mask  in digits */
export function capabilitiesIn(mask: string): RouterCapability[] {
  const bits = BigInt(mask);
  return ROUTER_CAPABILITIES.filter((name) => ((bits >> CAPABILITIES[name]) & 1n) === 1n);
}

/**
 * Those that clients are told of. Clients that subscribe to services at a router believe what it tells them, and this
 * network tells routers nothing of the services of clients.
 */
export const capabilitiesForClients = (mask: string): RouterCapability[] =>
  capabilitiesIn(mask).filter((name) => name !== 'SERVICE_SUBSCRIPTIONS');

export interface Router extends BaseEntity, RouterDraft {
  /** null while it is connected to no controller. */
  readonly presence: RouterPresence | null;
  /** Version of its program when it connected last; null until then, as the mask. */
  readonly version: string | null;
  /** Bits of what that program can do, as a signed number of 64 bits in digits. */
  readonly capabilitiesMask: string | null;
  readonly interfaces: readonly RouterInterface[];
  /** Names that it asked for in its last request for certificates, and its certificate does not have. */
  readonly namesLeftOut: readonly string[];
  /** SHA-1 of the certificate that it enrolled with; null until then. */
  readonly fingerprint: string | null;
  readonly certPem: string | null;
  readonly unverifiedFingerprint: string | null;
  readonly unverifiedCertPem: string | null;
  /** Outstanding until the router enrolls. */
  readonly enrollment: {
    readonly token: string;
    readonly jwt: string;
    readonly expiresAt: Date;
    readonly createdAt: Date;
    /** Rights of the router's own identity; null when it has none. */
    readonly owner: Rights | null;
  } | null;
}

/** State of an identity at edge routers; `unknown` for a while after the router that reported it went away. */
export type EdgeConnection = 'online' | 'offline' | 'unknown';

/** Time for which that state is unknown. */
export const LOST_KEPT_MS = 5 * 60_000;
