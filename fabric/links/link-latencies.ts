/** Latencies of links in the metrics of a router: of all that they say, two numbers of each link are read. */
import type { MessageFields } from '../channel/fields.js';

/** Numbers of fields in specs/fabric/metrics.proto. */
const HISTOGRAMS = 8;
const KEY = 1;
const VALUE = 2;
const MEAN = 3;

/** `link.<id>.latency`, and what a message waits for before it is sent. */
const NAME = /^link\.([\w.-]{1,64})\.(?:latency|queue_time)$/;

/** Nanoseconds by id of the link: latency and time in the queue together. */
export type LatencyByLink = Map<string, number>;

/** Adds what this field of the metrics says of a link. @throws MalformedError */
export function addLatency(field: MessageFields, latencies: LatencyByLink): void {
  if (!field.has(HISTOGRAMS)) return;
  let id: string | undefined;
  for (const entry = field.within(); entry.next();) {
    if (entry.has(KEY)) {
      id = NAME.exec(entry.text())?.[1];
      if (id === undefined) return;
    } else if (entry.has(VALUE) && id !== undefined) latencies.set(id, (latencies.get(id) ?? 0) + meanIn(entry));
  }
}

function meanIn(entry: MessageFields): number {
  let mean = 0;
  for (const histogram = entry.within(); histogram.next();) if (histogram.number === MEAN) mean = histogram.double();
  return mean;
}
