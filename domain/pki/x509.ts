/**
 * The adapter to the certificate library: decodes requests and the names in certificates (RFC 2986, RFC 5280). No
 * rules here: which requests are good enough is `csr.ts`.
 */
import 'reflect-metadata';
import type { KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { AlternativeNames } from './certificate-writer.js';
import { countElements, inside, readWholeBits, tags } from './der.js';
import { isSignedWith, keyFamily, readSignatureAlgorithm } from './signatures.js';

export interface DecodedRequest {
  /** SubjectPublicKeyInfo in DER, as sent. */
  readonly publicKey: Buffer;
  /** The first CN of the subject. */
  readonly commonName: string | undefined;
  /** DNS names and IP addresses of the subject alternative name that it asks for, as text. */
  readonly names: Required<Pick<AlternativeNames, 'dns' | 'ip'>>;
  /** Names as WebCrypto has them, such as `ECDSA` and `SHA-256`; undefined for algorithms it does not know. */
  readonly signature: { readonly name: string; readonly hash: string | undefined };
  /** Proof of possession: true when the request is signed with the key that it carries. @param key  that one, opened */
  verify(key: KeyObject): boolean;
}

/** @throws Error when the bytes are no PKCS#10 request, or more than one */
export function decodeRequest(der: Buffer): DecodedRequest {
  const parts = readParts(der);
  const request = new x509.Pkcs10CertificateRequest(der);
  const asked = [...request.extensions].flatMap((extension) =>
    extension instanceof x509.SubjectAlternativeNameExtension ? extension.names.items : [],
  );
  const { name, hash } = request.signatureAlgorithm as { name: string; hash?: { name: string } };
  const publicKey = Buffer.from(request.publicKey.rawData);
  return {
    publicKey,
    commonName: request.subjectName.getField('CN')[0],
    names: {
      dns: asked.filter(({ type }) => type === 'dns').map(({ value }) => value),
      ip: asked.filter(({ type }) => type === 'ip').map(({ value }) => value),
    },
    signature: { name, hash: hash?.name },
    verify: (key) => isSignedByOwnKey(parts, publicKey, key),
  };
}

interface SignedParts {
  readonly signed: Buffer;
  readonly signatureAlgorithm: Buffer;
  readonly signature: Buffer;
}

/** @throws DerFault */
function readParts(der: Buffer): SignedParts {
  const outer = inside(der, tags.sequence);
  const signed = outer.expect(tags.sequence).raw;
  const signatureAlgorithm = outer.expect(tags.sequence).raw;
  const signature = readWholeBits(outer.expect(tags.bits));
  outer.end();
  return { signed, signatureAlgorithm, signature };
}

function isSignedByOwnKey({ signatureAlgorithm, ...parts }: SignedParts, publicKey: Buffer, key: KeyObject): boolean {
  const algorithm = readSignatureAlgorithm(signatureAlgorithm);
  if (algorithm === undefined || algorithm.family !== keyFamily(publicKey)) return false;
  return isSignedWith(parts, key, algorithm);
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
