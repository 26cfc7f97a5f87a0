/** A dial that was admitted, and the circuit that comes of it. */
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import type { Path } from '../../domain/fabric/path.js';
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

/** The terminator that a dial goes to. @property stickyToken  for the dialer to come back to it, if it may */
export interface ChosenTarget {
  readonly terminator: DialTarget;
  readonly stickyToken: string | undefined;
  readonly path: Path;
}

export interface BuiltCircuit {
  readonly circuit: Circuit;
  /** Data that the host gives to the client. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}
