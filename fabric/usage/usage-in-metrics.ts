/**
 * Bytes in the metrics of a router (1007), field by field: those of circuits in the minute before, with their service,
 * and how many each link has carried since it was made. The rest makes no objects.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { malformed } from '../channel/malformed.js';
import { textFrom } from '../channel/text.js';

export interface Bytes {
  in: number;
  out: number;
}

export interface ReportedUsage {
  /** Bytes from the clients of a service, and from its hosts, by its id. */
  readonly services: Map<string, Bytes>;
  /** Into the network by this router, and out of it. */
  readonly router: Bytes;
  /** Sent over each link by this router since the link was made, by its id. */
  readonly linkTotals: Map<string, number>;
}

/** Numbers of fields in specs/fabric/metrics.proto. */
const METERS = 7;
const USAGE_COUNTERS = 11;
const BUCKETS = 3;
const KEY = 1;
const VALUE = 2;
const COUNT = 1;
const VALUES = 1;
const TAGS = 2;

/** Circuits that are read of one message: an honest router with more is counted short. */
const MOST_CIRCUITS = 5_000;
/** Links that are read of one message. */
const MOST_LINKS = 5_000;
/** A router cannot carry more between two messages. */
export const MOST_BYTES = 1e13;
const LINK_NAME = /^link\.([\w.-]{1,64})\.tx\.bytesrate$/;

type Act = (field: number, bytes: Uint8Array) => void;

/** Calls `act` for each field that has a length; others are passed over. */
function eachField(body: Uint8Array, act: Act): void {
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) act(field, reader.bytes());
    else reader.skip(type, field);
  }
}

/** @throws MalformedError */
export function usageIn(body: Uint8Array): ReportedUsage {
  const usage: ReportedUsage = { services: new Map(), router: { in: 0, out: 0 }, linkTotals: new Map() };
  let circuits = 0;
  const addCounter: Act = (field, entry) => {
    if (field === BUCKETS && (circuits += 1) <= MOST_CIRCUITS) addCircuit(entry, usage);
  };
  try {
    eachField(body, (field, bytes) => {
      if (field === METERS) addLink(bytes, usage.linkTotals);
      else if (field === USAGE_COUNTERS) eachField(bytes, addCounter);
    });
  } catch {
    throw malformed('metrics that cannot be read');
  }
  return usage;
}

function addLink(entry: Uint8Array, totals: Map<string, number>): void {
  let id: string | undefined;
  eachField(entry, (field, bytes) => {
    if (field === KEY) id = LINK_NAME.exec(textFrom(bytes))?.[1];
    else if (field === VALUE && id !== undefined && totals.size < MOST_LINKS) totals.set(id, numberIn(bytes, COUNT));
  });
}

/** The number in this field; 0 when there is none. */
function numberIn(message: Uint8Array, wanted: number): number {
  const reader = new BinaryReader(message);
  let found = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.Varint) found = Number(reader.uint64());
    else reader.skip(type, field);
  }
  return found;
}

function addCircuit(entry: Uint8Array, { services, router }: ReportedUsage): void {
  let serviceId = '';
  const values = new Map<string, number>();
  const addValue: Act = (field, bytes) => {
    if (field === VALUES) {
      values.set(textOf(bytes, KEY), Math.min(numberIn(bytes, VALUE), MOST_BYTES));
    } else if (field === TAGS && textOf(bytes, KEY) === 'serviceId') serviceId = textOf(bytes, VALUE);
  };
  eachField(entry, (field, bytes) => {
    if (field === VALUE) eachField(bytes, addValue);
  });
  const [ingressIn, egressIn] = [values.get('ingress.rx') ?? 0, values.get('egress.rx') ?? 0];
  router.in += ingressIn + egressIn;
  router.out += (values.get('ingress.tx') ?? 0) + (values.get('egress.tx') ?? 0);
  if (serviceId === '') return;
  const sum = services.get(serviceId) ?? { in: 0, out: 0 };
  services.set(serviceId, sum);
  sum.in += ingressIn;
  sum.out += egressIn;
}

/** The text in this field; '' when there is none. */
function textOf(message: Uint8Array, wanted: number): string {
  let found = '';
  eachField(message, (field, bytes) => {
    if (field === wanted) found = textFrom(bytes.subarray(0, 128));
  });
  return found;
}
