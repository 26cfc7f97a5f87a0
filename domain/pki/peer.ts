/** Verifies the certificates that a peer sent in the TLS handshake, against the CAs that the caller accepts. */
import type { X509Certificate } from 'node:crypto';
import { ChainFault, verifyClientChain } from './chain.js';
import type { TrustAnchor, VerifiedChain } from './chain.js';
import { firstCertificate } from './pem.js';

/** The network's own CA: roots that end a chain, and intermediates to use where a peer did not send its own. */
export interface OwnTrust {
  trust(): { readonly roots: readonly X509Certificate[]; readonly intermediates: readonly X509Certificate[] };
}

export interface PeerTrust {
  /** The network's own certificates are acceptable; null: they are not. */
  readonly own: OwnTrust | null;
  /** The CAs of others that are acceptable here: choosing them is for the caller. */
  readonly cas: readonly { readonly id: string; readonly certPem: string }[];
  /** See `ChainInput` for these two. */
  readonly isAnyUse?: boolean;
  readonly isOpened?: boolean;
}

/**
 * @param sent  DER, the leaf first; empty when the peer sent none
 * @throws ChainFault when it proves nothing; an expired leaf is no fault, see `isExpired`
 */
export function verifyPeer(sent: readonly Buffer[], { own, cas, ...ways }: PeerTrust): VerifiedChain {
  const { roots, intermediates } = own?.trust() ?? { roots: [], intermediates: [] };
  return verifyClientChain({
    ...ways,
    sent,
    now: new Date(),
    anchors: [...roots.map((certificate) => ({ certificate, caId: null })), ...cas.map(anchorOf)],
    known: intermediates,
  });
}

/** Verifies a certificate within its time. @throws ChainFault for an expired leaf too */
export function verifyCurrentPeer(sent: readonly Buffer[], trust: PeerTrust): VerifiedChain {
  const chain = verifyPeer(sent, trust);
  if (chain.isExpired) throw new ChainFault('the certificate has expired');
  return chain;
}

/** The first certificate is the CA; what follows it in its PEM proves nothing. */
function anchorOf({ id, certPem }: PeerTrust['cas'][number]): TrustAnchor {
  return { certificate: { raw: firstCertificate(certPem) }, caId: id };
}
