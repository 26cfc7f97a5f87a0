/**
 * Decodes certificate signing requests (RFC 2986), in some 20 microseconds and without cryptography. No rules here:
 * which requests are good enough is `csr.ts`.
 */
import type { KeyObject } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { AlternativeNames } from './certificate-writer.js';
import { DerFault, DerReader, elementsOf, inside, readOid, readSmallInteger, tags } from './der.js';
import type { Element } from './der.js';
import { commonNameOf } from './directory-names.js';
import { readSigned } from './signed.js';
import { isSignedWith, keyFamily, readSignatureAlgorithm, signatureWords } from './signatures.js';
import type { SignatureAlgorithm } from './signatures.js';

export interface DecodedRequest {
  /** SubjectPublicKeyInfo in DER, as sent. */
  readonly publicKey: Buffer;
  /** The first CN of the subject. */
  readonly commonName: string | undefined;
  /** DNS names and IP addresses of the subject alternative name that it asks for, as text. */
  readonly names: Required<Pick<AlternativeNames, 'dns' | 'ip'>>;
  /** Undefined for an algorithm that is not accepted. */
  readonly signature: SignatureAlgorithm | undefined;
  /** The same for people. */
  readonly signedWith: string;
  /** Proof of possession: true when the request is signed with the key that it carries. @param key  that one, opened */
  verify(key: KeyObject): boolean;
}

const ATTRIBUTES = 0xa0;

/** @throws DerFault when the bytes are no PKCS#10 request, or more than one */
export function decodeRequest(der: Buffer): DecodedRequest {
  const { content, signatureAlgorithm, signature } = readSigned(der);
  const fields = new DerReader(content.content);
  if (readSmallInteger(fields.expect(tags.integer)) !== 0) throw new DerFault('an unknown version');
  const subject = fields.expect(tags.sequence).raw;
  const publicKey = fields.expect(tags.sequence).raw;
  const attributes = fields.optional(ATTRIBUTES);
  fields.end();
  const algorithm = readSignatureAlgorithm(signatureAlgorithm);
  return {
    publicKey,
    commonName: commonNameOf(subject),
    names: namesOf(attributes === undefined ? [] : elementsOf(attributes.content)),
    signature: algorithm,
    signedWith: signatureWords(signatureAlgorithm),
    verify: (key) =>
      algorithm !== undefined &&
      algorithm.family === keyFamily(publicKey) &&
      isSignedWith({ signed: content.raw, signature }, key, algorithm),
  };
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

function namesOf(attributes: readonly Element[]): DecodedRequest['names'] {
  const names = attributes.flatMap(extensionsOf).flatMap(alternativeNamesOf);
  const of = (wanted: number) => names.filter(({ tag }) => tag === wanted).map(({ content }) => content);
  return { dns: of(DNS_NAME).map((name) => name.toString('latin1')), ip: of(IP_ADDRESS).map(addressText) };
}

/** Extensions that an attribute asks for. */
function extensionsOf({ raw }: Element): Element[] {
  const attribute = inside(raw, tags.sequence);
  const type = readOid(attribute.next());
  const values = elementsOf(attribute.expect(tags.set).content);
  attribute.end();
  return type === EXTENSION_REQUEST
    ? values.flatMap((value) => elementsOf(inside(value.raw, tags.sequence).rest()))
    : [];
}

function alternativeNamesOf({ raw }: Element): Element[] {
  const extension = inside(raw, tags.sequence);
  const type = readOid(extension.next());
  extension.optional(tags.boolean);
  const { content } = extension.expect(tags.octets);
  extension.end();
  return type === SUBJECT_ALTERNATIVE_NAME ? elementsOf(inside(content, tags.sequence).rest()) : [];
}

/** Bytes that are no address come in hex, which is none either. */
function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = (bytes.toString('hex').match(/.{1,4}/g) ?? []).join(':');
  return isIPv6(groups) ? new URL(`http://[${groups}]`).hostname.slice(1, -1) : groups;
}
