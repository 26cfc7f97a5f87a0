/** The channels that this process holds, one for each router. */
import type { ConnectedChannels } from './channel.js';
import type { OpenChannel } from './router-channel.js';

const POLL_MS = 20;

export class ChannelRegistry implements ConnectedChannels {
  readonly #channels = new Map<string, OpenChannel>();
  readonly #probeMs: number;

  /** @param probeMs  how long a sign of life may take */
  constructor(probeMs: number) {
    this.#probeMs = probeMs;
  }

  get(routerId: string): OpenChannel | undefined {
    return this.#channels.get(routerId);
  }

  all(): Iterable<OpenChannel> {
    return this.#channels.values();
  }

  add(channel: OpenChannel): void {
    this.#channels.set(channel.routerId, channel);
  }

  remove(channel: OpenChannel): void {
    if (this.#channels.get(channel.routerId) === channel) this.#channels.delete(channel.routerId);
  }

  /**
   * Makes room for a router that connects again: asks its earlier channel for a sign of life, and closes it when it
   * gives none. Two machines with one certificate would push each other out for ever otherwise.
   * @throws what `refuse` makes when the earlier channel is alive
   */
  async makeRoom(routerId: string, refuse: (reason: string) => Error): Promise<void> {
    const earlier = this.#channels.get(routerId);
    if (earlier === undefined) return;
    const since = performance.now();
    earlier.probe();
    // Counted in polls: while this process is busy, the answer may lie there unread.
    for (let polls = this.#probeMs / POLL_MS; polls > 0 && !earlier.isClosed; polls -= 1) {
      if (earlier.heardAt > since) throw refuse('it is connected already, and that connection is alive');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    earlier.close('the router came again, and this connection gave no sign of life');
  }
}
