/** The routers that are connected to this controller, and what all controllers are shown of them. */
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { RouterPresence } from '../../domain/router.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Presence, PresenceWriter } from './presence.js';

interface ConnectedRouter {
  router: KnownRouter;
  presence: Presence;
}

export class ConnectedRouters {
  readonly #writer: Pick<PresenceWriter, 'set' | 'drop'>;
  readonly #routers = new Map<RouterChannel, ConnectedRouter>();

  constructor(writer: Pick<PresenceWriter, 'set' | 'drop'>) {
    this.#writer = writer;
  }

  /** Takes over a router whose channel is open. */
  add(channel: RouterChannel, router: KnownRouter, presence: Presence): void {
    this.#routers.set(channel, { router, presence });
    this.#writer.set(channel.routerId, presence);
  }

  remove(channel: RouterChannel): void {
    this.#routers.delete(channel);
    this.#writer.drop(channel.routerId);
  }

  /** The router as the database has it; undefined when the channel has ended. */
  routerOf(channel: RouterChannel): KnownRouter | undefined {
    return this.#routers.get(channel)?.router;
  }

  /** Takes over the router as it was read again. */
  setRouter(channel: RouterChannel, router: KnownRouter): void {
    const connected = this.#routers.get(channel);
    if (connected !== undefined) connected.router = router;
  }

  /** Changes what all controllers are shown. Does nothing when the channel has ended. */
  update(channel: RouterChannel, changes: Partial<RouterPresence>): void {
    const connected = this.#routers.get(channel);
    if (connected === undefined) return;
    connected.presence = { ...connected.presence, ...changes };
    this.#writer.set(channel.routerId, connected.presence);
  }

  /** Numbers of connected routers, and of those that have all they must know. */
  get counts(): { readonly connected: number; readonly inSync: number } {
    let inSync = 0;
    // A router that takes no part in access is told nothing, and lacks nothing.
    for (const { router, presence } of this.#routers.values())
      if (!router.isEdge || presence.syncStatus === 'SYNC_DONE') inSync += 1;
    return { connected: this.#routers.size, inSync };
  }
}
