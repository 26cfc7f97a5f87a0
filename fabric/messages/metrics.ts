/** Metrics (1007), every minute: what a router measured of its ends of links, and the bytes that it carried. */
import { latencyOf } from '../../domain/fabric/link-cost.js';
import type { MessageHandler } from '../channel/channel.js';
import { MessageFields } from '../channel/fields.js';
import { eachSlice } from '../channel/pieces.js';
import { addLatency } from '../links/link-latencies.js';
import type { LatencyByLink } from '../links/link-latencies.js';
import type { KnownLinks } from '../links/links.js';
import { trafficReport } from '../usage/traffic-report.js';
import type { Usage } from '../usage/usage.js';
import { UsageReader } from '../usage/usage-in-metrics.js';
import type { ReportedUsage } from '../usage/usage-in-metrics.js';

/** Links in one slice. */
const BATCH = 500;

interface MetricsParts {
  readonly links: Pick<KnownLinks, 'setLatency' | 'get'>;
  readonly usage: Pick<Usage, 'reported' | 'feed'>;
}

export const metrics =
  ({ links, usage }: MetricsParts): MessageHandler =>
  async ({ body }, channel) => {
    const { latencies, traffic } = await channel.work(() => metricsIn(body));
    await eachSlice([...latencies], BATCH, channel, (slice) => {
      for (const [id, nanoseconds] of slice) {
        const milliseconds = latencyOf(nanoseconds);
        if (milliseconds !== undefined) links.setLatency(channel.routerId, id, milliseconds);
      }
    });
    usage.reported(channel, traffic, (id) => links.get(id));
    if (usage.feed.areReportsRead)
      usage.feed.reported(await channel.work(() => trafficReport(channel.routerId, body, new Date())));
  };

/** Reads what is used of the metrics, in one pass. @throws MalformedError */
export function metricsIn(body: Uint8Array): { latencies: LatencyByLink; traffic: ReportedUsage } {
  const latencies: LatencyByLink = new Map();
  const traffic = new UsageReader();
  for (const fields = new MessageFields(body); fields.next();) {
    addLatency(fields, latencies);
    traffic.add(fields);
  }
  return { latencies, traffic: traffic.usage };
}
