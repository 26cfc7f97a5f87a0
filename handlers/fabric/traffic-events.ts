/** Events of what routers of this controller report: bytes of circuits, metrics, and dials by service. */
import type { CircuitUsage, MetricValue, TrafficFeed, TrafficReport } from '../../domain/fabric/traffic-feed.js';

/** Sends an event. */
export type Tell = (namespace: string, members: object, at?: Date) => void;

/** Dials of a service are summed for so long. */
const INTERVAL_MS = 5_000;

interface DialSum {
  made: number;
  failed: number;
}

/** @returns `look` sends sums of dials when they are due */
export function trafficEvents(
  kinds: ReadonlySet<string>,
  feed: TrafficFeed,
  tell: Tell,
): { readonly look: () => Promise<void>; readonly close: () => void } {
  const sums = new Map<string, DialSum>();
  let since = Date.now();
  const reported = (report: TrafficReport) => {
    if (kinds.has('usage')) for (const usage of report.usage) tell('usage', usageMembers(report, usage), report.at);
    if (kinds.has('metrics'))
      for (const metric of report.metrics) tell('metrics', metricMembers(report, metric), report.at);
  };
  const dialed = (serviceId: string, isMade: boolean) => {
    const sum = sums.get(serviceId) ?? { made: 0, failed: 0 };
    sums.set(serviceId, sum);
    sum[isMade ? 'made' : 'failed'] += 1;
  };
  const close = feed.subscribe({
    ...(kinds.has('usage') || kinds.has('metrics') ? { reported } : {}),
    ...(kinds.has('service') ? { dialed } : {}),
  });
  const look = (): Promise<void> => {
    if (Date.now() - since >= INTERVAL_MS) {
      for (const [serviceId, sum] of sums) tellDials(tell, serviceId, sum, since);
      sums.clear();
      since = Date.now();
    }
    return Promise.resolve();
  };
  return { look, close };
}

function tellDials(tell: Tell, serviceId: string, { made, failed }: DialSum, sinceMs: number): void {
  const interval = { interval_start_utc: Math.floor(sinceMs / 1_000), interval_length: INTERVAL_MS / 1_000 };
  const counts = { 'service.dial.success': made, 'service.dial.fail': failed };
  for (const [event_type, count] of Object.entries(counts))
    if (count > 0)
      tell('service', { version: 2, event_type, service_id: serviceId, terminator_id: '', count, ...interval });
}

const usageMembers = (
  { routerId }: TrafficReport,
  { circuitId, values, tags, intervalStart, intervalLength }: CircuitUsage,
) => ({
  version: 3,
  source_id: routerId,
  circuit_id: circuitId,
  usage: values,
  interval_start_utc: intervalStart,
  interval_length: intervalLength,
  tags,
});

/** Names of what a router measures of one link or controller have its id in the middle. */
const OF_ENTITY = /^(link|ctrl)\.([^.]+)\.(.+)$/;

function metricMembers({ routerId, eventId, tags }: TrafficReport, { name, values }: MetricValue): object {
  const [, kind, id, what] = OF_ENTITY.exec(name) ?? [];
  const named = id === undefined ? { metric: name } : { metric: `${kind}.${what}`, source_entity_id: id };
  return { version: 3, ...named, metrics: values, source_id: routerId, source_event_id: eventId, tags };
}
