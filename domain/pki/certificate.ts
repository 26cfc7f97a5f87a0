/**
 * A certificate as path validation needs it (RFC 5280 section 4.1): its fields as bytes, its times, its extensions by
 * OID. What they mean is for those who check them. Reading one takes some 20 microseconds and no cryptography.
 */
import {
  DerFault,
  DerReader,
  elementsOf,
  inside,
  readDerBoolean,
  readOid,
  readSmallInteger,
  readTime,
  tags,
} from './der.js';
import { readSigned } from './signed.js';

export interface Extension {
  readonly isCritical: boolean;
  /** DER of the value. */
  readonly value: Buffer;
}

export interface Certificate {
  /** The whole of it. */
  readonly der: Buffer;
  /** Bytes that the signature covers. */
  readonly signed: Buffer;
  readonly signature: Buffer;
  /** AlgorithmIdentifier of the signature in DER; the two that a certificate has are the same. */
  readonly signatureAlgorithm: Buffer;
  /** Names in DER; names are the same when their bytes are. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** Milliseconds since 1970; both ends belong to the validity. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  readonly extensions: ReadonlyMap<string, Extension>;
}

/** Larger ones are not looked at: an RSA-8192 certificate has 3 KB. */
const MAX_CERTIFICATE_BYTES = 16_384;
const VERSION_3 = 2;
const EXTENSIONS = 0xa3;
const VERSION = 0xa0;

/** @throws DerFault when the bytes are not exactly one certificate */
export function readCertificate(der: Buffer): Certificate {
  if (der.length > MAX_CERTIFICATE_BYTES) throw new DerFault(`more than ${MAX_CERTIFICATE_BYTES} bytes`);
  const { content, signatureAlgorithm, signature } = readSigned(der);
  const fields = new DerReader(content.content);
  const version = readVersion(fields);
  fields.expect(tags.integer); // serial number
  if (!fields.expect(tags.sequence).raw.equals(signatureAlgorithm))
    throw new DerFault('two different signature algorithms');
  const issuer = fields.expect(tags.sequence).raw;
  const validity = new DerReader(fields.expect(tags.sequence).content);
  const [notBefore, notAfter] = [readTime(validity.next()), readTime(validity.next())];
  validity.end();
  const subject = fields.expect(tags.sequence).raw;
  const publicKey = fields.expect(tags.sequence).raw;
  fields.optional(0x81); // unique identifiers of issuer and subject, not used
  fields.optional(0x82);
  const extensions = fields.optional(EXTENSIONS);
  fields.end();
  if (extensions && version !== VERSION_3) throw new DerFault('extensions before version 3');
  return {
    der,
    signed: content.raw,
    signature,
    signatureAlgorithm,
    issuer,
    subject,
    notBefore,
    notAfter,
    publicKey,
    extensions: extensions ? readExtensions(extensions.content) : new Map(),
  };
}

/** The subject alone, to tell quickly whether a certificate can be the issuer of another. @throws DerFault */
export function readSubject(der: Buffer): Buffer {
  const fields = new DerReader(inside(der, tags.sequence).expect(tags.sequence).content);
  fields.optional(VERSION);
  fields.next(); // serial number
  fields.next(); // signature algorithm
  fields.next(); // issuer
  fields.next(); // validity
  return fields.expect(tags.sequence).raw;
}

function readVersion(fields: DerReader): number {
  const element = fields.optional(VERSION);
  if (!element) return 0;
  const version = readSmallInteger(inside(element.raw, VERSION).expect(tags.integer));
  if (version > VERSION_3) throw new DerFault('an unknown version');
  return version;
}

function readExtensions(bytes: Buffer): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const { tag, content } of elementsOf(inside(bytes, tags.sequence).rest())) {
    if (tag !== tags.sequence) throw new DerFault('a malformed extension');
    const reader = new DerReader(content);
    const id = readOid(reader.expect(tags.oid));
    const critical = reader.optional(tags.boolean);
    const value = reader.expect(tags.octets).content;
    reader.end();
    if (extensions.has(id)) throw new DerFault(`the extension ${id} twice`);
    extensions.set(id, { isCritical: critical !== undefined && readDerBoolean(critical), value });
  }
  return extensions;
}
