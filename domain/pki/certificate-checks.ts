/**
 * Checks of one certificate at a time, before it may prove a client or issue another certificate (RFC 5280 sections
 * 4.2.1 and 6.1).
 */
import type { Certificate } from './certificate.js';
import { ChainFault } from './chain-fault.js';
import { elementsOf, inside, readDerBoolean, readFlags, readOid, readSmallInteger, tags } from './der.js';
import { keyFamily, readSignatureAlgorithm, type KeyFamily } from './signatures.js';

export const extensionIds = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  policies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/**
 * Extensions that may be critical. Policies belong here because no policy is asked for, so that any is accepted;
 * constraints on policies do not, because no code here would enforce them.
 */
const UNDERSTOOD = new Set<string>(Object.values(extensionIds));
const CLIENT_USAGES = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];
const DIGITAL_SIGNATURE = 0;
const KEY_AGREEMENT = 4;
const KEY_CERT_SIGN = 5;

/** @param isAnyUse  the extended key usage does not matter. @throws ChainFault, or DerFault */
export function requireClient(certificate: Certificate, isAnyUse: boolean): void {
  if (readAuthority(certificate).isCa) throw new ChainFault('the client’s certificate is one of a CA');
  const family = requireKey(certificate, 'the client');
  const usages = readKeyUsage(certificate);
  if (usages && !usages.has(DIGITAL_SIGNATURE) && !(family === 'ec' && usages.has(KEY_AGREEMENT))) {
    throw new ChainFault('the key usage of the client’s certificate does not allow signatures');
  }
  if (!isAnyUse) requireClientUsage(certificate, 'the client');
  requireSignature(certificate);
  requireUnderstood(certificate);
}

/**
 * Not the dates, which depend on the client's.
 * @param certificatesBelow  between it and the leaf, without those that a CA issued to itself
 * @throws ChainFault, or DerFault
 */
export function requireIssuer(certificate: Certificate, certificatesBelow: number): void {
  const { isCa, pathLength = Infinity } = readAuthority(certificate);
  if (!isCa) throw new ChainFault('an issuer is no CA');
  if (certificatesBelow > pathLength) throw new ChainFault(`more than ${pathLength} CAs below one that allows no more`);
  const usages = readKeyUsage(certificate);
  if (usages && !usages.has(KEY_CERT_SIGN))
    throw new ChainFault('the key usage of an issuer does not allow it to sign certificates');
  requireKey(certificate, 'an issuer');
  requireClientUsage(certificate, 'an issuer');
  requireUnderstood(certificate);
}

export function isSelfIssued({ issuer, subject }: Certificate): boolean {
  return issuer.equals(subject);
}

/** False only when both name a key and the names differ. @throws DerFault */
export function isSameKeyId(certificate: Certificate, issuer: Certificate): boolean {
  const authority = certificate.extensions.get(extensionIds.authorityKeyId);
  const subject = issuer.extensions.get(extensionIds.subjectKeyId);
  if (!authority || !subject) return true;
  const wanted = inside(authority.value, tags.sequence).optional(0x80);
  const own = inside(subject.value, tags.octets).rest();
  return wanted === undefined || wanted.content.equals(own);
}

function readAuthority(certificate: Certificate): { isCa: boolean; pathLength?: number } {
  const extension = certificate.extensions.get(extensionIds.basicConstraints);
  if (!extension) return { isCa: false };
  const reader = inside(extension.value, tags.sequence);
  const [ca, limit] = [reader.optional(tags.boolean), reader.optional(tags.integer)];
  reader.end();
  return { isCa: ca !== undefined && readDerBoolean(ca), ...(limit ? { pathLength: readSmallInteger(limit) } : {}) };
}

/** undefined: any. */
function readKeyUsage(certificate: Certificate): Set<number> | undefined {
  const extension = certificate.extensions.get(extensionIds.keyUsage);
  if (!extension) return undefined;
  const reader = inside(extension.value, tags.bits);
  return readFlags({ tag: tags.bits, content: reader.rest(), raw: extension.value });
}

function requireClientUsage(certificate: Certificate, whose: string): void {
  const extension = certificate.extensions.get(extensionIds.extendedKeyUsage);
  if (!extension) return;
  const usages = elementsOf(inside(extension.value, tags.sequence).rest()).map(readOid);
  if (!usages.some((usage) => CLIENT_USAGES.includes(usage)))
    throw new ChainFault(`the extended key usage of ${whose} does not allow clients`);
}

function requireKey({ publicKey }: Certificate, whose: string): KeyFamily {
  const family = keyFamily(publicKey);
  if (!family)
    throw new ChainFault(
      `the key of ${whose} is neither RSA with 2048 to 8192 bits and an odd exponent from 65537 on, ` +
        'nor on P-256, P-384 or P-521, nor Ed25519',
    );
  return family;
}

function requireSignature({ signatureAlgorithm }: Certificate): void {
  if (!readSignatureAlgorithm(signatureAlgorithm))
    throw new ChainFault(
      'a certificate is not signed with ECDSA or RSA and SHA-256, SHA-384 or SHA-512, nor with Ed25519',
    );
}

function requireUnderstood({ extensions }: Certificate): void {
  for (const [id, { isCritical }] of extensions) {
    if (isCritical && !UNDERSTOOD.has(id))
      throw new ChainFault(`a critical extension ${id} that is not understood here`);
  }
}
