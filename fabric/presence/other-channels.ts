/**
 * Knows to which other controllers the routers of this process have channels. A router asks about an API session the
 * controller that told it of that session last, and no other one when that channel is gone: so it must be told again by
 * one that is left.
 */
import type { ChannelElsewhere, RouterChannelStore } from '../../db/stores/router-channels.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { ConnectedChannels } from '../channel/channel.js';
import type { NoteFailure } from '../channel/router-log.js';

export interface OtherChannelsOptions {
  readonly store: Pick<RouterChannelStore, 'elsewhere'>;
  /** This process, as a host of channels. */
  readonly hostId: string;
  readonly channels: Pick<ConnectedChannels, 'all'>;
  /** Goes on with what controllers that are gone have left. */
  readonly takeOver: () => Promise<void>;
  /** Called with routers of ours that lost a channel to another controller. */
  readonly onLost: (routerIds: readonly string[]) => void;
  readonly noteFailure: NoteFailure;
}

/** Routers that come and go all at once are looked up together. */
const GATHER_MS = 200;
const RETRY_MS = 1_000;

const keyOf = ({ hostId, routerId }: ChannelElsewhere): string => `${hostId} ${routerId}`;

export class OtherChannels {
  readonly #options: OtherChannelsOptions;
  readonly #reads = new CoalescedTask(() => this.#read());
  #known = new Map<string, ChannelElsewhere>();
  #pause: NodeJS.Timeout | undefined;

  constructor(options: OtherChannelsOptions) {
    this.#options = options;
  }

  /** Hears that routers came or went, at any controller. */
  moved(): void {
    this.#schedule(GATHER_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#pause);
    await this.#reads.close();
  }

  #schedule(ms: number): void {
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#reads.schedule();
    }, ms).unref();
  }

  async #read(): Promise<void> {
    const { store, hostId, channels, takeOver, onLost, noteFailure } = this.#options;
    const ours = [...channels.all()].map(({ routerId }) => routerId);
    try {
      const found = ours.length === 0 ? [] : await store.elsewhere(hostId, ours);
      const before = this.#known;
      this.#known = new Map(found.map((each) => [keyOf(each), each]));
      const lost = [...before].filter(([key]) => !this.#known.has(key)).map(([, { routerId }]) => routerId);
      if (lost.length > 0) onLost([...new Set(lost)]);
      await takeOver();
    } catch (error) {
      noteFailure(error, {}, 'what other controllers have could not be read; it is tried again');
      this.#schedule(RETRY_MS);
    }
  }
}
