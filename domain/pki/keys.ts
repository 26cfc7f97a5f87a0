/** Key pairs and fingerprints. Keys leave this file as PEM (PKCS#8, SPKI); sealing them is `master-key.ts`. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { DerReader, inside, readOid, readWholeBits, tags } from './der.js';
import { pemBlocks } from './pem.js';

const keyKinds = ['ec-p256', 'rsa-2048', 'rsa-3072', 'rsa-4096'] as const;
/** P-256 signs in 0.03 ms, RSA-2048 in 0.25 ms, RSA-4096 in 4 ms; RSA is for clients that cannot do elliptic curves. */
export type KeyKind = (typeof keyKinds)[number];

const rsaBits = { 'rsa-2048': 2048, 'rsa-3072': 3072, 'rsa-4096': 4096 } as const;

export interface KeyPair {
  /** PKCS#8, unencrypted. */
  readonly privateKeyPem: string;
  /** SubjectPublicKeyInfo. */
  readonly publicKeyPem: string;
}

/** @throws Error that lists the kinds there are */
export function parseKeyKind(text: string): KeyKind {
  const kind = keyKinds.find((known) => known === text.trim().toLowerCase());
  if (kind === undefined) throw new Error(`unknown kind of key '${text}': expected one of ${keyKinds.join(', ')}`);
  return kind;
}

const encodings = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

/** Works in the thread pool: RSA-4096 takes seconds and must not hold up requests. */
export function newKeyPair(kind: KeyKind = 'ec-p256'): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, publicKeyPem: string, privateKeyPem: string) => {
      if (error) reject(error);
      else resolve({ publicKeyPem, privateKeyPem });
    };
    if (kind === 'ec-p256') generateKeyPair('ec', { namedCurve: 'P-256', ...encodings }, done);
    else generateKeyPair('rsa', { modulusLength: rsaBits[kind], publicExponent: 65_537, ...encodings }, done);
  });
}

/** @throws Error when the text is no unencrypted private key in PEM; the text is not repeated */
export function readPrivateKey(privateKeyPem: string): KeyObject {
  try {
    return createPrivateKey(privateKeyPem);
  } catch {
    throw new Error('not an unencrypted private key in PEM form');
  }
}

/**
 * A public key from outside, ready to be asked about itself: Node ends the process when the details or the JWK of a key
 * are asked for whose point is the one at infinity, which OpenSSL opens like any other.
 * @throws Error when it cannot be opened, or is such a point
 */
export function readPublicKey(spki: Buffer): KeyObject {
  return requirePoint(createPublicKey({ key: spki, type: 'spki', format: 'der' }));
}

/**
 * The key itself.
 * @throws Error when it is on a curve and its point is the one at infinity (SEC 1 section 2.3.3: one zero byte)
 */
export function requirePoint(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ec') return key;
  const info = inside(key.export({ type: 'spki', format: 'der' }), tags.sequence);
  info.expect(tags.sequence);
  if (readWholeBits(info.expect(tags.bits)).length <= 1) throw new Error('the point of the key is the one at infinity');
  return key;
}

export const OID_EC = '1.2.840.10045.2.1';
/** Accepted curves by their object identifiers, with the length of a coordinate. */
export const CURVES: Readonly<Record<string, { readonly crv: string; readonly bytes: number }>> = {
  '1.2.840.10045.3.1.7': { crv: 'P-256', bytes: 32 },
  '1.3.132.0.34': { crv: 'P-384', bytes: 48 },
  '1.3.132.0.35': { crv: 'P-521', bytes: 66 },
};
/** First byte of a point that is written as its two coordinates (SEC 1 section 2.3.3). */
export const UNCOMPRESSED = 0x04;

/**
 * A key on P-256, P-384 or P-521 whose point is written as its two coordinates, as nearly all are: opened from these in
 * a third of the time that any SubjectPublicKeyInfo takes.
 * @returns undefined for any other key
 * @throws Error when the point is not on the curve, DerFault
 */
export function readPlainKey(spki: Buffer): KeyObject | undefined {
  const info = inside(spki, tags.sequence);
  const algorithm = new DerReader(info.expect(tags.sequence).content);
  const point = readWholeBits(info.expect(tags.bits));
  info.end();
  if (readOid(algorithm.next()) !== OID_EC || !algorithm.isNext(tags.oid)) return undefined;
  const curve = CURVES[readOid(algorithm.next())];
  if (curve === undefined || !algorithm.isAtEnd) return undefined;
  const { crv, bytes } = curve;
  if (point[0] !== UNCOMPRESSED || point.length !== 1 + 2 * bytes) return undefined;
  const coordinate = (at: number) => point.toString('base64url', at, at + bytes);
  const key = { kty: 'EC', crv, x: coordinate(1), y: coordinate(1 + bytes) };
  return createPublicKey({ key, format: 'jwk' });
}

/** Both halves of a key of which the private one is at hand. @throws as `readPrivateKey` */
export function keyPairOf(privateKeyPem: string): KeyPair {
  return {
    privateKeyPem,
    publicKeyPem: createPublicKey(readPrivateKey(privateKeyPem)).export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/**
 * A certificate's fingerprint: SHA-1 of its DER, 40 lower-case hex digits. SHA-1 because clients and routers look
 * certificates up by it; it names a certificate that was verified otherwise and proves nothing itself.
 * @param certificate  DER bytes, or PEM whose first block counts
 * @throws Error when the PEM holds no certificate first
 */
export function certFingerprint(certificate: Uint8Array | string): string {
  return createHash('sha1')
    .update(typeof certificate === 'string' ? leafOf(certificate) : certificate)
    .digest('hex');
}

/** SHA-256 of the DER, for telling whether a certificate is the very one from before. */
export const certHash = (der: Uint8Array): Buffer => createHash('sha256').update(der).digest();

/**
 * Names a public key, whatever certificate carries it: SHA-256 of its SubjectPublicKeyInfo, 64 lower-case hex digits.
 */
export function publicKeyFingerprint(spki: Uint8Array): string {
  return createHash('sha256').update(spki).digest('hex');
}

function leafOf(pem: string): Buffer {
  const first = pemBlocks(pem)[0];
  if (first?.label !== 'CERTIFICATE') throw new Error('the text does not start with a certificate in PEM form');
  return first.der;
}
