/** What the handlers of messages work with. Built once by server/. */
import type { Logger } from 'pino';
import type { Stores } from '../db/stores.js';
import type { RouterChannel } from './channel.js';

/** The routers that are connected to this controller. */
export interface ChannelRegistry {
  get(routerId: string): RouterChannel | undefined;
  /** In no order. */
  all(): Iterable<RouterChannel>;
}

export interface FabricServices {
  readonly stores: Stores;
  readonly log: Logger;
  readonly channels: ChannelRegistry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** As routers know this controller; goes into the hello. */
  readonly controllerId: string;
}
