/** The outer form that certificates and signing requests share (RFC 5280 section 4.1, RFC 2986 section 4.2). */
import { inside, readWholeBits, tags } from './der.js';
import type { Element } from './der.js';

export interface Signed {
  /** The part that is signed; `raw` is what the signature covers. */
  readonly content: Element;
  /** AlgorithmIdentifier in DER. */
  readonly signatureAlgorithm: Buffer;
  readonly signature: Buffer;
}

/** @throws DerFault when the bytes are not exactly one of these */
export function readSigned(der: Buffer): Signed {
  const outer = inside(der, tags.sequence);
  const content = outer.expect(tags.sequence);
  const signatureAlgorithm = outer.expect(tags.sequence).raw;
  const signature = readWholeBits(outer.expect(tags.bits));
  outer.end();
  return { content, signatureAlgorithm, signature };
}
