import { SHARE_LIMITS } from './router-shares.js';
import type { ShareLimits } from './router-shares.js';

/** Bounds of the control channel. A suite passes its own; everything else takes these. */
export interface ChannelLimits {
  /** Time from the end of the TLS handshake to the whole hello. */
  readonly helloMs: number;
  /** Connections whose hello is awaited or checked. */
  readonly hellos: number;
  /** Bytes that may wait to be sent to one router; past them it is cut. */
  readonly queueBytes: number;
  /** A bulk of messages goes on when no more than this waits. */
  readonly lowQueueBytes: number;
  /** Bytes wait, and none has gone for so long: the router does not read. */
  readonly stallMs: number;
  /** Bytes in a second that a router must read at least; much that waits has that much longer to go. */
  readonly slowestBytes: number;
  /** Requests of ours to one router that await their replies. */
  readonly requests: number;
  /** Messages of one router that are worked on at a time. */
  readonly handlers: number;
  /** Messages of one router that wait for that, and their bytes; past them its connection is not read. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Time between our heartbeats. */
  readonly heartbeatMs: number;
  /** Silence after which a router is treated as gone. */
  readonly silenceMs: number;
  /** How long a router that comes again waits while its earlier connection is asked for a sign of life. */
  readonly probeMs: number;
  /** A standing channel of a router with a new certificate ends after this: by then the router has stored it. */
  readonly renewedMs: number;
  /** Least time between two full states of one kind for a router that asks for them. */
  readonly wholeStateMs: number;
  /** Share of the event loop that one router may have, and how often it may connect. */
  readonly shares: ShareLimits;
}

export const LIMITS: ChannelLimits = {
  helloMs: 5_000,
  hellos: 500,
  queueBytes: 32 << 20,
  lowQueueBytes: 1 << 20,
  stallMs: 30_000,
  slowestBytes: 64 << 10,
  requests: 1_000,
  handlers: 256,
  waiting: 20_000,
  waitingBytes: 8 << 20,
  heartbeatMs: 10_000,
  silenceMs: 30_000,
  probeMs: 1_500,
  renewedMs: 5_000,
  wholeStateMs: 5_000,
  shares: SHARE_LIMITS,
};
