/** The certificate of a third party's CA, as an administrator submits it. */
import { X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { DomainError, invalidField, raise } from '../errors.js';
import { certFingerprint, requirePoint } from './keys.js';
import { pemBlocks, toPem } from './pem.js';
import type { PemBlock } from './pem.js';
import { isGoodRsaExponent } from './signatures.js';
import { decodeNames } from './x509.js';

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
const [MIN_RSA_BITS, MAX_RSA_BITS] = [2048, 8192];
const MAX_CERTIFICATES = 10;
/** Characters of a refused PEM that the answer repeats, unless it is a key in the place of the certificate. */
const SHOWN = 64;
const KEY = /PRIVATE/i;

export interface CaCertificates {
  /** The CA's own first, then what followed it; one PEM block each. */
  readonly certPem: string;
  /** SHA-1 of the first one's DER in lower-case hex. */
  readonly fingerprint: string;
}

/** @throws DomainError `invalidField` for `certPem`: unreadable, no CA first, or a key that is too weak */
export function readCaCertificates(pem: string): CaCertificates {
  const refuse = (reason: string) => invalidField('certPem', reason, KEY.test(pem) ? '' : pem.slice(0, SHOWN));
  const blocks = blocksOf(pem, refuse);
  if (blocks.length > MAX_CERTIFICATES) throw refuse(`at most ${MAX_CERTIFICATES} certificates are accepted`);
  const certificates = blocks.map(
    (block, index) => certificateOf(block) ?? raise(refuse(`could not parse block #${index + 1}`)),
  );
  const [authority] = certificates;
  if (authority === undefined) throw refuse('could not parse block #1');
  if (!authority.ca) throw refuse('certificate is not a CA');
  for (const certificate of certificates) {
    const weakness = weaknessOf(certificate);
    if (weakness !== undefined) throw refuse(weakness);
  }
  return {
    certPem: certificates.map(({ raw }) => toPem('CERTIFICATE', raw)).join(''),
    fingerprint: certFingerprint(authority.raw),
  };
}

/**
 * The one certificate in `pem`, with a key of a kind and size that signatures of others are trusted by.
 * @param refuse  throws
 */
export function readSigningCertificate(pem: string, refuse: (reason: string) => never): X509Certificate {
  const [block, ...others] = blocksOf(pem, refuse);
  const certificate = block && others.length === 0 ? certificateOf(block) : undefined;
  if (certificate === undefined) return refuse('certPem must hold exactly one certificate in PEM form');
  const weakness = weaknessOf(certificate);
  return weakness === undefined ? certificate : refuse(weakness);
}

/**
 * The certificates that prove possession of a CA's key, DER, leaf first.
 * @throws DomainError `unparsableBody`; `commonNameInvalid` when the leaf's only common name is not `token`
 */
export function readProof(pem: string, token: string): Buffer[] {
  const refuse = (reason: string) => new DomainError('unparsableBody', { causeMessage: reason });
  const blocks = blocksOf(pem, refuse);
  if (blocks.length > MAX_CERTIFICATES) throw refuse(`at most ${MAX_CERTIFICATES} certificates are accepted`);
  const certificates = blocks.map(
    (block) => certificateOf(block) ?? raise(refuse('the body holds something else than certificates in PEM form')),
  );
  const [leaf] = certificates;
  if (leaf === undefined) throw refuse('the body holds no certificate in PEM form');
  const names = commonNamesOf(leaf);
  if (names.length !== 1 || names[0] !== token) {
    throw new DomainError('commonNameInvalid', {
      causeMessage: 'the common name of the first certificate must be the verification token',
    });
  }
  return certificates.map(({ raw }) => raw);
}

/** Every common name of the subject; none when they cannot be read. */
export function commonNamesOf(certificate: Pick<X509Certificate, 'raw'>): readonly string[] {
  try {
    return decodeNames(certificate.raw).commonNames;
  } catch {
    return [];
  }
}

function blocksOf(pem: string, refuse: (reason: string) => DomainError): PemBlock[] {
  try {
    return pemBlocks(pem);
  } catch {
    throw refuse('could not parse block #1');
  }
}

function certificateOf({ label, der }: PemBlock): X509Certificate | undefined {
  try {
    return label === 'CERTIFICATE' ? new X509Certificate(der) : undefined;
  } catch {
    return undefined;
  }
}

function weaknessOf(certificate: X509Certificate): string | undefined {
  try {
    return keyWeakness(certificate.publicKey);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = 'the public key of the certificate is not readable';

/** Why signatures of a key are not trusted; undefined when they are. */
export function keyWeakness(publicKey: KeyObject): string | undefined {
  let key;
  try {
    key = requirePoint(publicKey);
  } catch {
    return UNREADABLE;
  }
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec')
    return CURVES.includes(namedCurve ?? '') ? undefined : 'the curve of the key is not one of P-256, P-384, P-521';
  if (key.asymmetricKeyType === 'ed25519') return undefined;
  if (key.asymmetricKeyType !== 'rsa') return 'the key of the certificate must be EC, Ed25519 or RSA';
  if (modulusLength < MIN_RSA_BITS || modulusLength > MAX_RSA_BITS)
    return `an RSA key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, this one has ${modulusLength}`;
  return isGoodRsaExponent(publicExponent)
    ? undefined
    : 'the exponent of the RSA key is not an odd number from 65537 to 4294967295';
}
