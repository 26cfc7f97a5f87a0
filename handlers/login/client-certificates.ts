/** Verification of the certificates that a client sent in the TLS handshake. */
import { ChainFault, verifyClientChain } from '../../domain/pki/chain.js';
import type { TrustAnchor, VerifiedChain } from '../../domain/pki/chain.js';
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
  /** See `ChainInput`. */
  readonly isAnyUse?: boolean;
}

/**
 * @param sent  what `connection.peerCertificates()` gives: DER, the leaf first; empty when the client sent none
 * @throws ChainFault when it proves nothing; an expired leaf is no fault, see `isExpired`
 */
export function verifyPeer(sent: readonly Buffer[], { own, cas, isAnyUse = false }: PeerTrust): VerifiedChain {
  const { roots, intermediates } = own?.trust() ?? { roots: [], intermediates: [] };
  return verifyClientChain({
    sent,
    now: new Date(),
    isAnyUse,
    anchors: [...roots.map((certificate) => ({ certificate, caId: null })), ...cas.map(anchorOf)],
    known: intermediates,
  });
}

/** The same, of a certificate within its time. @throws ChainFault for an expired leaf too */
export function verifyCurrentPeer(sent: readonly Buffer[], trust: PeerTrust): VerifiedChain {
  const chain = verifyPeer(sent, trust);
  if (chain.isExpired) throw new ChainFault('the certificate has expired');
  return chain;
}

/** For the log: which certificate was shown. */
export function noteLeaf([leaf]: readonly Buffer[], note: Note): void {
  if (leaf !== undefined) note({ fingerprint: certFingerprint(leaf) });
}

/** The first certificate is the CA; what follows it in its PEM proves nothing. */
function anchorOf({ id, certPem }: PeerTrust['cas'][number]): TrustAnchor {
  return { certificate: { raw: firstCertificate(certPem) }, caId: id };
}
