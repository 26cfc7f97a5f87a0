/** The metrics of a router (1007) as readers of events get them. */
import { fromBinary } from '@bufbuild/protobuf';
import type { CircuitUsage, MetricValue, TrafficReport } from '../../domain/fabric/traffic-feed.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import type { MetricsMessage } from '../../generated/fabric/metrics_pb.js';

/** Metrics of one report, and circuits; what comes after is left out. */
const MOST = 5_000;

/** @throws Error for bytes that are no such message */
export function trafficReport(routerId: string, body: Uint8Array, now: Date): TrafficReport {
  const message = fromBinary(MetricsMessageSchema, body);
  return {
    routerId,
    eventId: message.eventId,
    at: now,
    tags: message.tags,
    metrics: metricsOf(message).slice(0, MOST),
    usage: usageOf(message).slice(0, MOST),
  };
}

function metricsOf({ intValues, floatValues, meters, histograms, timers }: MetricsMessage): MetricValue[] {
  const single = [...Object.entries(intValues), ...Object.entries(floatValues)];
  const several = [...Object.entries(meters), ...Object.entries(histograms), ...Object.entries(timers)];
  return [
    ...single.map(([name, value]) => ({ name, values: { value: Number(value) } })),
    ...several.map(([name, values]) => ({ name, values: numbersOf(values) })),
  ];
}

/** Members that are numbers, named as on the wire. */
function numbersOf(values: object): Record<string, number> {
  const numbers = Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'number' || typeof value === 'bigint' ? [[onWire(name), Number(value)] as const] : [],
  );
  return Object.fromEntries(numbers);
}

const onWire = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/^m(\d+)Rate$/, 'm$1_rate')
    .toLowerCase();

const usageOf = ({ usageCounters }: MetricsMessage): CircuitUsage[] =>
  usageCounters.flatMap(({ intervalStartUtc, intervalLength, buckets }) =>
    Object.entries(buckets).map(([circuitId, { values, tags }]) => ({
      circuitId,
      values: Object.fromEntries(Object.entries(values).map(([name, bytes]) => [name, Number(bytes)])),
      tags,
      intervalStart: Number(intervalStartUtc),
      intervalLength: Number(intervalLength),
    })),
  );
