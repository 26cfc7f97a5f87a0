/**
 * A controller from its start to its end: its data, who it is, what it keeps in memory, what listens. Here alone is put
 * together what lives long; start/phases.ts says what each step is given and opens.
 */
import type { ClientConfig } from 'pg';
import { createPasswordHasher } from '../../domain/auth/passwords.js';
import type { PasswordCost } from '../../domain/auth/passwords.js';
import { newId } from '../../domain/auth/tokens.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import { openStores } from '../../db/stores/stores.js';
import type { Context } from '../../handlers/context.js';
import { startBackups } from '../maintenance/backup-schedule.js';
import { bindOperations } from '../sessions/binder.js';
import { openNetwork, refreshKeys, requireMasterKey } from '../keys/bootstrap.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Network } from '../keys/bootstrap.js';
import { buildContext } from './build-context.js';
import { closeAll } from '../base/closers.js';
import type { Closers } from '../base/closers.js';
import type { Settings } from '../settings/config.js';
import { connectDatabase, listLimits, locateServer } from '../data/database.js';
import { createEpochMemory } from '../changes/epochs.js';
import { ChangeSubscribers } from './change-subscribers.js';
import type { Logger } from '../base/log.js';
import { RunningMaintenance } from '../maintenance/maintenance.js';
import { RunningPki } from '../keys/pki.js';
import { keepKeysFresh, serverIdentity } from '../keys/renewal.js';
import { openSpas } from '../pages/spa.js';
import { joinFirst } from './joining.js';
import { openMemory } from './memory.js';
import type { Data, RunningParts, ControllerIdentity, ServableParts, Serving, Start } from './phases.js';
import { serve } from './serving.js';

export interface RunningController {
  /** URL on which it listens, such as `https://127.0.0.1:1280`. */
  readonly url: string;
  /** Address of the port for routers alone, as `host:port`; undefined without one. */
  readonly control: string | undefined;
  /** Address on which this process serves metrics, as `host:port`; undefined when it serves none. */
  readonly metrics: string | undefined;
  readonly advertise: string;
  readonly newAdmin: Network['newAdmin'];
  /** Asks a router that is connected to this process whether it has what it was told. See `Fabric.checkModel`. */
  readonly checkModel: Fabric['checkModel'];
  /**
   * Accepts connections for `limits.lameDuck` more, lets requests in flight finish, then closes everything. Called
   * again, it waits for neither.
   */
  stop(): Promise<void>;
}

/**
 * @param abort  ends the start with an error at its next step; nothing is left running
 * @param passwordCost  of new passwords; those that a controller of its own program hashes cost what they should
 */
export async function startController(
  config: Settings,
  log: Logger,
  abort = new AbortController().signal,
  passwordCost: PasswordCost = {},
): Promise<RunningController> {
  const start = newStart(config, log, abort, passwordCost);
  try {
    return await assemble(start);
  } catch (error) {
    await closeAll(start.closers, log);
    throw error;
  }
}

export interface PreparedNetwork {
  readonly connection: ClientConfig;
  readonly newAdmin: Network['newAdmin'];
  /** Stops the embedded database, if there is one. */
  close(): Promise<void>;
}

/**
 * Makes what must exist before several processes serve: the database, its schema, the network. Serves nothing itself.
 */
export async function prepareNetwork(config: Settings, log: Logger, abort: AbortSignal): Promise<PreparedNetwork> {
  const start = newStart(config, log, abort);
  const { closers } = start;
  const ofPool: Closers = [];
  openSpas(config.spa); // each worker serves them: this only refuses what none could serve
  try {
    const connection = await locateServer(start);
    const { network, stores, controllerId } = await openData({ ...start, closers: ofPool }, connection);
    await joinFirst(start, stores, network.keys.server, controllerId);
    // Rows of workers of an earlier start: those of this start do not run yet.
    await stores.routerChannels.forgetHostsOf(controllerId);
    await closeAll(ofPool, log);
    return { connection, newAdmin: network.newAdmin, close: () => closeAll(closers, log) };
  } catch (error) {
    await closeAll(ofPool, log);
    await closeAll(closers, log);
    throw error;
  }
}

const newStart = (config: Settings, log: Logger, abort: AbortSignal, passwordCost: PasswordCost = {}): Start => ({
  config,
  log,
  abort,
  closers: [],
  passwordCost,
  startedAt: new Date(),
  changes: new ChangeSubscribers(createEpochMemory(), log),
});

async function assemble(start: Start): Promise<RunningController> {
  const { config, log, abort, closers } = start;
  const bindings = bindOperations();
  const spas = openSpas(config.spa);
  const connection = await locateServer(start);
  const data = await openData(start, connection);
  const own = await openIdentity(data);
  const live = await openMemory(start, connection, { ...data, ...own });
  abort.throwIfAborted();
  const parts = { ...start, ...data, ...own, ...live };
  const ready = { ...parts, context: openContext(parts, connection) };
  const forceStop = new AbortController();
  const { servers, address, control, metrics } = await serve(ready, { bindings, spas, forceStop: forceStop.signal });
  keepFresh(ready, servers);
  const url = `https://${address}`;
  const checkModel: Fabric['checkModel'] = (routerId) => ready.fabric.checkModel(routerId);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (stopping !== undefined) forceStop.abort();
    return (stopping ??= closeAll(closers, log));
  };
  return { url, control, metrics, advertise: config.advertise, newAdmin: data.network.newAdmin, checkModel, stop };
}

/** The network is made by the first start. */
async function openData(start: Start, connection: ServerConfig): Promise<Data> {
  const { config, log, abort, changes, passwordCost } = start;
  const opened = await connectDatabase({
    ...start,
    connection,
    onLost: () => changes.onDatabaseLost?.(),
    onCommit: (touched, requestId) => {
      changes.committed(touched, requestId);
    },
    beforeSchema: (hasNetwork) => requireMasterKey(config, hasNetwork),
  });
  abort.throwIfAborted();
  const stores = openStores(opened.database, listLimits(config));
  const { passwordConcurrency: concurrent, passwordQueue: waiting } = config;
  const passwords = createPasswordHasher({ ...passwordCost, concurrent, waiting });
  const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
  const network = await openNetwork(config, stores, passwords, controllerId, log);
  return { ...opened, stores, epochs: changes.epochs, passwords, network, controllerId };
}

async function openIdentity({ network }: Data): Promise<ControllerIdentity> {
  const identity = serverIdentity(network.keys.server);
  return { identity, pki: RunningPki.open(network.trustDomain, network.keys.authority) };
}

/** Makes the context of the handlers, and the parts that work on the database as a whole. */
function openContext(parts: Start & Data & ControllerIdentity & RunningParts, connection: ServerConfig): Context {
  const { config, log, closers, network } = parts;
  const maintenance = new RunningMaintenance({ config, connection, keyRing: network.keyRing, log });
  closers.push(() => maintenance.close());
  const backups = startBackups({ config, connection, log });
  closers.push(() => backups.close());
  return buildContext({ ...parts, maintenance });
}

/** A controller that hears no changes looks itself, well before a new certificate comes into use. */
const DEAF_CHECK_MS = 4_000;

/** Renews what ends soon, at an interval and when another controller has renewed it. */
function keepFresh(ready: ServableParts, servers: Serving['servers']): void {
  const { config, log, closers, changes, stores, network, controllerId, announce, fabric, identity, pki } = ready;
  const current = () => refreshKeys(config, stores, network, controllerId, log);
  const renewal = keepKeysFresh({ servers, pki, identity, announce, log, current });
  let next: NodeJS.Timeout | undefined;
  const renewLater = (ms: number | undefined) => {
    clearTimeout(next);
    if (ms !== undefined) next = setTimeout(renew, ms).unref();
  };
  const renew = () => {
    void renewal().then((changesInMs) => {
      fabric.events.keysChanged();
      renewLater(changesInMs);
    });
  };
  changes.onKeysRenewed = renew;
  renewLater(network.keys.changesInMs);
  const timers = [
    setInterval(renew, config.tlsRenewalCheck * 1000).unref(),
    setInterval(() => {
      if (!ready.isHearing()) renew();
    }, DEAF_CHECK_MS).unref(),
  ];
  closers.push(() => {
    clearTimeout(next);
    for (const timer of timers) clearInterval(timer);
  });
}
