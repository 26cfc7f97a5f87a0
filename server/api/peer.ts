/**
 * Proofs that a client gave in the TLS handshake. They are read once per connection: nothing resumes or renegotiates
 * one (see tls-server.ts), so they stay what they were.
 */
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { DomainError } from '../../domain/errors.js';
import { certHash } from '../../domain/pki/keys.js';
import { INVALID_SESSION, SESSION_OVER } from '../sessions/callers.js';

/** A certificate may get another owner while its connection stays open: whose it is holds for this long. */
const OWNER_MS = 2_000;

/** More than any real chain has; what comes after is not looked at. */
const MAX_CERTIFICATES = 10;

interface Peer {
  /** DER, as sent. */
  readonly certificates: readonly Buffer[];
  /** The identity that the certificate belongs to, once it was looked up; undefined: no identity of this network. */
  owner?: Promise<string | undefined>;
  /** Time of the last check, by `performance.now()`. */
  askedAt?: number;
}

export interface Peers {
  /** DER, as sent: the first is the leaf, whose key the handshake proved. */
  certificatesOf(request: IncomingMessage): readonly Buffer[];
  /**
   * The session of one identity does not work over the connection of another. A certificate of no identity, such as a
   * browser's, changes nothing.
   * @throws DomainError `unauthenticated`
   */
  requireSame(request: IncomingMessage, caller: { readonly identityId: string }): Promise<void> | undefined;
  /** The handshake proved the key of the certificate with this SHA-256. */
  hasProved(request: IncomingMessage, certificateHash: Buffer): boolean;
}

/** Shared by all connections without a client certificate, so that they allocate nothing. */
const BARE: Peer = { certificates: [] };

export function createPeers(ownerOf: (certificates: readonly Buffer[]) => Promise<string | undefined>): Peers {
  const peers = new WeakMap<Socket, Peer>();

  const peerOf = ({ socket }: IncomingMessage): Peer => {
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const certificates = certificatesSent(socket as TLSSocket);
    const peer = certificates.length === 0 ? BARE : { certificates };
    peers.set(socket, peer);
    return peer;
  };

  const ask = (peer: Peer): Promise<string | undefined> => {
    const owner = ownerOf(peer.certificates);
    peer.owner = owner;
    peer.askedAt = performance.now();
    owner.catch(() => {
      if (peer.owner === owner) delete peer.owner;
    });
    return owner;
  };

  const require = async (peer: Peer, identityId: string): Promise<void> => {
    const isSame = (owner: string | undefined) => owner === undefined || owner === identityId;
    const isFresh = performance.now() - (peer.askedAt ?? 0) < OWNER_MS;
    if (isSame(await ((isFresh ? peer.owner : undefined) ?? ask(peer)))) return;
    // The certificate may have found another owner since the connection began.
    if (!isSame(await ask(peer))) {
      throw new DomainError('unauthenticated', {
        headers: { 'www-authenticate': INVALID_SESSION },
        causeMessage: SESSION_OVER,
        logReason: 'the certificate of the connection belongs to another identity',
      });
    }
  };

  return {
    certificatesOf: (request) => peerOf(request).certificates,
    requireSame(request, { identityId }) {
      const peer = peerOf(request);
      return peer === BARE ? undefined : require(peer, identityId);
    },
    hasProved(request, certificateHash) {
      const [leaf] = peerOf(request).certificates;
      return leaf !== undefined && certHash(leaf).equals(certificateHash);
    },
  };
}

/** DER, leaf first. */
export function certificatesSent(socket: TLSSocket): Buffer[] {
  const sent: Buffer[] = [];
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (certificate !== undefined && sent.length < MAX_CERTIFICATES) {
    sent.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  return sent;
}
