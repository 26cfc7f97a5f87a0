/**
 * The headers of frames: their numbers, and the values that they hold. One number may mean different things in
 * different messages, so they are grouped by message. Integers are little-endian; capabilities alone are big-endian.
 */
import { malformed } from './malformed.js';
import { textFrom } from './text.js';

/** Headers of any message. */
export const Header = { ConnectionId: 0, ReplyFor: 1, Success: 2, Heartbeat: 5, HeartbeatResponse: 6 } as const;

/** Headers of both hellos, and of the answer. */
export const HelloHeader = {
  Version: 4,
  Type: 7,
  ControllerId: 8,
  IsGrouped: 9,
  GroupSecret: 10,
  IsFirstOfGroup: 11,
  Listeners: 1000,
  Capabilities: 1002,
  CtrlChanListeners: 1003,
} as const;

/** Headers of a Result. */
export const ResultHeader = { ErrorCode: 10 } as const;
/** Headers of a Latency question, copied into its answer. */
export const LatencyHeader = { Probe: 128 } as const;
/** Headers of the messages that keep API sessions and the data model in step. */
export const SyncHeader = {
  StrategyType: 1013,
  StrategyState: 1014,
  RouterDataModel: 1024,
  Index: 1025,
  SubscriptionId: 1026,
} as const;
/** Headers of an Error. */
export const ErrorHeader = { RetryHint: 18, Code: 1014, CircuitId: 1026 } as const;
/** Headers of CreateCircuitV2. */
export const CircuitRequestHeader = {
  PeerData: 10,
  SessionToken: 11,
  Fingerprints: 12,
  TerminatorInstanceId: 13,
  /** The access token of the client, where it has one. */
  ApiSessionToken: 14,
} as const;
/** Headers of CreateCircuitV3, besides those that CreateCircuitV2 has too. */
export const DirectDialHeader = { IdentityId: 15, ServiceId: 16 } as const;
/** Headers of CreateCircuitV2Response. */
export const CircuitResponseHeader = { PeerData: 10, CircuitId: 11, Address: 12, Tags: 13 } as const;
/** Headers of RouteResult, besides peer data. `Success` means success by being there. */
export const RouteResultHeader = {
  Attempt: 1101,
  Success: 1102,
  Error: 1103,
  ErrorCode: 1104,
  TerminatorLocalAddress: 1110,
  TerminatorRemoteAddress: 1111,
} as const;
/** Headers of TunnelHealthEvent. */
export const TunnelHealthHeader = { TerminatorId: 1022, CheckPassed: 1023 } as const;
/** Keys of peer data. */
export const PeerDataKey = {
  PublicKey: 1003,
  CallerId: 1008,
  AppData: 1011,
  ConnectionMarker: 1025,
  InitiatorLocalAddress: 1112,
  InitiatorRemoteAddress: 1113,
  StickinessToken: 1114,
  DialerIdentityId: 1115,
  DialerIdentityName: 1116,
} as const;

export type Headers = ReadonlyMap<number, Uint8Array>;

/** A reply has those of the request whose keys lie between these, both included. */
const REFLECTED = { first: 128, last: 255 } as const;

/** Those of a request that its reply repeats. */
export function reflected(headers: Headers): [number, Uint8Array][] {
  const kept: [number, Uint8Array][] = [];
  for (const [key, value] of headers) if (key >= REFLECTED.first && key <= REFLECTED.last) kept.push([key, value]);
  return kept;
}

/** Bounds of lists and maps, the same that routers have. */
const MAX_ITEMS = 128;
const MAX_ITEM_BYTES = 8_192;

export const encodeText = (text: string): Buffer => Buffer.from(text, 'utf8');
export const encodeBoolean = (value: boolean): Buffer => Buffer.of(value ? 1 : 0);

export function encodeInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

export function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function encodeUint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** A set of numbered bits as the shortest big-endian number that has them: bits 1 to 6 are `7e`. */
export function encodeCapabilities(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.floor(Math.max(0, ...bits) / 8) + 1);
  for (const bit of bits) {
    const at = bytes.length - 1 - Math.floor(bit / 8);
    bytes[at] = (bytes[at] ?? 0) | (1 << (bit % 8));
  }
  return bytes;
}

/** The lowest 64 bits of a big-endian number; none when there is no value. */
export const readCapabilities = (value: Uint8Array | undefined): bigint =>
  BigInt(`0x0${Buffer.from(value?.subarray(-8) ?? []).toString('hex')}`);

/** An empty list is an empty value. */
export function encodeTexts(texts: readonly string[]): Buffer {
  if (texts.length === 0) return Buffer.alloc(0);
  return Buffer.concat([encodeUint32(texts.length), ...texts.flatMap((text) => counted(Buffer.from(text, 'utf8')))]);
}

export function encodeTextMap(map: ReadonlyMap<string, string>): Buffer {
  if (map.size === 0) return Buffer.alloc(0);
  let length = 4;
  for (const [key, value] of map) length += 8 + Buffer.byteLength(key) + Buffer.byteLength(value);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt32LE(map.size, 0);
  for (const entry of map)
    for (const text of entry) {
      const written = bytes.write(text, at + 4);
      at = bytes.writeUInt32LE(written, at) + written;
    }
  return bytes;
}

export function encodeBytesMap(map: ReadonlyMap<number, Uint8Array>): Buffer {
  if (map.size === 0) return Buffer.alloc(0);
  const entries = [...map].flatMap(([key, value]) => [encodeUint32(key), ...counted(value)]);
  return Buffer.concat([encodeUint32(map.size), ...entries]);
}

const counted = (bytes: Uint8Array): Uint8Array[] => [encodeUint32(bytes.length), bytes];

/** Undefined when the header is not there. All readers @throws MalformedError for a value of another shape. */
export function readText(headers: Headers, key: number): string | undefined {
  const value = headers.get(key);
  return value && textFrom(value);
}

/** An absent one is false. */
export function readBoolean(headers: Headers, key: number): boolean {
  return sized(headers, key, 1)?.[0] === 1;
}

export function readInt32(headers: Headers, key: number): number | undefined {
  return sized(headers, key, 4)?.readInt32LE();
}

export function readUint32(headers: Headers, key: number): number | undefined {
  return sized(headers, key, 4)?.readUInt32LE();
}

export function readUint64(headers: Headers, key: number): bigint | undefined {
  return sized(headers, key, 8)?.readBigUInt64LE();
}

export function readByte(headers: Headers, key: number): number | undefined {
  return sized(headers, key, 1)?.[0];
}

export function readTexts(headers: Headers, key: number): string[] {
  const reader = new ItemReader(headers, key);
  return reader.items(() => textFrom(reader.bytes()));
}

export function readTextMap(headers: Headers, key: number): Map<string, string> {
  const reader = new ItemReader(headers, key);
  return new Map(reader.items(() => [textFrom(reader.bytes()), textFrom(reader.bytes())] as const));
}

/** Copies the values, which are kept for as long as a dial takes. */
export function readBytesMap(headers: Headers, key: number): Map<number, Buffer> {
  const reader = new ItemReader(headers, key);
  return new Map(reader.items(() => [reader.uint32(), Buffer.from(reader.bytes())] as const));
}

function sized(headers: Headers, key: number, length: number): Buffer | undefined {
  const value = headers.get(key);
  if (value === undefined) return undefined;
  if (value.length !== length) throw malformed(`header ${key} has ${value.length} bytes instead of ${length}`);
  return Buffer.from(value.buffer, value.byteOffset, value.length);
}

class ItemReader {
  readonly #value: Buffer;
  readonly #key: number;
  #at = 0;

  constructor(headers: Headers, key: number) {
    const value = headers.get(key) ?? Buffer.alloc(0);
    this.#value = Buffer.from(value.buffer, value.byteOffset, value.length);
    this.#key = key;
  }

  items<T>(read: () => T): T[] {
    if (this.#value.length === 0) return [];
    const count = this.uint32();
    if (count > MAX_ITEMS) throw malformed(`header ${this.#key} has ${count} items, more than ${MAX_ITEMS}`);
    const items = Array.from({ length: count }, read);
    if (this.#at !== this.#value.length) throw malformed(`header ${this.#key} has bytes after its last item`);
    return items;
  }

  uint32(): number {
    if (this.#at + 4 > this.#value.length) throw malformed(`header ${this.#key} ends within an item`);
    this.#at += 4;
    return this.#value.readUInt32LE(this.#at - 4);
  }

  bytes(): Buffer {
    const length = this.uint32();
    if (length > MAX_ITEM_BYTES)
      throw malformed(`header ${this.#key} has an item of ${length} bytes, more than ${MAX_ITEM_BYTES}`);
    if (this.#at + length > this.#value.length) throw malformed(`header ${this.#key} ends within an item`);
    this.#at += length;
    return this.#value.subarray(this.#at - length, this.#at);
  }
}
