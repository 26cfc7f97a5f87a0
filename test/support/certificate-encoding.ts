/** Parts of certificates and requests in DER: extensions, general names and signatures, right ones and wrong ones. */
import { constants, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, boolean, context, explicit, integer, octets, oid, sequence } from './der.js';
import type { CertificateOptions, TestExtension, TestKeys, TestNames } from './certificates.js';

export type TestKeyUsage = keyof typeof keyUsageBits;

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

export function extensionsOf(
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

export function encodeExtension({ oid: id, isCritical = false, value }: TestExtension): Buffer {
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

export function signatureAlgorithm(
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

export function signatureOf(
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
