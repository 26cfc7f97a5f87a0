/** Directory names (RFC 5280 sections 4.1.2.4 and 7.1): compared as people read them, not byte by byte. */
import { elementsOf, inside, readOid, tags, type Element } from './der.js';

const OID_COMMON_NAME = '2.5.4.3';
const OID_EMAIL = '1.2.840.113549.1.9.1';
const UTF8 = 0x0c;
const BMP = 0x1e;
const UNIVERSAL = 0x1c;
/** NumericString, PrintableString, TeletexString, IA5String, VisibleString. */
const SINGLE_BYTES = [0x12, 0x13, 0x14, 0x16, 0x1a];

/** @param name, base  names in DER. True when the base is the beginning of the name, or all of it. @throws DerFault */
export function isWithinDirectory(name: Buffer, base: Buffer): boolean {
  const [parts, wanted] = [partsOf(name), partsOf(base)];
  return wanted.length <= parts.length && wanted.every((part, index) => part === parts[index]);
}

/** @throws DerFault */
export function isEmptyName(name: Buffer): boolean {
  return inside(name, tags.sequence).isAtEnd;
}

/** The e-mail addresses among the attributes. @throws DerFault */
export function emailsOf(name: Buffer): Buffer[] {
  return rdnsOf(name)
    .flat()
    .filter(({ type }) => type === OID_EMAIL)
    .map(({ value }) => Buffer.from(textOf(value) ?? '', 'utf8'));
}

/** The first common name; undefined without one, or when it is no text. @throws DerFault */
export function commonNameOf(name: Buffer): string | undefined {
  const first = rdnsOf(name)
    .flat()
    .find(({ type }) => type === OID_COMMON_NAME);
  return first && textOf(first.value);
}

interface Attribute {
  readonly type: string;
  readonly value: Element;
}

function rdnsOf(name: Buffer): Attribute[][] {
  return elementsOf(inside(name, tags.sequence).rest()).map(({ raw }) =>
    elementsOf(inside(raw, tags.set).rest()).map((attribute) => {
      const reader = inside(attribute.raw, tags.sequence);
      const type = readOid(reader.next());
      const value = reader.next();
      reader.end();
      return { type, value };
    }),
  );
}

/** A text for each RDN that is the same for names that are the same. */
function partsOf(name: Buffer): string[] {
  return rdnsOf(name).map((attributes) =>
    JSON.stringify(
      attributes
        .map(({ type, value }) => {
          const text = textOf(value);
          return text === undefined ? `${type}#${value.raw.toString('hex')}` : `${type}=${folded(text)}`;
        })
        .sort(),
    ),
  );
}

/** Letter case and runs of white space make no difference. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** undefined when it is no text. */
function textOf({ tag, content }: Element): string | undefined {
  if (tag === UTF8) return content.toString('utf8');
  if (SINGLE_BYTES.includes(tag)) return content.toString('latin1');
  if (tag === BMP && content.length % 2 === 0) return Buffer.from(content).swap16().toString('utf16le');
  if (tag !== UNIVERSAL || content.length % 4 !== 0) return undefined;
  const codes = Array.from({ length: content.length / 4 }, (_, index) => content.readUInt32BE(4 * index));
  return codes.every((code) => code <= 0x10ffff) ? String.fromCodePoint(...codes) : undefined;
}
