/** The parts of the control channel of one process, each made from those that it needs. */
import type { KnownRouter } from '../db/stores/router-sync-view.js';
import type { ConnectedIdentityStore } from '../db/stores/connected-identities.js';
import type { Stores } from '../db/stores/stores.js';
import type { ConnectedChannels, RouterChannel } from './channel/channel.js';
import type { ChannelLimits } from './channel/limits.js';
import { ChannelRegistry } from './channel/registry.js';
import { RouterLog } from './channel/router-log.js';
import type { FailureLog, NoteFailure } from './channel/router-log.js';
import { StandIns } from './channel/stand-ins.js';
import { FabricEvents } from './fabric-events.js';
import { Inspections } from './inspections/inspections.js';
import { LinkSettingsReader } from './links/link-settings.js';
import { RouterPeers } from './links/peers.js';
import { ClientEnds } from './model/client-ends.js';
import { ClientReaches } from './model/client-reaches.js';
import { RouterModels } from './model/data-model.js';
import { RouterChecks } from './model/router-checks.js';
import { ConnectedRouters } from './presence/connected-routers.js';
import { Book, HostRecords } from './presence/host-records.js';
import { IdentitiesElsewhere } from './presence/identities-elsewhere.js';
import { OtherChannels } from './presence/other-channels.js';
import { PresenceWriter } from './presence/presence.js';
import { RouterLifecycle } from './router-lifecycle.js';
import { SessionSync } from './sessions/session-sync.js';
import type { ConnectedIdentities } from './traffic/connected-identities.js';
import { Traffic } from './traffic/traffic.js';
import type { FabricOptions } from './fabric-options.js';

export type FabricParts = ReturnType<typeof makeParts>;

/** Makes the parts in an order in which each gets only parts that are there. */
export function makeParts(options: FabricOptions, limits: ChannelLimits) {
  const { stores, controllerId, controllers } = options;
  const lines = new RouterLog(options);
  const { log, noteFailure } = lines;
  const registry = new ChannelRegistry(limits.probeMs);
  const hostId = options.newId();
  const { traffic, books } = makeTraffic(hostId, stores, registry, lines);
  const presence = new PresenceWriter({
    store: stores.routerChannels,
    hostId,
    controllerId,
    log: options.log,
    circuits: () => traffic.circuits.size,
    onJoined: () => {
      records.restart();
    },
  });
  const records = new HostRecords({ hostId, isJoined: () => presence.isJoined, books, noteFailure });
  const elsewhere = new IdentitiesElsewhere({ store: stores.connectedIdentities, hostId, noteFailure });
  const linkSettings = new LinkSettingsReader({ store: stores.links, links: traffic.links, noteFailure });
  const routers = new ConnectedRouters(presence);
  const { ends, models } = makeModels(options, registry, traffic, lines);
  const sessionSync = makeSessionSync(options, routers, noteFailure);
  const others = new OtherChannels({
    store: stores.routerChannels,
    hostId,
    channels: registry,
    takeOver: () => traffic.takeOver(),
    onLost: (routerIds) => {
      sessionSync.tellAgain(routerIds);
      traffic.checkHosts(routerIds);
    },
    noteFailure,
  });
  const shared = { registry, routers, controllers, sessionSync, models, peers: new RouterPeers(log), traffic };
  const lifecycle = new RouterLifecycle({ ...shared, log, renewedMs: limits.renewedMs });
  const standIns = new StandIns(() => controllers.standsInFor());
  const checks = makeChecks(stores, shared, lifecycle);
  const inspections = makeInspections(options, { hostId, registry, models, traffic, noteFailure });
  const parts = { ...shared, linkSettings, ends, records, checks, standIns, others };
  const hasClients = options.accessTokenSeconds > 0;
  const events = new FabricEvents({ ...parts, channels: registry, noteFailure, inspections, hasClients });
  return { ...parts, elsewhere, lines, presence, lifecycle, events };
}

interface CheckedParts {
  readonly registry: ChannelRegistry;
  readonly peers: RouterPeers;
  readonly traffic: Traffic;
}

/** Makes what reads routers again that matter to this process. */
function makeChecks(stores: Stores, { registry, peers, traffic }: CheckedParts, lifecycle: RouterLifecycle) {
  return new RouterChecks<KnownRouter>({
    read: (ids) => stores.routerSync.routers(ids),
    isOurs: (id) => registry.get(id) !== undefined || peers.awaits(id) || traffic.circuits.ofRouter(id).length > 0,
    ours: () => [...[...registry.all()].map(({ routerId }) => routerId), ...peers.away],
    onRead: (id, router, begunMs) => {
      lifecycle.reread(id, router, begunMs);
    },
  });
}

/** Makes what answers inspections for this process and its routers. */
function makeInspections({ stores, controllerId }: FabricOptions, parts: InspectionParts): Inspections {
  const { hostId, registry, models, traffic, noteFailure } = parts;
  const checkModel = (routerId: string) => modelCheck(routerId, registry, models);
  const channels = () => registry.all();
  return new Inspections({
    store: stores.inspections,
    hostId,
    controllerId,
    channels,
    checkModel,
    listTerminators: (request) => stores.fabricTerminators.list(request),
    reportedBy: (routerId) => traffic.connected.reportedBy(routerId),
    noteFailure,
  });
}

interface InspectionParts {
  readonly hostId: string;
  readonly registry: ChannelRegistry;
  readonly models: RouterModels;
  readonly traffic: Pick<Traffic, 'connected'>;
  readonly noteFailure: NoteFailure;
}

/** See `RouterModels.check`; undefined also for a router that is not connected here. */
export async function modelCheck(routerId: string, registry: ChannelRegistry, models: RouterModels) {
  const channel = registry.get(routerId);
  return channel === undefined ? undefined : models.check(channel);
}

/** Makes the traffic, and the books of what all controllers are shown of it. */
function makeTraffic(hostId: string, stores: Stores, channels: ConnectedChannels, lines: FailureLog) {
  const traffic = new Traffic({
    hostId,
    stores,
    channels,
    onLinkChanged: (id) => {
      links.changed(id);
    },
    onCircuitTaken: (id) => {
      circuits.taken(id);
    },
    onCircuitChanged: (id) => {
      circuits.changed(id);
    },
    onCostChanged: (id) => {
      costs.changed(id);
    },
    onIdentityChanged: (id) => {
      identities.changed(id);
    },
    log: lines.log,
    noteFailure: lines.noteFailure,
  });
  const links = new Book(traffic.links, stores.links);
  const circuits = new Book(traffic.circuits, stores.circuits);
  const costs = new Book(traffic.costs, stores.terminatorCosts);
  const identities = identityBook(traffic.connected, stores.connectedIdentities);
  return { traffic, books: [links, circuits, costs, identities] };
}

/** Makes the book of identities: each row has a number of its own, and one that went keeps a row that says so. */
function identityBook(source: ConnectedIdentities, store: Pick<ConnectedIdentityStore, 'write'>) {
  let number = 0;
  return new Book(source, {
    write: (hostId, present, gone) => {
      const went = gone.map((identityId) => ({ identityId, isConnected: false, lostForMs: null }));
      const rows = [...present, ...went].map((row) => ({ ...row, number: (number += 1) }));
      return store.write(hostId, rows);
    },
  });
}

/** Makes what tells routers of the network, and of clients that have ended. */
function makeModels(
  { stores, keySources, accessTokenSeconds }: FabricOptions,
  channels: ConnectedChannels,
  traffic: Traffic,
  { log, noteFailure }: FailureLog,
) {
  const ends = new ClientEnds({
    store: stores.clientEnds,
    channels,
    lifetimeSeconds: accessTokenSeconds,
    noteFailure,
  });
  const clients = new ClientReaches({ store: stores.clientReaches, hasClients: accessTokenSeconds > 0 });
  const onWhole = (channel: RouterChannel) => void ends.tell(channel);
  const models = new RouterModels({
    stores,
    clients,
    onWhole,
    keySources,
    listener: traffic.tunnels,
    noteFailure,
    log,
  });
  return { ends, models };
}

/** Makes what tells routers of API sessions. */
function makeSessionSync(
  { stores, apiSessionToken, sessionTimeoutSeconds }: FabricOptions,
  routers: ConnectedRouters,
  noteFailure: NoteFailure,
): SessionSync {
  return new SessionSync({
    view: stores.routerSync,
    tokenOf: apiSessionToken,
    timeoutSeconds: sessionTimeoutSeconds,
    onStatus: (channel, syncStatus) => {
      routers.update(channel, { syncStatus });
    },
    noteFailure,
  });
}
