/** Who a client proves to be with the certificates that it sent in the TLS handshake. */
import { verifyClientChain, type TrustAnchor, type VerifiedChain } from '../../domain/pki/chain.js';
import type { Ca } from '../../domain/model.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { firstCertificate } from '../../domain/pki/pem.js';
import type { Note } from '../handler.js';
import type { Pki } from '../context.js';

export interface PeerTrust {
  /** The network's own certificates are acceptable; null: they are not. */
  readonly own: Pick<Pki, 'trust'> | null;
  /** The CAs of others that are acceptable here: choosing them is for the caller. */
  readonly cas: readonly Pick<Ca, 'id' | 'certPem'>[];
  /** As of `ChainInput`. */
  readonly isAnyUse?: boolean;
}

/**
 * @param sent  what `connection.peerCertificates()` gives: DER, the leaf first; empty when the client sent none
 * @throws ChainFault when it proves nothing; an expired leaf is no fault, see `isExpired`
 */
export function verifyPeer(
  sent: readonly Buffer[],
  { own, cas, isAnyUse = false }: PeerTrust,
  now = new Date(),
): VerifiedChain {
  const { roots, intermediates } = own?.trust() ?? { roots: [], intermediates: [] };
  return verifyClientChain({
    sent,
    now,
    isAnyUse,
    anchors: [...roots.map((certificate) => ({ certificate, caId: null })), ...cas.map(anchorOf)],
    known: intermediates,
  });
}

/** For the log: which certificate was shown. */
export function noteLeaf([leaf]: readonly Buffer[], note: Note): void {
  if (leaf !== undefined) note({ fingerprint: certFingerprint(leaf) });
}

/** The first certificate is the CA; what follows it in its PEM proves nothing. */
function anchorOf({ id, certPem }: PeerTrust['cas'][number]): TrustAnchor {
  return { certificate: { raw: firstCertificate(certPem) }, caId: id };
}
