/**
 * Certificates for tests, made in code by an encoder that also makes what no CA should: certificate authorities,
 * leaves, requests, and clients that show them. Everything has a sensible default and can be set.
 */
import {
  createHash,
  constants,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { toPem } from '../../domain/pki/pem.js';
import { createClient } from './client.js';
import type { Client } from './client.js';
import { bits, boolean, context, explicit, generalizedTime, integer, octets, oid, sequence, set, text } from './der.js';

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

export type TestKeyUsage = keyof typeof keyUsageBits;

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
const keyUsageBits = {
  digitalSignature: 0,
  nonRepudiation: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
} as const;
const usageOids: Readonly<Record<string, string>> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  any: '2.5.29.37.0',
};
const rsaHashes = {
  md5: '1.2.840.113549.1.1.4',
  sha1: '1.2.840.113549.1.1.5',
  sha224: '1.2.840.113549.1.1.14',
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
};
const ecHashes = {
  md5: '1.2.840.10045.4.3.9',
  sha1: '1.2.840.10045.4.1',
  sha224: '1.2.840.10045.4.3.1',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
};
const hashOids = {
  md5: '1.2.840.113549.2.5',
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
};

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

/** A subtree of name constraints: general names as `generalNames` makes them. */
export function nameConstraints(
  permitted: readonly Buffer[],
  excluded: readonly Buffer[],
  isCritical = true,
): TestExtension {
  const part = (tag: number, names: readonly Buffer[]) =>
    names.length === 0 ? [] : [context(tag, Buffer.concat(names.map((name) => sequence(name))))];
  return { oid: '2.5.29.30', isCritical, value: sequence(...part(0, permitted), ...part(1, excluded)) };
}

/** General names in DER (RFC 5280 section 4.2.1.6); an address with a `/` is a range in CIDR form, for constraints. */
export function generalNames({
  email = [],
  dns = [],
  directory = [],
  uri = [],
  ip = [],
  other = [],
}: TestNames): Buffer[] {
  return [
    ...email.map((name) => context(1, Buffer.from(name), false)),
    ...dns.map((name) => context(2, Buffer.from(name), false)),
    ...directory.map((name) => explicit(4, name)),
    ...uri.map((name) => context(6, Buffer.from(name), false)),
    ...ip.map((name) => context(7, addressBytes(name), false)),
    ...other,
  ];
}

function extensionsOf(
  options: CertificateOptions,
  subjectKeyId: Buffer | null,
  authorityKeyId: Buffer | null,
): TestExtension[] {
  const { basicConstraints = null, keyUsage = null, extendedKeyUsage = null, names, extensions = [] } = options;
  return [
    ...(basicConstraints
      ? [
          {
            oid: '2.5.29.19',
            isCritical: true,
            value: sequence(
              ...(basicConstraints.isCa ? [boolean(true)] : []),
              ...(basicConstraints.pathLength === undefined ? [] : [integer(basicConstraints.pathLength)]),
            ),
          },
        ]
      : []),
    ...(keyUsage ? [{ oid: '2.5.29.15', isCritical: true, value: usageBits(keyUsage) }] : []),
    ...(extendedKeyUsage
      ? [{ oid: '2.5.29.37', value: sequence(...extendedKeyUsage.map((usage) => oid(usageOids[usage] ?? usage))) }]
      : []),
    ...(names ? [{ oid: '2.5.29.17', value: sequence(...generalNames(names)) }] : []),
    ...(subjectKeyId ? [{ oid: '2.5.29.14', value: octets(subjectKeyId) }] : []),
    ...(authorityKeyId ? [{ oid: '2.5.29.35', value: sequence(context(0, authorityKeyId, false)) }] : []),
    ...extensions,
  ];
}

function encodeExtension({ oid: id, isCritical = false, value }: TestExtension): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

function usageBits(usages: readonly TestKeyUsage[]): Buffer {
  const flags = usages.reduce((byte, usage) => byte | (0x80 >> keyUsageBits[usage]), 0);
  const unused = flags === 0 ? 0 : Math.log2(flags & -flags);
  return bits(flags === 0 ? Buffer.alloc(0) : Buffer.of(flags), unused);
}

function addressBytes(name: string): Buffer {
  const [address = '', length] = name.split('/');
  const bytes = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : expanded(address);
  if (length === undefined) return bytes;
  const mask = Buffer.from(
    bytes.map((_, index) => 0xff & ~(0xff >> Math.max(0, Math.min(8, Number(length) - 8 * index)))),
  );
  return Buffer.concat([bytes, mask]);
}

function expanded(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function signatureAlgorithm(
  { privateKey }: TestKeys,
  { hash = 'sha256', isPss = false }: Pick<CertificateOptions, 'hash' | 'isPss'>,
): Buffer {
  const none = Buffer.of(5, 0);
  if (privateKey.asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'));
  if (privateKey.asymmetricKeyType === 'ec') return sequence(oid(ecHashes[hash]));
  if (!isPss) return sequence(oid(rsaHashes[hash]), none);
  const digest = sequence(oid(hashOids[hash]), none);
  const salt = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }[hash];
  return sequence(
    oid('1.2.840.113549.1.1.10'),
    sequence(
      explicit(0, digest),
      explicit(1, sequence(oid('1.2.840.113549.1.1.8'), digest)),
      explicit(2, integer(salt)),
    ),
  );
}

function signatureOf(
  content: Buffer,
  { privateKey }: TestKeys,
  { hash = 'sha256', isPss = false, isForged = false }: Pick<CertificateOptions, 'hash' | 'isPss' | 'isForged'>,
): Buffer {
  const signed = isForged ? Buffer.concat([content, Buffer.of(0)]) : content;
  if (privateKey.asymmetricKeyType === 'ed25519') return sign(null, signed, privateKey);
  return sign(
    hash,
    signed,
    isPss
      ? { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : privateKey,
  );
}
