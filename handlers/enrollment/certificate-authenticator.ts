/**
 * Certificates that an administrator gives an identity: read from PEM, and accepted only if they could be used to log
 * in.
 */
import { X509Certificate } from 'node:crypto';
import { DomainError } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { certificatesOf } from '../../domain/pki/pem.js';
import { verifyPeer } from '../login/client-certificates.js';

/** A leaf and more intermediates than any real chain has. */
const MAX_CERTIFICATES = 10;
const MAX_CHARACTERS = 131_072;

/**
 * One certificate of a client, possibly followed by the intermediates that lead from it to its root.
 * @returns DER, the client's first
 * @throws DomainError `certificatePemInvalid`
 */
export function readChain(certPem: string): readonly [Buffer, ...Buffer[]] {
  if (certPem.length > MAX_CHARACTERS) throw unreadable(`certPem is longer than ${MAX_CHARACTERS} characters`);
  const [leaf, ...others] = parse(certPem);
  if (leaf === undefined || others.length >= MAX_CERTIFICATES)
    throw unreadable(`certPem must hold one certificate and at most ${MAX_CERTIFICATES - 1} intermediates`);
  if (others.some(({ ca }) => !ca))
    throw unreadable('certPem must hold exactly one certificate of a client; only intermediates may follow it');
  return [leaf.raw, ...others.map(({ raw }) => raw)];
}

/** @throws DomainError `certificateInvalid` for one that has expired or leads to no trusted certificate */
export function acceptedCertificate(
  chain: readonly [Buffer, ...Buffer[]],
  trust: Parameters<typeof verifyPeer>[1],
): VerifiedChain {
  const verified = verify(chain, trust);
  if (verified.isExpired) throw refused(chain[0], 'has expired');
  return verified;
}

function verify(chain: readonly [Buffer, ...Buffer[]], trust: Parameters<typeof verifyPeer>[1]): VerifiedChain {
  try {
    return verifyPeer(chain, trust);
  } catch (error) {
    if (error instanceof ChainFault)
      throw refused(chain[0], 'does not lead to this network or to a verified CA', error);
    throw error;
  }
}

function parse(certPem: string): X509Certificate[] {
  try {
    return certificatesOf(certPem).map((der) => new X509Certificate(der));
  } catch (cause) {
    throw unreadable('certPem is not a certificate in PEM form', cause);
  }
}

function unreadable(causeMessage: string, cause?: unknown): DomainError {
  return new DomainError('certificatePemInvalid', { causeMessage, cause });
}

function refused(leaf: Buffer, why: string, cause?: unknown): DomainError {
  return new DomainError('certificateInvalid', {
    causeMessage: `the certificate with fingerprint ${certFingerprint(leaf)} ${why}`,
    cause,
  });
}
