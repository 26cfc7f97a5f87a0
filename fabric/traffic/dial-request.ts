/** A dial that was admitted, and the circuit that comes of it. */
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Circuit } from './circuits.js';
import type { Flight } from './flights.js';

/** Tells who dials which service, and how. The id is that of a session; null when a router dials by itself. */
export interface Dialer extends Pick<
  ShownSession,
  'identityId' | 'identityName' | 'serviceId' | 'encryptionRequired' | 'strategy' | 'maxIdleMs'
> {
  readonly id: string | null;
}

export interface DialRequest {
  /** Channel to the router where the client is connected. */
  readonly channel: RouterChannel;
  readonly session: Dialer;
  readonly flight: Flight;
  /** '' for terminators without one. */
  readonly instanceId: string;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

export type Target = DialTarget & { readonly dynamicCost: number; readonly pathCost: number };

export interface BuiltCircuit {
  readonly circuit: Circuit;
  /** Data that the host gives to the client. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}
