/** The channels that this process holds, one for each router. */
import type { OpenChannel } from './router-channel.js';
import type { ChannelRegistry } from '../services.js';

export interface Registry extends ChannelRegistry {
  get(routerId: string): OpenChannel | undefined;
  all(): Iterable<OpenChannel>;
  add(channel: OpenChannel): void;
  remove(channel: OpenChannel): void;
  /**
   * Before a router that has a channel already comes again: the earlier one is asked for a sign of life, and closed
   * when it gives none. @throws what `refuse` makes when it does, since two machines with one certificate would push
   * each other out for ever
   */
  makeRoom(routerId: string, refuse: (reason: string) => Error): Promise<void>;
}

const LOOK_MS = 20;

/** @param probeMs  how long a sign of life may take */
export function createRegistry(probeMs: number): Registry {
  const channels = new Map<string, OpenChannel>();
  return {
    get: (routerId) => channels.get(routerId),
    all: () => channels.values(),
    add(channel) {
      channels.set(channel.routerId, channel);
    },
    remove(channel) {
      if (channels.get(channel.routerId) === channel) channels.delete(channel.routerId);
    },
    async makeRoom(routerId, refuse) {
      const earlier = channels.get(routerId);
      if (earlier === undefined) return;
      const since = performance.now();
      earlier.probe();
      // Counted in looks: while this process is busy, the answer may lie there unread.
      for (let looks = probeMs / LOOK_MS; looks > 0 && !earlier.isClosed; looks -= 1) {
        if (earlier.heardAt > since) throw refuse('it is connected already, and that connection is alive');
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
      earlier.close('the router came again, and this connection gave no sign of life');
    },
  };
}
