/**
 * Keys and signatures of certificates that are good enough: RSA of 2048 to 8192 bits with an odd exponent from 65537
 * on, P-256, P-384, P-521 and Ed25519; SHA-256, SHA-384 and SHA-512 with ECDSA, RSASSA-PKCS1-v1_5 or RSASSA-PSS.
 * Everything is read from the DER itself before any key is opened, so that a curve or a size that is not on the list
 * costs nothing.
 */
import { constants, createPublicKey, verify, type KeyObject, type VerifyKeyObjectInput } from 'node:crypto';
import type { Certificate } from './certificate.js';
import { CURVES, OID_EC } from './keys.js';
import { DerReader, inside, readMagnitude, readOid, readSmallInteger, readWholeBits, tags } from './der.js';

export type KeyFamily = 'rsa' | 'ec' | 'ed25519';

export interface SignatureAlgorithm {
  readonly family: KeyFamily;
  /** null: the algorithm has its own (Ed25519). */
  readonly hash: string | null;
  /** Salt of RSASSA-PSS, in bytes. */
  readonly saltLength?: number;
}

const OID_RSA = '1.2.840.113549.1.1.1';
const OID_PSS = '1.2.840.113549.1.1.10';
const OID_MGF1 = '1.2.840.113549.1.1.8';
/** RFC 8410: of the key and of the signature alike, without parameters. */
const OID_ED25519 = '1.3.101.112';
const ED25519_BYTES = 32;
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { family: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { family: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { family: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { family: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { family: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { family: 'ec', hash: 'sha512' },
  [OID_ED25519]: { family: 'ed25519', hash: null },
};
const hashes: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Returns the kind of key; undefined for one that is not accepted. @throws DerFault */
export function keyFamily(publicKey: Buffer): KeyFamily | undefined {
  const info = inside(publicKey, tags.sequence);
  const algorithm = new DerReader(info.expect(tags.sequence).content);
  const key = readWholeBits(info.expect(tags.bits));
  info.end();
  const id = readOid(algorithm.next());
  if (id === OID_EC)
    return key.length > 1 &&
      algorithm.isNext(tags.oid) &&
      Object.hasOwn(CURVES, readOid(algorithm.next())) &&
      algorithm.isAtEnd
      ? 'ec'
      : undefined;
  if (id === OID_ED25519) return algorithm.isAtEnd && key.length === ED25519_BYTES ? 'ed25519' : undefined;
  return id === OID_RSA && isGoodRsa(key) ? 'rsa' : undefined;
}

function isGoodRsa(key: Buffer): boolean {
  const numbers = inside(key, tags.sequence);
  const [modulus, exponent] = [
    readMagnitude(numbers.expect(tags.integer)),
    readMagnitude(numbers.expect(tags.integer)),
  ];
  numbers.end();
  const bits = bitLength(modulus);
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && isGoodRsaExponent(BigInt(`0x${exponent.toString('hex')}`));
}

const [MIN_EXPONENT, MAX_EXPONENT] = [65_537n, 2n ** 32n];

/**
 * Tells good RSA exponents. A small one lets signatures be forged where padding is checked carelessly, an even one has
 * no private key, and a larger one makes every verification slow.
 */
export function isGoodRsaExponent(exponent: bigint): boolean {
  return exponent >= MIN_EXPONENT && exponent <= MAX_EXPONENT && exponent % 2n === 1n;
}

function bitLength(magnitude: Buffer): number {
  return (magnitude.length - 1) * 8 + 32 - Math.clz32(magnitude[0] ?? 0);
}

/** undefined when it is none that is accepted. @throws DerFault */
export function readSignatureAlgorithm(identifier: Buffer): SignatureAlgorithm | undefined {
  const reader = inside(identifier, tags.sequence);
  const id = readOid(reader.next());
  if (id === OID_PSS) return readPss(reader);
  const algorithm = algorithms[id];
  if (!algorithm) return undefined;
  if (algorithm.family === 'rsa') reader.optional(tags.none);
  reader.end();
  return algorithm;
}

/** Algorithms that are not accepted, as people know them. */
const REFUSED: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'RSASSA-PKCS1-v1_5 and MD2',
  '1.2.840.113549.1.1.4': 'RSASSA-PKCS1-v1_5 and MD5',
  '1.2.840.113549.1.1.5': 'RSASSA-PKCS1-v1_5 and SHA-1',
  '1.2.840.113549.1.1.14': 'RSASSA-PKCS1-v1_5 and SHA-224',
  [OID_PSS]: 'RSASSA-PSS',
  '1.2.840.10045.4.1': 'ECDSA and SHA-1',
  '1.2.840.10045.4.3.1': 'ECDSA and SHA-224',
  '1.3.101.113': 'Ed448',
};

/** Name of an algorithm that is refused. @throws DerFault */
export function signatureWords(identifier: Buffer): string {
  const id = readOid(inside(identifier, tags.sequence).next());
  return REFUSED[id] ?? `the algorithm ${id}`;
}

/** RFC 4055 section 3.1: the hash twice, the length of the salt, and nothing that is unusual. */
function readPss(reader: DerReader): SignatureAlgorithm | undefined {
  const parameters = new DerReader(reader.expect(tags.sequence).content);
  reader.end();
  const [hashPart, maskPart, saltPart] = [
    parameters.optional(0xa0),
    parameters.optional(0xa1),
    parameters.optional(0xa2),
  ];
  if (!hashPart || !maskPart || !parameters.isAtEnd) return undefined; // the defaults are SHA-1
  const mask = inside(inside(maskPart.raw, 0xa1).rest(), tags.sequence);
  if (readOid(mask.next()) !== OID_MGF1) return undefined;
  const [hash, maskHash] = [readHash(inside(hashPart.raw, 0xa0).rest()), readHash(mask.rest())];
  const saltLength = saltPart ? readSmallInteger(inside(saltPart.raw, 0xa2).expect(tags.integer)) : 20;
  return hash === undefined || hash !== maskHash || saltLength > 64 ? undefined : { family: 'rsa', hash, saltLength };
}

function readHash(identifier: Buffer): string | undefined {
  const reader = inside(identifier, tags.sequence);
  const hash = hashes[readOid(reader.next())];
  reader.optional(tags.none);
  reader.end();
  return hash;
}

/** @param publicKey  of the issuer, opened or as SubjectPublicKeyInfo in DER, that `keyFamily` has accepted */
export function isSignedWith(
  { signed, signature }: Pick<Certificate, 'signed' | 'signature'>,
  publicKey: Buffer | KeyObject,
  { hash, saltLength }: SignatureAlgorithm,
): boolean {
  try {
    const key = Buffer.isBuffer(publicKey)
      ? createPublicKey({ key: publicKey, type: 'spki', format: 'der' })
      : publicKey;
    const input: VerifyKeyObjectInput =
      saltLength === undefined ? { key } : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
    return verify(hash, signed, input, signature);
  } catch {
    return false; // a key that cannot be opened signed nothing
  }
}
