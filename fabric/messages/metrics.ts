/** Metrics (1007), every minute: what a router measured of its ends of links is part of what those cost. */
import { latencyOf } from '../../domain/fabric/link-cost.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachSlice } from '../channel/pieces.js';
import { linkLatenciesIn } from '../links/link-latencies.js';
import type { KnownLinks } from '../links/links.js';

/** Links in one slice. */
const BATCH = 500;

export const metrics =
  ({ links }: { readonly links: Pick<KnownLinks, 'setLatency'> }): MessageHandler =>
  async ({ body }, channel) => {
    const found = await channel.work(() => linkLatenciesIn(body));
    await eachSlice([...found], BATCH, channel, (slice) => {
      for (const [id, nanoseconds] of slice) {
        const milliseconds = latencyOf(nanoseconds);
        if (milliseconds !== undefined) links.setLatency(channel.routerId, id, milliseconds);
      }
    });
  };
