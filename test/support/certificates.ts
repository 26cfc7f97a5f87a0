/**
 * Certificates for tests, made in code by an encoder that also makes what no CA should: certificate authorities,
 * leaves, requests, and clients that show them. Everything has a sensible default and can be set.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { toPem } from '../../domain/pki/pem.js';
import { createClient } from './client.js';
import type { Client } from './client.js';
import { bits, context, explicit, generalizedTime, integer, oid, sequence, set, text } from './der.js';
import { encodeExtension, extensionsOf, signatureAlgorithm, signatureOf } from './certificate-encoding.js';
import type { TestKeyUsage } from './certificate-encoding.js';

export type TestKeyKind =
  'ec-p256' | 'ec-p384' | 'ec-p521' | 'ec-secp256k1' | 'ed25519' | 'rsa-1024' | 'rsa-2048' | 'rsa-3072' | 'rsa-4096';

export interface TestKeys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface TestExtension {
  readonly oid: string;
  readonly isCritical?: boolean;
  readonly value: Buffer;
}

export interface TestNames {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly uri?: readonly string[];
  readonly email?: readonly string[];
  /** Names in DER, as `nameOf` makes them. */
  readonly directory?: readonly Buffer[];
  /** General names in DER. */
  readonly other?: readonly Buffer[];
}

export interface CertificateOptions {
  /** A new key of this kind; EC P-256 by default. RSA keys come from a small pool. */
  readonly keyKind?: TestKeyKind;
  /** A key that is there already. */
  readonly keys?: TestKeys;
  readonly commonName?: string;
  /** The whole subject in DER, as `nameOf` makes it. */
  readonly subject?: Buffer;
  readonly serialNumber?: Buffer;
  /** An hour ago by default. */
  readonly notBefore?: Date;
  /** In a day by default. */
  readonly notAfter?: Date;
  /** null: no such extension. */
  readonly basicConstraints?: { readonly isCa: boolean; readonly pathLength?: number } | null;
  readonly keyUsage?: readonly TestKeyUsage[] | null;
  /** `clientAuth`, `serverAuth`, `any`, or another OID in dots. */
  readonly extendedKeyUsage?: readonly string[] | null;
  readonly names?: TestNames;
  /** null: no such extension. */
  readonly subjectKeyId?: Buffer | null;
  readonly authorityKeyId?: Buffer | null;
  /** After all others. */
  readonly extensions?: readonly TestExtension[];
  readonly hash?: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
  /** RSASSA-PSS instead of PKCS#1 v1.5, for issuers with RSA keys. */
  readonly isPss?: boolean;
  /** The signature is one of another text. */
  readonly isForged?: boolean;
  /** Version 1: no extensions at all. */
  readonly isVersion1?: boolean;
}

export interface TestCertificate {
  readonly der: Buffer;
  readonly pem: string;
  readonly certificate: X509Certificate;
  /** SHA-1 of the DER in lower-case hex, as the API shows it. */
  readonly fingerprint: string;
  readonly keys: TestKeys;
  /** PKCS#8. */
  readonly privateKeyPem: string;
  /** The subject in DER. */
  readonly subject: Buffer;
  readonly subjectKeyId: Buffer | null;
}

export type CaOptions = CertificateOptions & {
  /** undefined: self-signed. */
  readonly parent?: TestCertificate;
  readonly pathLength?: number;
};

const HOUR_MS = 3_600_000;
const RSA_POOL = 4;
const rsaPool = new Map<string, TestKeys[]>();
let count = 0;

/** Elliptic keys are new each time; of each RSA size there are four, handed out in turn, because they take so long. */
export function makeKeys(kind: TestKeyKind = 'ec-p256'): TestKeys {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  const [family, size = ''] = kind.split('-');
  if (family === 'ec')
    return generateKeyPairSync('ec', { namedCurve: { p256: 'P-256', p384: 'P-384', p521: 'P-521' }[size] ?? size });
  const pool = rsaPool.get(kind) ?? [];
  rsaPool.set(kind, pool);
  const next =
    pool.length < RSA_POOL ? generateKeyPairSync('rsa', { modulusLength: Number(size) }) : (pool.shift() as TestKeys);
  pool.push(next);
  return next;
}

/**
 * RSA keys with another exponent than 65537. An even one has no private key: that of 65537 signs, and nothing verifies.
 */
export function makeRsaKeys(exponent: number): TestKeys {
  if (exponent % 2 === 1) return generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: exponent });
  const { publicKey, privateKey } = makeKeys('rsa-2048');
  const e = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex').toString('base64url');
  return {
    publicKey: createPublicKey({ key: { ...publicKey.export({ format: 'jwk' }), e }, format: 'jwk' }),
    privateKey,
  };
}

/** A name in DER. @param attributes  OIDs in dots and their values, in order; a Buffer is a value in DER */
export function nameOf(...attributes: readonly (readonly [oid: string, value: string | Buffer])[]): Buffer {
  return sequence(
    ...attributes.map(([type, value]) => set(sequence(oid(type), typeof value === 'string' ? text(value) : value))),
  );
}

export const commonNameOf = (commonName: string): Buffer => nameOf(['2.5.4.3', commonName]);

/** A certificate authority: self-signed, or an intermediate below `parent`. */
export function makeCa({ parent, pathLength, ...options }: CaOptions = {}): TestCertificate {
  return makeCertificate(parent, {
    commonName: `Test CA ${(count += 1)}`,
    basicConstraints: { isCa: true, ...(pathLength === undefined ? {} : { pathLength }) },
    keyUsage: ['keyCertSign', 'cRLSign'],
    ...options,
  });
}

/** A client's certificate. */
export function makeLeaf(ca: TestCertificate, options: CertificateOptions = {}): TestCertificate {
  return makeCertificate(ca, {
    commonName: `leaf ${(count += 1)}`,
    basicConstraints: { isCa: false },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    ...options,
  });
}

/** Its own issuer, but no CA. */
export function makeSelfSigned(options: CertificateOptions = {}): TestCertificate {
  return makeCertificate(undefined, {
    commonName: `self ${(count += 1)}`,
    basicConstraints: { isCa: false },
    keyUsage: ['digitalSignature'],
    ...options,
  });
}

/** Exactly what the options say. @param parent  the issuer; undefined: self-signed */
export function makeCertificate(parent: TestCertificate | undefined, options: CertificateOptions): TestCertificate {
  const keys = options.keys ?? makeKeys(options.keyKind);
  const subject = options.subject ?? commonNameOf(options.commonName ?? 'test');
  const spki = keys.publicKey.export({ type: 'spki', format: 'der' });
  const subjectKeyId = options.subjectKeyId === undefined ? keyIdOf(spki) : options.subjectKeyId;
  const authorityKeyId = options.authorityKeyId === undefined ? (parent?.subjectKeyId ?? null) : options.authorityKeyId;
  const algorithm = signatureAlgorithm(parent?.keys ?? keys, options);
  const content = sequence(
    ...(options.isVersion1 ? [] : [explicit(0, integer(2))]),
    integer(options.serialNumber ?? Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    algorithm,
    parent?.subject ?? subject,
    sequence(
      generalizedTime(options.notBefore ?? new Date(Date.now() - HOUR_MS)),
      generalizedTime(options.notAfter ?? new Date(Date.now() + 24 * HOUR_MS)),
    ),
    subject,
    spki,
    ...(options.isVersion1
      ? []
      : [explicit(3, sequence(...extensionsOf(options, subjectKeyId, authorityKeyId).map(encodeExtension)))]),
  );
  const der = sequence(content, algorithm, bits(signatureOf(content, parent?.keys ?? keys, options)));
  return {
    der,
    pem: toPem('CERTIFICATE', der),
    certificate: new X509Certificate(der),
    fingerprint: createHash('sha1').update(der).digest('hex'),
    keys,
    subject,
    subjectKeyId,
    privateKeyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

export interface RequestOptions extends Pick<
  CertificateOptions,
  | 'keyKind'
  | 'keys'
  | 'commonName'
  | 'hash'
  | 'isForged'
  | 'basicConstraints'
  | 'keyUsage'
  | 'extendedKeyUsage'
  | 'names'
  | 'extensions'
> {
  readonly subject?: Buffer;
}

export interface TestSigningRequest {
  readonly pem: string;
  readonly der: Buffer;
  readonly keys: TestKeys;
  readonly privateKeyPem: string;
}

/** A certificate signing request (PKCS#10). `isForged`: signed, but not this text. */
export function makeRequest(options: RequestOptions = {}): TestSigningRequest {
  const keys = options.keys ?? makeKeys(options.keyKind);
  const spki = keys.publicKey.export({ type: 'spki', format: 'der' });
  const content = sequence(
    integer(0),
    options.subject ?? commonNameOf(options.commonName ?? 'requester'),
    spki,
    context(0, extensionRequest(options)),
  );
  const der = sequence(content, signatureAlgorithm(keys, options), bits(signatureOf(content, keys, options)));
  return {
    pem: toPem('CERTIFICATE REQUEST', der),
    der,
    keys,
    privateKeyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** What the request asks the certificate to say (RFC 2985 section 5.4.2); nothing by default. */
function extensionRequest(options: RequestOptions): Buffer {
  const extensions = extensionsOf(options, null, null).map(encodeExtension);
  return extensions.length === 0
    ? Buffer.alloc(0)
    : sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)));
}

/**
 * A client that shows a certificate in its handshake.
 * @param shown.cert  PEM, the leaf first; TLS sends them in this order, whatever they are, but the key must be the
 * leaf's
 */
export function createCertificateClient(baseUrl: string, shown: { cert: string; key: string }, token?: string): Client {
  return createClient(baseUrl, token, shown);
}

/** What `createCertificateClient` shows: the leaf, its key, and certificates to send after it in this order. */
export function shownBy(
  leaf: TestCertificate,
  ...others: readonly Pick<TestCertificate, 'pem'>[]
): { cert: string; key: string } {
  return { cert: [leaf, ...others].map(({ pem }) => pem).join(''), key: leaf.privateKeyPem };
}

export function keyIdOf(spki: Buffer): Buffer {
  return createHash('sha1').update(spki).digest();
}
