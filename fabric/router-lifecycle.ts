/** Follows a connected router through its life: when its channel opens, when it was read again, and at its end. */
import { create } from '@bufbuild/protobuf';
import type { KnownRouter } from '../db/stores/router-sync-view.js';
import { ServerHelloSchema } from '../generated/fabric/edge_pb.js';
import { ContentType } from './channel/content-types.js';
import { typedMessage } from './channel/frame.js';
import { SyncHeader, encodeBoolean } from './channel/headers.js';
import type { ChannelRegistry } from './channel/registry.js';
import type { OpenChannel } from './channel/router-channel.js';
import type { FabricLog } from './channel/router-log.js';
import { endForgotten } from './inspections/forgotten-circuits.js';
import { shownListeners } from './links/peers.js';
import type { RouterPeers } from './links/peers.js';
import type { RouterModels } from './model/data-model.js';
import type { ConnectedRouters } from './presence/connected-routers.js';
import { controllersMessage } from './presence/controllers.js';
import type { KnownControllers } from './presence/controllers.js';
import type { SessionSync } from './sessions/session-sync.js';
import type { Traffic } from './traffic/traffic.js';

export interface RouterLifecycleOptions {
  readonly registry: ChannelRegistry;
  readonly routers: ConnectedRouters;
  readonly controllers: KnownControllers;
  readonly sessionSync: SessionSync;
  readonly models: RouterModels;
  readonly peers: RouterPeers;
  readonly traffic: Traffic;
  readonly log: FabricLog;
  /** Milliseconds for which a channel stands after its router got a new certificate. */
  readonly renewedMs: number;
}

/** Lines about one router coming and going in a minute. */
const CONNECTION_LINES = 5;

export class RouterLifecycle {
  readonly #options: RouterLifecycleOptions;
  /** Timers that end the channels of routers with a new certificate. */
  readonly #renewals = new Map<OpenChannel, NodeJS.Timeout>();

  constructor(options: RouterLifecycleOptions) {
    this.#options = options;
  }

  opened(channel: OpenChannel, router: KnownRouter): void {
    const { routers, controllers, traffic, models, peers, log } = this.#options;
    const { version: versionInfo, capabilities, listeners } = channel.hello;
    // First of all: a router that loses us before it has the list may not come back.
    channel.send(controllersMessage(controllers.now()));
    routers.add(channel, router, {
      connectedAt: channel.connectedAt,
      syncStatus: router.isEdge ? 'SYNC_HELLO' : 'SYNC_QUEUED',
      hostname: '',
      protocols: {},
      linkListeners: shownListeners(listeners),
      versionInfo,
      capabilitiesMask: BigInt.asIntN(64, capabilities).toString(),
    });
    if (router.isEdge) channel.send(serverHello(versionInfo.version));
    traffic.routerConnected(channel, router);
    void endForgotten(channel, traffic.circuits);
    peers.connected(channel);
    models.begin(channel);
    log.info({ routerId: router.id, version: versionInfo.version }, 'router connected', CONNECTION_LINES);
  }

  /**
   * Takes over a router that was read again.
   * @param router  undefined when it was deleted
   * @param begunMs  when the read began, by `performance.now()`
   */
  reread(routerId: string, router: KnownRouter | undefined, begunMs: number): void {
    const { registry, routers, sessionSync, traffic, peers } = this.#options;
    const reason = barred(router);
    if (reason !== undefined) traffic.routerBarred(routerId);
    if (router === undefined) peers.removed(routerId);
    const channel = registry.get(routerId);
    if (channel === undefined || routers.routerOf(channel) === undefined) return;
    if (reason !== undefined) channel.close(reason);
    else if (router !== undefined) {
      routers.setRouter(channel, router);
      sessionSync.routerChanged(router);
      traffic.routerRead(channel, router, begunMs);
      if (router.fingerprint !== channel.fingerprint) this.#endRenewed(channel);
    }
  }

  closed(channel: OpenChannel, reason: string): void {
    const { routers, sessionSync, models, traffic, peers, log } = this.#options;
    clearTimeout(this.#renewals.get(channel));
    this.#renewals.delete(channel);
    sessionSync.end(channel);
    models.end(channel);
    traffic.routerLost(channel);
    peers.lost(channel);
    routers.remove(channel);
    log.info({ routerId: channel.routerId, reason }, 'router disconnected', CONNECTION_LINES);
  }

  #endRenewed(channel: OpenChannel): void {
    if (this.#renewals.has(channel)) return;
    const timer = setTimeout(() => {
      this.#renewals.delete(channel);
      // The certificate was exchanged over this very channel, which heard of it later than of the change.
      if (this.#options.routers.routerOf(channel)?.fingerprint === channel.fingerprint) return;
      channel.close('the router has a new certificate');
    }, this.#options.renewedMs).unref();
    this.#renewals.set(channel, timer);
  }
}

/** Returns why a router may not be connected. @param router  undefined when it is not there */
function barred(router: KnownRouter | undefined): string | undefined {
  if (router === undefined) return 'the router was deleted';
  if (router.disabled) return 'the router was disabled';
  return router.fingerprint === null ? 'the router must enroll again' : undefined;
}

/** Makes the answer to a router's hello; routers read its header alone. @param version  of the router, as it said */
function serverHello(version: string) {
  return typedMessage(
    ContentType.ServerHello,
    ServerHelloSchema,
    create(ServerHelloSchema, { version, data: { instant: 'true', routerModel: 'true' } }),
    [[SyncHeader.RouterDataModel, encodeBoolean(true)]],
  );
}
