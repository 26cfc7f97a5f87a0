/** PEM text (RFC 7468): strict enough that what passes is read the same way by every TLS library. */

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

/**
 * All blocks of a text, in order; text between blocks is skipped, as RFC 7468 section 2 allows.
 * @throws Error when a block's body is no base64, or a BEGIN has no matching END
 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks = [...text.matchAll(BLOCK)].map(([, label, body]) => ({
    label: label as string,
    der: decode(body as string),
  }));
  if (blocks.length !== text.split('-----BEGIN ').length - 1) throw new Error('the text holds a broken PEM block');
  return blocks;
}

function decode(body: string): Buffer {
  const base64 = body.replace(/\s+/g, '');
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new Error('the body of a PEM block is not base64');
  }
  return Buffer.from(base64, 'base64');
}

/** One block with 64 columns, ending in a line feed. */
export function toPem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${base64Lines(der)}-----END ${label}-----\n`;
}

/** Base64 in lines of 64 columns, each ending in a line feed. */
export function base64Lines(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
}

/** DER of the leaf, or of the CA that the text is about. @throws Error as `certificatesOf` */
export function firstCertificate(pem: string): Buffer {
  const [first] = certificatesOf(pem);
  if (first === undefined) throw new Error('the text holds no certificate');
  return first;
}

/** Whether the text begins with this certificate, byte for byte. @throws Error as `certificatesOf` */
export const isLeafOf = (pem: string, der: Uint8Array): boolean => firstCertificate(pem).equals(der);

/** DER of every certificate of a bundle, at least one. @throws Error when there is none, or another kind of block */
export function certificatesOf(pem: string): Buffer[] {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) throw new Error('the text holds no PEM block');
  const other = blocks.find(({ label }) => label !== 'CERTIFICATE');
  if (other) throw new Error(`expected only CERTIFICATE blocks, found ${other.label}`);
  return blocks.map(({ der }) => der);
}
