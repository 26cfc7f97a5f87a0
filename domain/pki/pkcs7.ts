/**
 * A list of certificates as EST serves them (RFC 7030 section 4.1.3): PKCS#7 SignedData that signs nothing and holds
 * certificates only (RFC 5652 section 5.1), DER in base64.
 */
import { X509Certificate } from 'node:crypto';
import { element } from './der-writer.js';
import { base64Lines, certificatesOf } from './pem.js';

const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT_0 = 0xa0;
const VERSION_1 = Buffer.from('020101', 'hex');
/** 1.2.840.113549.1.7.2 and 1.2.840.113549.1.7.1 */
const OID_SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
const OID_DATA = Buffer.from('06092a864886f70d010701', 'hex');

/**
 * @param certPems  certificates or bundles in PEM; one that occurs twice is sent once
 * @returns base64 in lines of 64 columns, each ending in a line feed
 * @throws Error when a text holds no certificate, something else, or bytes that are no certificate
 */
export function certsOnlyPkcs7(certPems: readonly string[]): string {
  return base64Lines(certsOnlySignedData(certPems.flatMap(certificatesOf)));
}

function certsOnlySignedData(certificates: readonly Buffer[]): Buffer {
  const whole = certificates.map((der) => new X509Certificate(der).raw);
  const each = [...new Map(whole.map((der) => [der.toString('base64'), der])).values()];
  return element(
    SEQUENCE,
    OID_SIGNED_DATA,
    element(
      CONTEXT_0,
      element(
        SEQUENCE,
        VERSION_1,
        element(SET), // digest algorithms
        element(SEQUENCE, OID_DATA), // no content
        // certificates; DER sorts a SET OF (X.690 section 11.6)
        element(CONTEXT_0, ...each.sort((a, b) => Buffer.compare(a, b))),
        element(SET),
      ),
    ),
  ); // signers
}
