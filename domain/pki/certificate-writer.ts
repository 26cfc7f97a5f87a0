/**
 * Writes and signs certificates (RFC 5280 section 4.1). No rules here: what a certificate may say is `authority.ts`.
 * Writing one takes 0.1 ms; RSA signs in the thread pool.
 */
import { createHash, createPublicKey, sign, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { readCertificate } from './certificate.js';
import { element, flags, octets, oid, positiveInteger, sequence, timeOfCertificate, wholeBits } from './der-writer.js';
import { inside, readWholeBits, tags } from './der.js';

export interface AlternativeNames {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly uri?: readonly string[];
}

/** The positions of the bits (RFC 5280 section 4.2.1.3). */
const KEY_USAGES = {
  digitalSignature: 0,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyCertSign: 5,
  cRLSign: 6,
} as const;
const EXTENDED_KEY_USAGES = { serverAuth: oid('1.3.6.1.5.5.7.3.1'), clientAuth: oid('1.3.6.1.5.5.7.3.2') } as const;

export interface CertificateContent {
  readonly commonName: string;
  /** Positive, at most 20 bytes. */
  readonly serialNumber: Buffer;
  /** Whole seconds; the rest is cut off. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  /** undefined: an end entity. `pathLength` undefined: as long a chain as one likes. */
  readonly authority: { readonly pathLength?: number } | undefined;
  readonly keyUsages: readonly (keyof typeof KEY_USAGES)[];
  readonly extendedKeyUsages: readonly (keyof typeof EXTENDED_KEY_USAGES)[];
  readonly names: AlternativeNames;
}

/** A private key ready to sign, with what is written of it into certificates. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly hash: string;
  /** AlgorithmIdentifier of its signatures in DER. */
  readonly algorithm: Buffer;
  /** Name of the issuer in DER; undefined: a certificate names its own subject. */
  readonly name: Buffer | undefined;
  readonly keyId: Buffer;
}

const CURVES: Readonly<Record<string, { hash: string; algorithm: string }>> = {
  prime256v1: { hash: 'sha256', algorithm: '1.2.840.10045.4.3.2' },
  secp384r1: { hash: 'sha384', algorithm: '1.2.840.10045.4.3.3' },
  secp521r1: { hash: 'sha512', algorithm: '1.2.840.10045.4.3.4' },
};
const RSA_SHA256 = sequence(oid('1.2.840.113549.1.1.11'), element(tags.none));

/**
 * @param issuerDer  the certificate of the key; undefined for a key that signs its own
 * @throws Error for a key that is neither RSA nor on one of the curves P-256, P-384, P-521
 */
export function signingKey(key: KeyObject, issuerDer?: Buffer): SigningKey {
  const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!curve && key.asymmetricKeyType !== 'rsa') throw new Error('a signing key must be RSA or P-256, P-384, P-521');
  const issuer = issuerDer === undefined ? undefined : readCertificate(issuerDer);
  const ownId = issuer?.extensions.get(SUBJECT_KEY_ID)?.value;
  return {
    key,
    ...(curve === undefined
      ? { hash: 'sha256', algorithm: RSA_SHA256 }
      : { hash: curve.hash, algorithm: sequence(oid(curve.algorithm)) }),
    name: issuer?.subject,
    keyId:
      ownId === undefined
        ? keyId(issuer?.publicKey ?? createPublicKey(key).export({ type: 'spki', format: 'der' }))
        : inside(ownId, tags.octets).rest(),
  };
}

/** @returns DER */
export async function signCertificate(content: CertificateContent, signer: SigningKey): Promise<Buffer> {
  const subject = nameOf(content.commonName);
  const signed = sequence(
    element(0xa0, positiveInteger(Buffer.of(2))), // version 3
    positiveInteger(content.serialNumber),
    signer.algorithm,
    signer.name ?? subject,
    sequence(timeOfCertificate(content.notBefore), timeOfCertificate(content.notAfter)),
    subject,
    content.publicKey,
    element(0xa3, sequence(...extensionsOf(content, signer.keyId))),
  );
  return sequence(signed, signer.algorithm, wholeBits(await signatureOf(signed, signer)));
}

/** P-256 takes 26 us here and 73 through the thread pool; RSA up to 4 ms, too long to hold up other requests. */
async function signatureOf(bytes: Buffer, { key, hash }: SigningKey): Promise<Buffer> {
  const input = { key, dsaEncoding: 'der' } as const;
  return key.asymmetricKeyType === 'ec' ? sign(hash, bytes, input) : signInThreadPool(hash, bytes, input);
}
const signInThreadPool = promisify<string, Buffer, SignKeyObjectInput, Buffer>(sign);

/** A common name: printable characters as such, others in UTF-8, as OpenSSL writes them. */
function nameOf(commonName: string): Buffer {
  const isPrintable = /^[A-Za-z0-9 '()+,./:=?-]*$/.test(commonName);
  const text = element(isPrintable ? PRINTABLE : UTF8, Buffer.from(commonName, 'utf8'));
  return sequence(element(tags.set, sequence(COMMON_NAME, text)));
}
const PRINTABLE = 0x13;
const UTF8 = 0x0c;
const COMMON_NAME = oid('2.5.4.3');

const SUBJECT_KEY_ID = '2.5.29.14';
const EXTENSIONS = {
  basicConstraints: oid('2.5.29.19'),
  keyUsage: oid('2.5.29.15'),
  extendedKeyUsage: oid('2.5.29.37'),
  alternativeName: oid('2.5.29.17'),
  subjectKeyId: oid(SUBJECT_KEY_ID),
  authorityKeyId: oid('2.5.29.35'),
} as const;

/** Basic constraints and key usage are critical (RFC 5280 sections 4.2.1.3 and 4.2.1.9), the rest is not. */
function extensionsOf(content: CertificateContent, issuerKeyId: Buffer): Buffer[] {
  const { authority, keyUsages, extendedKeyUsages } = content;
  const names = alternativesOf(content.names);
  return [
    extension(EXTENSIONS.basicConstraints, constraints(authority), true),
    extension(EXTENSIONS.keyUsage, flags(keyUsages.map((usage) => KEY_USAGES[usage])), true),
    ...(extendedKeyUsages.length > 0
      ? [
          extension(
            EXTENSIONS.extendedKeyUsage,
            sequence(...extendedKeyUsages.map((usage) => EXTENDED_KEY_USAGES[usage])),
          ),
        ]
      : []),
    ...(names.length > 0 ? [extension(EXTENSIONS.alternativeName, sequence(...names))] : []),
    extension(EXTENSIONS.subjectKeyId, octets(keyId(content.publicKey))),
    extension(EXTENSIONS.authorityKeyId, sequence(element(0x80, issuerKeyId))),
  ];
}

const TRUE = element(tags.boolean, Buffer.of(0xff));

const extension = (id: Buffer, value: Buffer, isCritical = false): Buffer =>
  sequence(id, ...(isCritical ? [TRUE] : []), octets(value));

function constraints(authority: CertificateContent['authority']): Buffer {
  if (authority === undefined) return sequence();
  const { pathLength } = authority;
  return sequence(TRUE, ...(pathLength === undefined ? [] : [positiveInteger(Buffer.of(pathLength))]));
}

/** SHA-1 of the bits of the key (RFC 5280 section 4.2.1.2); it finds a key and proves nothing. */
function keyId(publicKey: Buffer): Buffer {
  const info = inside(publicKey, tags.sequence);
  info.expect(tags.sequence);
  return createHash('sha1')
    .update(readWholeBits(info.expect(tags.bits)))
    .digest();
}

const alternativesOf = ({ dns = [], ip = [], uri = [] }: AlternativeNames): Buffer[] => [
  ...dns.map((name) => element(0x82, ascii(name))),
  ...ip.map((address) => element(0x87, addressBytes(address))),
  ...uri.map((name) => element(0x86, ascii(name))),
];

/** @throws Error for other characters, which such names cannot have (RFC 5280 section 4.2.1.6) */
function ascii(text: string): Buffer {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new Error('a name in a certificate has characters that are not ASCII');
  return Buffer.from(text, 'latin1');
}

/** Four or sixteen bytes. @throws Error for what is no address */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The parser of URLs writes every form of an address in one way: groups of hex, one run of zeros left out.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

const groups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
