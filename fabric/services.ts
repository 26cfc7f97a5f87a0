/** What the handlers of messages work with. Built once, in fabric.ts. */
import type { RouterPresence } from '../domain/router.js';
import type { KnownRouter } from '../db/stores/router-sync-view.js';
import type { Stores } from '../db/stores/stores.js';
import type { RouterChannel } from './channel/channel.js';
import type { KnownControllers } from './presence/controllers.js';
import type { FabricLog } from './channel/router-log.js';
import type { SessionSync } from './sessions/session-sync.js';
import type { Spacing } from './channel/spacing.js';
import type { Traffic } from './traffic/traffic.js';

/** The routers that are connected to this controller. */
export interface ChannelRegistry {
  get(routerId: string): RouterChannel | undefined;
  /** In no order. */
  all(): Iterable<RouterChannel>;
}

/** What is known of routers that are connected, and shown to all controllers. */
export interface ConnectedRouters {
  /** As the database has it; undefined when the channel has ended. */
  routerOf(channel: RouterChannel): KnownRouter | undefined;
  update(channel: RouterChannel, changes: Partial<RouterPresence>): void;
}

/** The data model: who asked for it, and under which name. */
export interface DataModel {
  /** Sends the whole state, and from then on what changes. */
  subscribe(channel: RouterChannel, subscriptionId: string): Promise<void>;
  /** Whether the router has the state under this name. */
  isSubscribed(channel: RouterChannel, subscriptionId: string): boolean;
}

export interface ApiSessionTokens {
  /** The id of the complete API session with this token; it counts as used now. undefined when there is none. */
  find(token: string): Promise<string | undefined>;
}

export interface FabricServices {
  readonly stores: Stores;
  /** Bounded for each router. */
  readonly log: FabricLog;
  /**
   * For what is refused or tried again because something failed: a warning, or a mere note while the database is away,
   * which has lines of its own. Bounded for each router.
   */
  readonly noteFailure: (error: unknown, facts: object, message: string) => void;
  readonly channels: ChannelRegistry;
  readonly routers: ConnectedRouters;
  readonly sessionSync: SessionSync;
  readonly dataModel: DataModel;
  /** Whole states that a router asks for. */
  readonly wholeStates: { readonly sessions: Spacing; readonly dataModel: Spacing };
  /** Clients of these API sessions use a router: that counts as activity. */
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
  readonly apiSessions: ApiSessionTokens;
  readonly traffic: Traffic;
  readonly controllers: KnownControllers;
}
