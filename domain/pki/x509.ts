/** The adapter to the certificate library: decodes the names in certificates (RFC 5280). */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { countElements } from './der.js';

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
