/**
 * The one way from bytes of a frame to a text. Every text that it makes can be stored: PostgreSQL refuses a NUL, so one
 * becomes U+FFFD, as bytes do that are no UTF-8. A text that has one names nothing of ours (`couldBeStored`).
 */
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';

const { decodeUtf8: decode } = getTextEncoding();

/** A byte of no UTF-8 text: it becomes U+FFFD. */
const NO_TEXT = 0xff;

export function textFrom(bytes: Uint8Array): string {
  const kept = bytes.includes(0) ? bytes.map((byte) => (byte === 0 ? NO_TEXT : byte)) : bytes;
  return Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString('utf8');
}

/** Makes the texts of protobuf messages the same way. Each module that reads or writes messages imports this one. */
configureTextEncoding({
  // Texts of messages are short: this way they take a third of the time.
  encodeUtf8: (text) => Buffer.from(text, 'utf8'),
  checkUtf8: (text) => text.isWellFormed(),
  decodeUtf8: (bytes, strict) => (bytes.includes(0) ? textFrom(bytes) : decode(bytes, strict)),
});
