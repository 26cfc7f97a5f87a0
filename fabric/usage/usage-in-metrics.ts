/**
 * Bytes in the metrics of a router (1007): those of circuits in the minute before, with their service, and how many
 * each link has carried since it was made.
 */
import type { MessageFields } from '../channel/fields.js';

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

/** Reads the fields of one message, one after another. */
export class UsageReader {
  readonly usage: ReportedUsage = { services: new Map(), router: { in: 0, out: 0 }, linkTotals: new Map() };
  #circuits = 0;

  /** Adds what this field of the metrics says of traffic. @throws MalformedError */
  add(field: MessageFields): void {
    if (field.has(METERS)) addLink(field, this.usage.linkTotals);
    else if (field.has(USAGE_COUNTERS)) this.#addCounter(field);
  }

  #addCounter(field: MessageFields): void {
    for (const counter = field.within(); counter.next();)
      if (counter.has(BUCKETS) && (this.#circuits += 1) <= MOST_CIRCUITS) addCircuit(counter, this.usage);
  }
}

function addLink(field: MessageFields, totals: Map<string, number>): void {
  let id: string | undefined;
  for (const entry = field.within(); entry.next();) {
    if (entry.has(KEY)) {
      id = LINK_NAME.exec(entry.text())?.[1];
      if (id === undefined) return;
    } else if (entry.has(VALUE) && id !== undefined && totals.size < MOST_LINKS) totals.set(id, numberIn(entry, COUNT));
  }
}

/** The number in this field of the message; 0 when there is none. */
function numberIn(message: MessageFields, wanted: number): number {
  let found = 0;
  for (const fields = message.within(); fields.next();) if (fields.number === wanted) found = fields.value;
  return found;
}

/** The text in this field of the message; '' when there is none. */
function textIn(message: MessageFields, wanted: number): string {
  let found = '';
  for (const fields = message.within(); fields.next();) if (fields.has(wanted)) found = fields.text();
  return found;
}

function addCircuit(counter: MessageFields, { services, router }: ReportedUsage): void {
  let serviceId = '';
  const values = new Map<string, number>();
  for (const entry = counter.within(); entry.next();) {
    if (!entry.has(VALUE)) continue;
    for (const circuit = entry.within(); circuit.next();) {
      if (circuit.has(VALUES)) values.set(textIn(circuit, KEY), Math.min(numberIn(circuit, VALUE), MOST_BYTES));
      else if (circuit.has(TAGS) && textIn(circuit, KEY) === 'serviceId') serviceId = textIn(circuit, VALUE);
    }
  }
  const [ingressIn, egressIn] = [values.get('ingress.rx') ?? 0, values.get('egress.rx') ?? 0];
  router.in += ingressIn + egressIn;
  router.out += (values.get('ingress.tx') ?? 0) + (values.get('egress.tx') ?? 0);
  if (serviceId === '') return;
  const sum = services.get(serviceId) ?? { in: 0, out: 0 };
  services.set(serviceId, sum);
  sum.in += ingressIn;
  sum.out += egressIn;
}
