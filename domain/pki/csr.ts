/**
 * Certificate signing requests (PKCS#10, RFC 2986) from outside: size, form, proof of possession and strength of the
 * key. A certificate takes nothing from a request but its key. The subject is read because routers must name
 * themselves, their host names because clients reach them there (see router-names.ts).
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { DomainError } from '../errors.js';
import { decodeRequest, type DecodedRequest } from './certificate-request.js';
import { countElements, inside, readWholeBits, tags } from './der.js';
import { readPlainKey, readPublicKey, UNCOMPRESSED } from './keys.js';
import { pemBlocks, type PemBlock } from './pem.js';
import { isGoodRsaExponent, type KeyFamily } from './signatures.js';

/** An RSA-8192 request with room for names; checked before anything is decoded. */
const MAX_CHARACTERS = 16_384;
/** Some hundred names with an RSA-8192 key. */
const MAX_ELEMENTS = 512;
const LABELS = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'];
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
const MIN_RSA_BITS = 2048;
/** Verifying with a larger key costs more than a caller may make us spend. */
const MAX_RSA_BITS = 8192;

/** A request that passed every check. */
export interface SigningRequest {
  /** SubjectPublicKeyInfo in DER, a point on a curve uncompressed. */
  readonly publicKey: Buffer;
  readonly keyType: KeyFamily;
  /** Name that the requester claims; not verified. */
  readonly commonName: string | undefined;
  /**
   * The host names and addresses that the requester would like: wishes, in any number that fits a request, unchecked.
   */
  readonly names: { readonly dns: readonly string[]; readonly ip: readonly string[] };
}

/**
 * @param csrPem  one PEM block
 * @throws DomainError `csrInvalid`: empty, too long, unparsable, bad self-signature, signed with SHA-1 or MD5, RSA
 * below 2048 or above 8192 bits or with a bad exponent, or a curve other than P-256, P-384, P-521, or Ed25519
 */
export function readSigningRequest(csrPem: string): SigningRequest {
  const request = decode(onlyBlock(csrPem));
  const { signature, signedWith } = request;
  if (signature === undefined || signature.saltLength !== undefined) {
    throw invalid(
      `the request is signed with ${signedWith}: use Ed25519, or ECDSA or RSA with SHA-256, SHA-384 or SHA-512`,
    );
  }
  const { key, keyType } = acceptableKey(request.publicKey);
  if (!isSignedByItsKey(request, key)) throw invalid('the signature of the request does not match its key');
  return {
    publicKey: uncompressed(request.publicKey, key, keyType),
    keyType,
    commonName: request.commonName,
    names: request.names,
  };
}

function onlyBlock(csrPem: string): Buffer {
  if (csrPem.trim() === '') throw invalid('csrPem must not be null or empty');
  if (csrPem.length > MAX_CHARACTERS) throw invalid(`the request is longer than ${MAX_CHARACTERS} characters`);
  const blocks = blocksOf(csrPem);
  const [block] = blocks;
  if (!block) throw invalid('could not decode csrPem as PEM');
  if (blocks.length > 1) throw invalid('csrPem must hold one PEM block');
  if (!LABELS.includes(block.label)) {
    throw invalid(
      `expected a PEM block CERTIFICATE REQUEST, found ${block.label}`,
      undefined,
      'another PEM block than CERTIFICATE REQUEST',
    );
  }
  return block.der;
}

function blocksOf(csrPem: string): PemBlock[] {
  try {
    return pemBlocks(csrPem);
  } catch (cause) {
    throw invalid('could not decode csrPem as PEM', cause);
  }
}

function decode(der: Buffer): DecodedRequest {
  if (countElements(der, MAX_ELEMENTS) > MAX_ELEMENTS) throw invalid('the request has too many parts');
  try {
    return decodeRequest(der);
  } catch (cause) {
    throw invalid('the PEM block is not a PKCS#10 certificate request', cause);
  }
}

function acceptableKey(spki: Buffer): { key: KeyObject; keyType: KeyFamily } {
  const plain = opened(readPlainKey, spki);
  if (plain !== undefined) return { key: plain, keyType: 'ec' };
  const key = opened(readPublicKey, spki);
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') {
    if (!CURVES.includes(namedCurve ?? ''))
      throw invalid(`the curve ${namedCurve ?? 'of the key'} is not one of P-256, P-384, P-521`);
    return { key, keyType: 'ec' };
  }
  if (key.asymmetricKeyType === 'ed25519') return { key, keyType: 'ed25519' };
  if (key.asymmetricKeyType !== 'rsa')
    throw invalid(`a key of type ${key.asymmetricKeyType ?? 'unknown'} is neither EC nor RSA nor Ed25519`);
  if (modulusLength < MIN_RSA_BITS || modulusLength > MAX_RSA_BITS) {
    throw invalid(`an RSA key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, this one has ${modulusLength}`);
  }
  if (!isGoodRsaExponent(publicExponent))
    throw invalid('the exponent of the RSA key is not an odd number from 65537 to 4294967295');
  return { key, keyType: 'rsa' };
}

function opened<T>(open: (spki: Buffer) => T, spki: Buffer): T {
  try {
    return open(spki);
  } catch (cause) {
    throw invalid('the public key of the request is not readable', cause);
  }
}

/**
 * One key has one form, so that equal keys have equal bytes: a point on a curve may come compressed (RFC 5480 section
 * 2.2).
 */
function uncompressed(spki: Buffer, key: KeyObject, keyType: KeyFamily): Buffer {
  const written = (each: KeyObject) => each.export({ type: 'spki', format: 'der' });
  if (keyType !== 'ec') return written(key);
  const info = inside(spki, tags.sequence);
  info.expect(tags.sequence);
  if (readWholeBits(info.expect(tags.bits))[0] === UNCOMPRESSED) return spki;
  return written(createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }));
}
/** A signature that cannot even be decoded is a wrong one. */
function isSignedByItsKey(request: DecodedRequest, key: KeyObject): boolean {
  try {
    return request.verify(key);
  } catch {
    return false;
  }
}

/** @param logReason  where the message repeats what the request says */
function invalid(causeMessage: string, cause?: unknown, logReason = causeMessage): DomainError {
  return new DomainError('csrInvalid', { causeMessage, cause, logReason });
}
