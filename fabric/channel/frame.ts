/**
 * Frames, as both sides of the control channel send them: 20 bytes (magic, content type, sequence, length of the
 * headers, length of the body; each four bytes, little-endian), then the headers, then the body. A header is its key,
 * its length and its value; every key comes once.
 */
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { contentTypeName } from './content-types.js';
import { requireFields } from './elements.js';
import { malformed } from './malformed.js';
import { reflected } from './headers.js';
import type { Headers } from './headers.js';
import { textFrom } from './text.js';

const PREFIX_MAGIC = Buffer.of(0x03, 0x06, 0x09, 0x0c);
const PREFIX_BYTES = 20;
const HEADER_PREFIX_BYTES = 8;
const NOTHING = Buffer.alloc(0);
const NO_HEADERS: Headers = new Map();

/**
 * A message to send. Its sequence number is given when it is written.
 * @property contentType  of `ContentType`, or what a newer router may know
 */
export interface Message {
  readonly contentType: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A message that was received. */
export interface Frame extends Message {
  /** Unique among the sender's; -1 in a hello and in its answer. */
  readonly sequence: number;
  /** Length of the whole frame, as it came. */
  readonly bytes: number;
  /** It was larger than its kind may be: its body was not read, nor its headers when those are too many. */
  readonly isSkipped?: true;
  /** The channel that it came over when its handler is given another one: replies go there. */
  readonly over?: ReplyChannel;
}

export interface ReplyChannel {
  reply(request: Frame, message: Message): void;
}

/** Largest frames, in bytes. Larger ones are refused before they are read. */
export interface FrameLimits {
  readonly headers: number;
  readonly body: number;
}

/** The bound of frames of one kind. */
export interface FrameBound extends FrameLimits {
  /** Decides about a larger one: the connection ends, or the frame is passed over, a part at a time. */
  readonly beyond: 'cut' | 'skip';
}

export const HELLO_LIMITS: FrameLimits = { headers: 16_384, body: 4_192 };
/** Frames beyond it are never passed over. */
const MOST_SKIPPED_BYTES = 16 << 20;
/** Headers of one frame; each takes an object. */
const MOST_HEADERS = 256;

export function message(
  contentType: number,
  body: Uint8Array | string = NOTHING,
  headers: Iterable<readonly [number, Uint8Array]> = [],
): Message {
  return { contentType, headers: new Map(headers), body: typeof body === 'string' ? Buffer.from(body, 'utf8') : body };
}

/** A message whose body is a message of specs/fabric/. */
export function typedMessage<D extends DescMessage>(
  contentType: number,
  schema: D,
  body: MessageShape<D>,
  headers: Iterable<readonly [number, Uint8Array]> = [],
): Message {
  return message(contentType, toBinary(schema, body), headers);
}

/** The body as a message of specs/fabric/. @throws MalformedError, also when it has too many fields */
export function readBody<D extends DescMessage>(schema: D, { body }: Message): MessageShape<D> {
  requireFields(schema, body);
  return decode(schema, body);
}

/** Reads a body whose fields were counted already. @throws MalformedError */
export function decode<D extends DescMessage>(schema: D, body: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, body);
  } catch (cause) {
    throw malformed(`the body is no ${schema.name}: ${cause instanceof Error ? cause.message : 'unreadable'}`);
  }
}

export const textOf = ({ body }: Message): string => textFrom(body);

/** Length of the whole frame. */
export function frameBytes({ headers, body }: Message): number {
  let bytes = PREFIX_BYTES + body.length;
  for (const value of headers.values()) bytes += HEADER_PREFIX_BYTES + value.length;
  return bytes;
}

/** The two parts of a frame; the body is not copied, because one may be shared by many routers. */
export function encodeFrame(
  sequence: number,
  { contentType, headers, body }: Message,
): [head: Buffer, body: Uint8Array] {
  let headerBytes = 0;
  for (const value of headers.values()) headerBytes += HEADER_PREFIX_BYTES + value.length;
  const head = Buffer.alloc(PREFIX_BYTES + headerBytes);
  head.set(PREFIX_MAGIC);
  head.writeInt32LE(contentType, 4);
  head.writeInt32LE(sequence, 8);
  head.writeUInt32LE(headerBytes, 12);
  head.writeUInt32LE(body.length, 16);
  let at = PREFIX_BYTES;
  for (const [key, value] of headers) {
    head.writeInt32LE(key, at);
    head.writeUInt32LE(value.length, at + 4);
    head.set(value, at + HEADER_PREFIX_BYTES);
    at += HEADER_PREFIX_BYTES + value.length;
  }
  return [head, body];
}

/**
 * Cuts what comes in into frames. Holds at most about twice one frame of the largest size that the limits allow, and
 * looks at the sizes before it waits for what they promise.
 */
export class FrameReader {
  #boundOf: (contentType: number) => FrameBound;
  /** Bytes that are still to come of a frame that is passed over. */
  #skipped = 0;
  #bytes: Buffer = NOTHING;
  /** The bytes that are not read yet lie between these. */
  #start = 0;
  #end = 0;
  /** `#bytes` was made here and has room behind `#end`. */
  #isOwn = false;

  constructor(limits: FrameLimits) {
    this.#boundOf = () => ({ ...limits, beyond: 'cut' });
  }

  /** Sets the bounds of the frames that follow. */
  set bounds(boundOf: (contentType: number) => FrameBound) {
    this.#boundOf = boundOf;
  }

  /** Bytes that are no whole frame yet. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Bytes that came one by one are copied a few times at most, and take up no more memory than others. */
  push(chunk: Buffer): void {
    const { held } = this;
    if (held === 0) {
      [this.#bytes, this.#start, this.#end, this.#isOwn] = [chunk, 0, chunk.length, false];
      return;
    }
    if (!this.#isOwn || this.#end + chunk.length > this.#bytes.length) {
      const room = Buffer.allocUnsafe(Math.max(1_024, 2 * (held + chunk.length)));
      this.#bytes.copy(room, 0, this.#start, this.#end);
      [this.#bytes, this.#start, this.#end, this.#isOwn] = [room, 0, held, true];
    }
    chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** The next whole frame. Its values share memory with what was pushed: copy what is kept. @throws MalformedError */
  next(): Frame | undefined {
    this.#passOver();
    const bytes = this.#bytes.subarray(this.#start, this.#end);
    if (!PREFIX_MAGIC.subarray(0, bytes.length).equals(bytes.subarray(0, PREFIX_MAGIC.length)))
      throw malformed('what came does not begin like a frame');
    if (bytes.length < PREFIX_BYTES) return undefined;
    const contentType = bytes.readInt32LE(4);
    const headerBytes = bytes.readUInt32LE(12);
    const bodyBytes = bytes.readUInt32LE(16);
    const bound = this.#boundOf(contentType);
    const kept = keptOf({ contentType, headerBytes, bodyBytes }, bound);
    const end = PREFIX_BYTES + kept.headerBytes + kept.bodyBytes;
    if (bytes.length < end) return undefined;
    this.#start += end;
    this.#skipped = headerBytes + bodyBytes - (end - PREFIX_BYTES);
    const headers = decodeHeaders(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + kept.headerBytes));
    if (headers === undefined && bound.beyond === 'cut')
      throw malformed(`${contentTypeName(contentType)}: more than ${MOST_HEADERS} headers`);
    return {
      contentType,
      sequence: bytes.readInt32LE(8),
      bytes: PREFIX_BYTES + headerBytes + bodyBytes,
      headers: headers ?? NO_HEADERS,
      body: bytes.subarray(PREFIX_BYTES + kept.headerBytes, end),
      ...(this.#skipped > 0 || headers === undefined ? { isSkipped: true } : {}),
    };
  }

  #passOver(): void {
    const passed = Math.min(this.#skipped, this.held);
    this.#skipped -= passed;
    this.#start += passed;
  }
}

interface Sizes {
  readonly contentType: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
}

/** Decides which parts of a frame of these sizes are read. @throws MalformedError when its connection must end */
function keptOf(
  { contentType, headerBytes, bodyBytes }: Sizes,
  { headers, body, beyond }: FrameBound,
): Pick<Sizes, 'headerBytes' | 'bodyBytes'> {
  if (headerBytes <= headers && bodyBytes <= body) return { headerBytes, bodyBytes };
  if (beyond === 'cut' || headerBytes + bodyBytes > MOST_SKIPPED_BYTES) {
    const [part, bytes, most] = headerBytes > headers ? ['headers', headerBytes, headers] : ['a body', bodyBytes, body];
    throw malformed(`${contentTypeName(contentType)}: ${part} of ${bytes} bytes, more than ${most}`);
  }
  return { headerBytes: headerBytes <= headers ? headerBytes : 0, bodyBytes: 0 };
}

/** Copies what a reply needs of its request, for requests that take long to answer. */
export function forReply({ contentType, sequence, headers, over }: Frame): Frame {
  const kept = [...reflected(headers)].map(([key, value]) => [key, Buffer.from(value)] as const);
  const from = over === undefined ? {} : { over };
  return { contentType, sequence, headers: new Map(kept), body: NOTHING, bytes: 0, ...from };
}

/** undefined when there are too many. */
function decodeHeaders(bytes: Buffer): Map<number, Buffer> | undefined {
  const headers = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length;) {
    if (at + HEADER_PREFIX_BYTES > bytes.length) throw malformed('the headers end within a header');
    const key = bytes.readInt32LE(at);
    const length = bytes.readUInt32LE(at + 4);
    const start = at + HEADER_PREFIX_BYTES;
    if (start + length > bytes.length) throw malformed(`header ${key} is longer than the headers`);
    if (headers.has(key)) throw malformed(`header ${key} comes twice`);
    if (headers.size === MOST_HEADERS) return undefined;
    headers.set(key, bytes.subarray(start, start + length));
    at = start + length;
  }
  return headers;
}
