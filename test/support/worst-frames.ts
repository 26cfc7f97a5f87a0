/** The worst that one frame of each kind can be, within the bounds of its kind and beyond them. */
import { ContentType, contentTypeName } from '../../fabric/channel/content-types.js';
import { MOST_ELEMENTS } from '../../fabric/channel/elements.js';
import { encodeFrame, message } from '../../fabric/channel/frame.js';
import { boundOf, boundedKinds } from '../../fabric/channel/bounds.js';

export interface WorstFrame {
  readonly name: string;
  readonly contentType: number;
  /** What is written: the whole frame, or its head alone when it is cut after that. */
  readonly bytes: Buffer;
  /** What the frame says it has. */
  readonly size: number;
}

/** Fields of a body that is decoded at once, two bytes each. */
const AT_ONCE_BYTES = 2 * 5_000;
/** What every kind was allowed before each had a bound. */
const FORMER_BYTES = 16 << 20;
/** Of an id of ours, or of a token. */
const ID_CHARS = 22;
const TOKEN_CHARS = 36;
/** Elements of an element, just below what one may have. */
const NESTED = 3_900;

const field = (number: number): number => (number << 3) | 2;
/** Elements without content; two bytes each make an object. */
const empties = (number: number, bytes: number): Buffer => Buffer.alloc(bytes, Buffer.of(field(number), 0));

function sized(number: number, content: Uint8Array): Buffer {
  const { length } = content;
  return Buffer.concat([
    Buffer.of(field(number), (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, (length >> 14) & 0x7f),
    content,
  ]);
}

function repeated(element: Buffer, bytes: number): Buffer {
  return Buffer.alloc(Math.floor(bytes / element.length) * element.length, element);
}

/** Different texts: each takes its place where they are kept. */
function texts(chars: number, bytes: number): Buffer {
  const elements: Buffer[] = [];
  for (let left = bytes; left >= chars + 2 && elements.length < 2 * MOST_ELEMENTS; left -= chars + 2)
    elements.push(Buffer.of(field(1), chars), Buffer.from(String(left).padStart(chars, 'x')));
  return Buffer.concat(elements);
}

/** Identities with a connection each, as a router with so many reports them. */
function connected(bytes: number): Buffer {
  const elements: Buffer[] = [];
  for (let left = bytes; left > 100;) {
    const id = Buffer.from(String(left).padStart(ID_CHARS, 'x'));
    const times = Buffer.concat([
      Buffer.of(8, 1),
      Buffer.from('\x12\x10192.0.2.10:40000'),
      Buffer.from('\x1a\x10192.0.2.11:443  '),
    ]);
    const event = Buffer.concat([Buffer.of(field(1), ID_CHARS), id, Buffer.of(16, 1), sized(3, times)]);
    elements.push(sized(1, event));
    left -= event.length + 4;
  }
  return Buffer.concat([...elements, Buffer.of(16, 1)]);
}

/** Entries of a map of metrics, each with another link and some bytes of value. */
function measuredLinks(number: number, name: string, value: Buffer, bytes: number): Buffer {
  const entries: Buffer[] = [];
  for (let left = bytes; left > 100;) {
    const key = Buffer.from(`link.${String(left).padStart(ID_CHARS, 'x')}.${name}`);
    const entry = sized(number, Buffer.concat([Buffer.of(field(1), key.length), key, sized(2, value)]));
    entries.push(entry);
    left -= entry.length;
  }
  return Buffer.concat(entries);
}

/** Circuits in metrics, each of another service. */
function measuredCircuits(bytes: number): Buffer {
  const entry = (key: string, value: Buffer) =>
    Buffer.concat([Buffer.of(field(1), key.length), Buffer.from(key), value]);
  const circuits: Buffer[] = [];
  for (let left = bytes - 100; left > 100;) {
    const id = Buffer.from(String(left).padStart(ID_CHARS, 'x'));
    const circuit = Buffer.concat([
      ...['ingress.rx', 'egress.tx'].map((key) => sized(1, entry(key, Buffer.of(16, 9)))),
      sized(2, entry('serviceId', Buffer.concat([Buffer.of(field(2), ID_CHARS), id]))),
    ]);
    circuits.push(sized(3, Buffer.concat([Buffer.of(field(1), 1, 0x61), sized(2, circuit)])));
    left -= circuits.at(-1)?.length ?? 0;
  }
  // Some 100 circuits in each counter, as a router that has not reported for a while sends them.
  const counters: Buffer[] = [];
  for (let from = 0; from < circuits.length; from += 100)
    counters.push(sized(11, Buffer.concat(circuits.slice(from, from + 100))));
  return Buffer.concat(counters);
}

const METRICS = (bytes: number): readonly (readonly [string, Buffer])[] => [
  ['latencies of links', measuredLinks(8, 'latency', Buffer.from('\x19\0\0\0\0\0\0\xf0\x3f', 'latin1'), bytes)],
  ['bytes of links', measuredLinks(7, 'tx.bytesrate', Buffer.of(8, 9), bytes)],
  ['circuits', measuredCircuits(bytes)],
  ['empty latencies', empties(8, bytes)],
  ['empty circuits', repeated(sized(11, empties(3, 2 * NESTED)), bytes)],
];

/** 256 headers that fill what a kind may have of them. */
function headersOf(bytes: number): [number, Uint8Array][] {
  const each = Math.floor(bytes / 256) - 8;
  return Array.from({ length: 256 }, (_, key) => [10_000 + key, Buffer.alloc(each)]);
}

function head(contentType: number, bodyBytes: number): Buffer {
  const [bytes] = encodeFrame(1, message(contentType));
  bytes.writeUInt32LE(bodyBytes, 16);
  return bytes;
}

/** For each kind that is handled, and for one that is not. */
export function worstFramesOf(contentType: number): WorstFrame[] {
  const { headers, body, beyond } = boundOf(contentType);
  const isLong = body >= 1 << 20;
  const made = (what: string, content: Uint8Array, more: [number, Uint8Array][] = []): WorstFrame => {
    const bytes = Buffer.concat(encodeFrame(1, message(contentType, content, more)));
    return {
      name: `${contentTypeName(contentType)} (${contentType}): ${what}`,
      contentType,
      bytes,
      size: bytes.length,
    };
  };
  const within = [
    made('empty elements, as large as may be', empties(1, body)),
    made('as many empty elements as are taken', empties(1, Math.min(body, isLong ? 2 * MOST_ELEMENTS : AT_ONCE_BYTES))),
    made('empty elements within elements', repeated(sized(1, empties(2, 2 * NESTED)), body)),
    made('others within elements', repeated(sized(1, empties(3, 2 * NESTED)), body)),
    made('headers, as many as may be', Buffer.alloc(0), headersOf(headers)),
  ];
  const real = [
    made('ids', texts(ID_CHARS, body)),
    made('tokens', texts(TOKEN_CHARS, body)),
    ...(contentType === ContentType.ConnectEvents ? [made('connected identities', connected(body - 10))] : []),
    ...(contentType === ContentType.Metrics ? METRICS(body).map(([what, content]) => made(what, content)) : []),
  ];
  const promised = head(contentType, FORMER_BYTES);
  const former = {
    ...made('16 MiB', Buffer.alloc(0)),
    bytes: beyond === 'cut' ? promised : Buffer.concat([promised, empties(1, FORMER_BYTES)]),
    size: promised.length + FORMER_BYTES,
  };
  return [...within, ...(isLong ? real : []), former];
}

/** Alerts are read by nothing. */
export const worstKinds: readonly number[] = [...boundedKinds, ContentType.Alerts];
