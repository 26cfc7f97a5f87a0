/**
 * The adapter to the certificate library: encodes and signs certificates, decodes and verifies requests (RFC 5280,
 * RFC 2986). No rules here: what a certificate may say is `authority.ts`, which requests are good enough `csr.ts`.
 */
import 'reflect-metadata';
import { webcrypto, type KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { countElements } from './der.js';

export interface AlternativeNames {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly uri?: readonly string[];
}

export type KeyUsage = 'digitalSignature' | 'keyEncipherment' | 'dataEncipherment' | 'keyCertSign' | 'cRLSign';
export type ExtendedKeyUsage = 'serverAuth' | 'clientAuth';

export interface CertificateContent {
  readonly commonName: string;
  readonly organization?: string;
  /** Positive, at most 20 bytes. */
  readonly serialNumber: Buffer;
  /** Whole seconds; the rest is cut off. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** undefined: an end entity. `pathLength` undefined: as long a chain as one likes. */
  readonly authority: { readonly pathLength?: number } | undefined;
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ExtendedKeyUsage[];
  readonly names: AlternativeNames;
}

/** A private key ready to sign, and the name and public key to sign as. */
export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  readonly algorithm: Algorithm & { hash: string };
}
type Algorithm = { name: string };

const curves: Readonly<Record<string, { namedCurve: string; hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

/** @throws Error for a key that is neither RSA nor on one of the curves P-256, P-384, P-521 */
export async function signingKey(privateKey: KeyObject): Promise<SigningKey> {
  const curve = curves[privateKey.asymmetricKeyDetails?.namedCurve ?? ''];
  const algorithm = curve ? { name: 'ECDSA', ...curve } : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (!curve && privateKey.asymmetricKeyType !== 'rsa')
    throw new Error('a signing key must be RSA or P-256, P-384, P-521');
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return { key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']), algorithm };
}

/**
 * Encodes and signs one certificate.
 * @param issuerDer  the issuer's certificate; undefined makes a self-signed one
 * @returns DER
 */
export async function signCertificate(
  content: CertificateContent,
  signer: SigningKey,
  issuerDer?: Uint8Array,
): Promise<Buffer> {
  const publicKey = new x509.PublicKey(content.publicKey);
  const subject = new x509.Name([
    ...(content.organization === undefined ? [] : [{ O: [content.organization] }]),
    { CN: [content.commonName] },
  ]);
  const issuer = issuerDer === undefined ? undefined : new x509.X509Certificate(issuerDer);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: content.serialNumber.toString('hex'),
    subject,
    issuer: issuer ? issuer.subjectName : subject,
    notBefore: wholeSeconds(content.notBefore),
    notAfter: wholeSeconds(content.notAfter),
    publicKey,
    signingKey: signer.key,
    signingAlgorithm: signer.algorithm,
    extensions: await extensionsOf(content, publicKey, issuer?.publicKey ?? publicKey),
  });
  return Buffer.from(certificate.rawData);
}

/** Basic constraints and key usage are critical (RFC 5280 sections 4.2.1.3 and 4.2.1.9), the rest is not. */
async function extensionsOf(
  content: CertificateContent,
  own: x509.PublicKey,
  issuer: x509.PublicKey,
): Promise<x509.Extension[]> {
  const { authority, names } = content;
  const alternatives: x509.JsonGeneralNames = [
    ...(names.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(names.ip ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(names.uri ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  return [
    new x509.BasicConstraintsExtension(authority !== undefined, authority?.pathLength, true),
    new x509.KeyUsagesExtension(
      content.keyUsages.reduce((flags, usage) => flags | x509.KeyUsageFlags[usage], 0),
      true,
    ),
    ...(content.extendedKeyUsages.length > 0
      ? [new x509.ExtendedKeyUsageExtension(content.extendedKeyUsages.map((usage) => x509.ExtendedKeyUsage[usage]))]
      : []),
    ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
    await x509.SubjectKeyIdentifierExtension.create(own),
    await x509.AuthorityKeyIdentifierExtension.create(issuer),
  ];
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

export interface DecodedRequest {
  /** SubjectPublicKeyInfo in DER, as sent. */
  readonly publicKey: Buffer;
  /** The first CN of the subject. */
  readonly commonName: string | undefined;
  /** DNS names and IP addresses of the subject alternative name that it asks for, as text. */
  readonly names: Required<Pick<AlternativeNames, 'dns' | 'ip'>>;
  /** Names as WebCrypto has them, such as `ECDSA` and `SHA-256`; undefined for algorithms it does not know. */
  readonly signature: { readonly name: string; readonly hash: string | undefined };
  /** Proof of possession: true when the request is signed with the key that it carries. */
  verify(): Promise<boolean>;
}

/** @throws Error when the bytes are no PKCS#10 request, or more than one */
export function decodeRequest(der: Uint8Array): DecodedRequest {
  if (sequenceLength(der) !== der.length) throw new Error('the bytes are not exactly one sequence');
  const request = new x509.Pkcs10CertificateRequest(der);
  const asked = [...request.extensions].flatMap((extension) =>
    extension instanceof x509.SubjectAlternativeNameExtension ? extension.names.items : [],
  );
  const { name, hash } = request.signatureAlgorithm as { name: string; hash?: { name: string } };
  return {
    publicKey: Buffer.from(request.publicKey.rawData),
    commonName: request.subjectName.getField('CN')[0],
    names: {
      dns: asked.filter(({ type }) => type === 'dns').map(({ value }) => value),
      ip: asked.filter(({ type }) => type === 'ip').map(({ value }) => value),
    },
    signature: { name, hash: hash?.name },
    verify: () => request.verify(),
  };
}

/** The names in a certificate that may identify its holder, in the certificate's order. */
export interface CertificateNames {
  /** Every CN of the subject, the first of the encoding first. */
  readonly commonNames: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
}

/**
 * Decoded from the DER: in the text form of a name, quotes and commas of a value can be taken for others.
 * @throws Error when the bytes are no certificate, have more parts than a certificate needs, or carry the extension of
 * alternative names twice
 */
export function decodeNames(der: Uint8Array): CertificateNames {
  if (countElements(Buffer.from(der), MAX_ELEMENTS) > MAX_ELEMENTS)
    throw new Error('the certificate has too many parts');
  const certificate = new x509.X509Certificate(der);
  const extensions = certificate.extensions.filter(({ type }) => type === SUBJECT_ALTERNATIVE_NAME);
  if (extensions.length > 1) throw new Error('the certificate has its alternative names twice');
  const names =
    extensions[0] === undefined ? [] : new x509.SubjectAlternativeNameExtension(extensions[0].rawData).names.items;
  const of = (type: x509.GeneralNameType) => names.filter((name) => name.type === type).map((name) => name.value);
  return { commonNames: certificate.subjectName.getField('CN'), uris: of('url'), emails: of('email') };
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
/** Hundreds of names; decoding takes 0.07 ms for each element, while nothing else runs. */
const MAX_ELEMENTS = 1_024;

/**
 * Length of the sequence that the bytes start with, header included; NaN when they start with none (X.690 section
 * 8.1.3).
 */
function sequenceLength(der: Uint8Array): number {
  const [tag, first = 0] = der;
  if (tag !== 0x30) return NaN;
  if (first < 0x80) return 2 + first;
  const bytes = first & 0x7f;
  if (bytes < 1 || bytes > 4) return NaN;
  return der.subarray(2, 2 + bytes).reduce((length, byte) => length * 256 + byte, 0) + 2 + bytes;
}
