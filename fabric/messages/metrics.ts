/** Metrics (1007), every minute: what a router measured of its ends of links, and the bytes that it carried. */
import { latencyOf } from '../../domain/fabric/link-cost.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachSlice } from '../channel/pieces.js';
import { linkLatenciesIn } from '../links/link-latencies.js';
import type { KnownLinks } from '../links/links.js';
import type { Usage } from '../usage/usage.js';
import { usageIn } from '../usage/usage-in-metrics.js';

/** Links in one slice. */
const BATCH = 500;

interface MetricsParts {
  readonly links: Pick<KnownLinks, 'setLatency' | 'get'>;
  readonly usage: Pick<Usage, 'reported'>;
}

export const metrics =
  ({ links, usage }: MetricsParts): MessageHandler =>
  async ({ body }, channel) => {
    const found = await channel.work(() => linkLatenciesIn(body));
    await eachSlice([...found], BATCH, channel, (slice) => {
      for (const [id, nanoseconds] of slice) {
        const milliseconds = latencyOf(nanoseconds);
        if (milliseconds !== undefined) links.setLatency(channel.routerId, id, milliseconds);
      }
    });
    const bytes = await channel.work(() => usageIn(body));
    usage.reported(channel, bytes, (id) => links.get(id));
  };
