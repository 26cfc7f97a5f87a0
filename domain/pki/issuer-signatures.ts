/**
 * Checks signatures of issuers, and remembers what stays as it is: keys that were opened (0.3 ms each), and which
 * certificates of CAs an anchor has signed.
 */
import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Certificate } from './certificate.js';
import { isSignedWith } from './signatures.js';
import type { SignatureAlgorithm } from './signatures.js';

const keys = new LRUCache<string, KeyObject>({ max: 100 });
/** Signatures that are right, by SHA-256 of the certificate and of the issuer's key. */
const proved = new LRUCache<string, true>({ max: 1_000 });

/**
 * @param algorithm  of the signature, for whose family the issuer's key is
 * @param areTrusted  the issuer is an anchor, and the certificate one of a CA: nobody else can make such pairs, so that
 *   strangers push nothing out of memory
 */
export function isSignedByIssuer(
  below: Certificate,
  issuer: Certificate,
  algorithm: SignatureAlgorithm,
  areTrusted: boolean,
): boolean {
  if (!areTrusted) return isSignedWith(below, openedKey(issuer.publicKey), algorithm);
  const pair = createHash('sha256').update(below.der).update(issuer.publicKey).digest('base64url');
  if (proved.get(pair) === true) return true;
  const isRight = isSignedWith(below, openedKey(issuer.publicKey), algorithm);
  if (isRight) proved.set(pair, true);
  return isRight;
}

/** @returns the key, or the bytes of one that cannot be opened */
function openedKey(spki: Buffer): KeyObject | Buffer {
  const name = spki.toString('latin1');
  const known = keys.get(name);
  if (known !== undefined) return known;
  try {
    const key = createPublicKey({ key: spki, type: 'spki', format: 'der' });
    keys.set(name, key);
    return key;
  } catch {
    return spki;
  }
}
