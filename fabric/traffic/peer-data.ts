/**
 * Peer data, which the two ends of a circuit give each other: bytes by key. Most keys pass whatever they hold. Those of
 * frames and of route results are no peer data, and who dials is said by the controller alone: what comes under those
 * keys is dropped, in both directions.
 */
import type { PeerData } from '../../domain/fabric/terminator.js';
import { PeerDataKey, RouteResultHeader, encodeText } from '../channel/headers.js';

/** Keys in one message: more than clients and hosts send. */
export const MOST_PEER_DATA = 128;

/** Keys below are headers of any frame. */
const FIRST_KEY = 128;
const OWNED: ReadonlySet<number> = new Set([
  ...Object.values(RouteResultHeader),
  PeerDataKey.DialerIdentityId,
  PeerDataKey.DialerIdentityName,
]);

const ofPeer = (given: PeerData): [number, Uint8Array][] =>
  [...given].filter(([key]) => key >= FIRST_KEY && !OWNED.has(key));

/** The dialer, as it was proven. */
export interface ProvenDialer {
  readonly identityId: string;
  readonly identityName: string;
}

/** Peer data for the host. The dialer comes from here: routers are not trusted about identities. */
export const givenToHost = (given: PeerData, { identityId, identityName }: ProvenDialer): Map<number, Uint8Array> =>
  new Map([
    ...ofPeer(given),
    [PeerDataKey.DialerIdentityId, encodeText(identityId)],
    [PeerDataKey.DialerIdentityName, encodeText(identityName)],
  ]);

/** Peer data for the dialer: what the host gave with its terminator, overridden by what it gave to this dial. */
export const givenToDialer = (ofTerminator: PeerData, ofResult: PeerData): Map<number, Uint8Array> =>
  new Map([...ofPeer(ofTerminator), ...ofPeer(ofResult)]);
