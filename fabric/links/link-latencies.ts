/**
 * Latencies of links in the metrics of a router. Of all that metrics say only two numbers of each link are read, field
 * by field: the rest may be megabytes of histograms and counters, and makes no objects.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { malformed } from '../channel/malformed.js';
import { textFrom } from '../channel/text.js';

/** Numbers of fields in specs/fabric/metrics.proto. */
const HISTOGRAMS = 8;
const KEY = 1;
const VALUE = 2;
const MEAN = 3;

/** `link.<id>.latency`, and what a message waits for before it is sent. */
const NAME = /^link\.([\w.-]{1,64})\.(?:latency|queue_time)$/;
const MOST_NAME_BYTES = 128;

/** Nanoseconds by id of the link: latency and time in the queue together. @throws MalformedError */
export function linkLatenciesIn(body: Uint8Array): Map<string, number> {
  const found = new Map<string, number>();
  try {
    const reader = new BinaryReader(body);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === HISTOGRAMS && type === WireType.LengthDelimited) addEntry(reader.bytes(), found);
      else reader.skip(type, field);
    }
  } catch {
    throw malformed('metrics that cannot be read');
  }
  return found;
}

function addEntry(entry: Uint8Array, found: Map<string, number>): void {
  const reader = new BinaryReader(entry);
  let id: string | undefined;
  let mean = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === KEY && type === WireType.LengthDelimited) {
      const name = reader.bytes();
      if (name.length <= MOST_NAME_BYTES) id = NAME.exec(textFrom(name))?.[1];
      if (id === undefined) return;
    } else if (field === VALUE && type === WireType.LengthDelimited) mean = meanOf(reader.bytes());
    else reader.skip(type, field);
  }
  if (id !== undefined) found.set(id, (found.get(id) ?? 0) + mean);
}

function meanOf(histogram: Uint8Array): number {
  const reader = new BinaryReader(histogram);
  let mean = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === MEAN && type === WireType.Bit64) mean = reader.double();
    else reader.skip(type, field);
  }
  return mean;
}
