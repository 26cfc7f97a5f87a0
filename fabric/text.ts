/**
 * The one way from bytes of a frame to a text. Every text that it makes can be stored: PostgreSQL refuses a NUL, so one
 * becomes U+FFFD, as bytes do that are no UTF-8. A text that has one names nothing of ours (`couldBeStored`).
 */
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';

const { decodeUtf8: decode } = getTextEncoding();

const storable = (text: string, bytes: Uint8Array): string =>
  bytes.includes(0) ? text.replaceAll('\0', '\uFFFD') : text;

export const textFrom = (bytes: Uint8Array): string =>
  storable(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), bytes);

/** Makes the texts of protobuf messages the same way. Each module that reads or writes messages imports this one. */
configureTextEncoding({
  // Texts of messages are short: this way they take a third of the time.
  encodeUtf8: (text) => Buffer.from(text, 'utf8'),
  checkUtf8: (text) => text.isWellFormed(),
  decodeUtf8: (bytes, strict) => storable(decode(bytes, strict), bytes),
});
