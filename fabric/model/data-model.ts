/**
 * Tells routers the data model: the keys of the network, the router itself with its configs, and for one with a
 * tunneler what its own identity reaches; of clients what client-reaches.ts has. A router that subscribes gets the
 * whole state, then what changes. The same rounds end what a router has lost, also for routers that did not subscribe.
 * Of a change only those are read again that it may concern: what they had is in memory, the rest in the database.
 *
 * Each change is announced after its commit, and read after the announcement, so what a router is told last is right.
 * A whole state is right whatever the router had; changes go out only with an index that has grown.
 */
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { wholeOf } from '../../domain/fabric/model-changes.js';
import { ModelTouches } from '../../domain/fabric/model-touches.js';
import { modelOf } from '../../domain/fabric/router-model.js';
import { inParts } from '../../domain/in-parts.js';
import { Pace } from '../../domain/scheduling/pace.js';
import type { ModelCatalog, RouterModel } from '../../domain/fabric/router-model.js';
import type { ReachedModels } from '../../db/stores/reached-models.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import type { ClientReachOf, ClientReaches } from './client-reaches.js';
import { compareModel, noteDifferences } from './model-check.js';
import type { ModelDifference } from './model-check.js';
import { stateOf } from './model-messages.js';
import { ModelConfigs } from './model-configs.js';
import { ModelKeys } from './model-keys.js';
import type { ModelKeySources } from './model-keys.js';
import { readAhead } from './read-ahead.js';
import { RoundPace } from './round-pace.js';
import { routerIdsOf, sendChanges, sendReach } from './sent-model.js';
import type { Keys } from './sent-model.js';
import { newRouterState } from './router-state.js';
import type { RouterState } from './router-state.js';
import type { FabricLog, NoteFailure } from '../channel/router-log.js';

/** Hears what routers reach. */
export interface ReachListener {
  /** Called before a round reads what `reached` is told. */
  roundBegins(): void;
  /** Takes over what some routers reach now. Awaited before the next round. */
  reached(models: ReadonlyMap<RouterChannel, RouterModel>): Promise<void>;
}

export interface DataModelOptions extends ModelKeySources {
  readonly stores: Pick<Stores, 'routerModels' | 'routerSync'>;
  readonly clients: ClientReaches;
  /** Called when a router has been sent the whole state. */
  readonly onWhole: (channel: RouterChannel) => void;
  readonly listener: ReachListener;
  readonly noteFailure: NoteFailure;
  readonly log: FabricLog;
}

/** Number of routers whose models are read in one statement. */
const PART = 100;
/** Least time from one round to the next, in which routers that come are gathered. */
const APART_MS = 50;
/** Time in which a router applies what it was told, beside all else that it does. */
const APPLIED_MS = 3_000;

export class RouterModels {
  readonly #options: DataModelOptions;
  readonly #entries = new Map<RouterChannel, RouterState>();
  readonly #due = new Set<RouterState>();
  /** Changes since the last round began. */
  #touches = new ModelTouches();
  readonly #configs: ModelConfigs;
  readonly #keys: ModelKeys;
  /** The reach of clients is to be read for all routers. */
  #areClientsDue = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #pace = new RoundPace(() => performance.now());
  readonly #turns = new Pace(APART_MS);
  /** Names what a round is reading, for the log. */
  #step = '';
  #isFailing = false;
  #isClosed = false;

  constructor(options: DataModelOptions) {
    this.#options = options;
    this.#configs = new ModelConfigs(options.stores.routerModels);
    this.#keys = new ModelKeys(options);
  }

  /** Takes up a router that has connected: the next round ends what it lost while it was away. */
  begin(channel: RouterChannel): void {
    const entry = newRouterState(channel);
    this.#entries.set(channel, entry);
    this.#due.add(entry);
    void this.#run();
  }

  end(channel: RouterChannel): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) this.#due.delete(entry);
    this.#entries.delete(channel);
  }

  /** True when the router has the state under this name. */
  isSubscribed(channel: RouterChannel, subscriptionId: string): boolean {
    return this.#entries.get(channel)?.subscriptionId === subscriptionId;
  }

  /** Sends the whole state, and from then on what changes. */
  async subscribe(channel: RouterChannel, subscriptionId: string): Promise<void> {
    const entry = this.#entries.get(channel);
    if (entry === undefined) return;
    entry.subscriptionId = subscriptionId;
    entry.sent = undefined;
    this.#due.add(entry);
    await this.#run();
  }

  /**
   * Asks the router whether it has what it was told last; when not, that is logged, and it is told all of it again.
   * Undefined when it was told nothing yet, or something else meanwhile.
   * @throws ChannelError
   */
  async check(channel: RouterChannel): Promise<readonly ModelDifference[] | undefined> {
    const entry = this.#entries.get(channel);
    const sent = entry?.sent;
    if (entry === undefined || sent === undefined) return undefined;
    const isSame = () => entry.sent?.model === sent.model && entry.sent.keys === sent.keys && this.#isOpen(entry);
    const state = stateOf(sent.model, sent.keys, sent);
    let differences = await compareModel(channel, state);
    if (differences.length > 0 && isSame()) {
      await delay(APPLIED_MS);
      if (isSame()) differences = await compareModel(channel, state);
    }
    if (!isSame()) return undefined;
    if (differences.length > 0) {
      noteDifferences(this.#options.log, channel, differences);
      entry.sent = undefined;
      this.#due.add(entry);
      await this.#run();
    }
    return differences;
  }

  /** Looks up soon which routers a change concerns, and what they reach. */
  changed(kind: string, id: string): void {
    if (this.#entries.size === 0) this.#options.clients.forget();
    else this.#touches.add(kind, id);
    this.#schedule();
  }

  /** Looks up soon what all routers reach. */
  scheduleAll(): void {
    if (this.#entries.size === 0) this.#options.clients.forget();
    else this.#touches.addAnything();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, this.#pace.pauseMs).unref();
  }

  /** Reads all again: CAs and keys of the network are other ones, or changes went unheard. */
  keysChanged(): void {
    this.#keys.changed();
    this.#options.clients.forget();
    for (const entry of this.#entries.values()) this.#due.add(entry);
    void this.#run();
  }

  /** Does what failed before, or is due by the clock. */
  runDue(): void {
    const nowMs = Date.now();
    for (const entry of this.#entries.values())
      if (entry.disabledUntilMs !== undefined && entry.disabledUntilMs <= nowMs) this.#due.add(entry);
    if (this.#options.clients.isDue(nowMs)) this.#areClientsDue = true;
    void this.#run();
  }

  /** Waits for the round that is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#due.clear();
    await this.#running;
  }

  /** Resolves when nothing is due, or a round has failed. */
  async #run(): Promise<void> {
    this.#running ??= this.#rounds().finally(() => {
      this.#running = undefined;
      if (this.#isFailing) return;
      if (this.#hasWork()) void this.#run();
      else if (!this.#touches.isEmpty) this.#schedule();
    });
    await this.#running;
  }

  async #rounds(): Promise<void> {
    while (this.#hasWork() && !this.#isClosed) {
      await this.#turns.turn();
      let batch: readonly RouterState[] = [...this.#entries.values()];
      try {
        await this.#pace.run(async () => {
          batch = await this.#dueNow();
          if (batch.length > 0) await this.#round(batch);
          if (this.#areClientsDue) await this.#clientRound();
        });
        this.#isFailing = false;
      } catch (error) {
        for (const entry of batch) if (this.#isOpen(entry)) this.#due.add(entry);
        if (!this.#isFailing)
          this.#options.noteFailure(error, {}, `${this.#step} for routers could not be read; it is tried again`);
        this.#isFailing = true;
        return;
      }
    }
  }

  /** A timer that runs gathers what comes until it ends. */
  #hasWork(): boolean {
    if (this.#due.size > 0 || this.#areClientsDue) return true;
    return this.#timer === undefined && this.#pace.isRested && !this.#touches.isEmpty;
  }

  /** Takes the routers that are due, and those that the changes so far may concern. */
  async #dueNow(): Promise<RouterState[]> {
    const touches = this.#touches;
    this.#touches = new ModelTouches();
    const due = new Set(this.#due);
    this.#due.clear();
    if (touches.isEmpty) return [...due];
    if (this.#options.clients.touched(touches)) this.#areClientsDue = true;
    const others: RouterState[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.last === undefined || touches.concerns(entry.last)) due.add(entry);
      else others.push(entry);
    }
    this.#step = 'which routers a change concerns';
    const gaining = new Set(await this.#options.stores.routerModels.gaining(routerIdsOf(others), touches));
    for (const entry of others) if (gaining.has(entry.channel.routerId)) due.add(entry);
    return [...due].filter(this.#isOpen);
  }

  async #round(batch: readonly RouterState[]): Promise<void> {
    const { clients, listener } = this.#options;
    const isOfAll = batch.length === this.#entries.size;
    listener.roundBegins();
    this.#step = 'the keys';
    const keys = await this.#keys.current();
    this.#step = 'the data model';
    if (isOfAll) this.#areClientsDue = false;
    const clientsRead = clients.of(routerIdsOf(batch), isOfAll);
    clientsRead.catch(() => undefined); // reported when it is awaited
    const needed = new Set<string>();
    await readAhead(
      inParts(batch, PART),
      async (part) => {
        const reached = await this.#options.stores.routerModels.reached(routerIdsOf(part));
        for (const { id } of reached.configVersions) needed.add(id);
        return { reached, configs: await this.#configs.of(reached.configVersions) };
      },
      async (part, { reached, configs }) => {
        // One was deleted in between: what is read next does not name it.
        if (configs === undefined) for (const entry of part.filter(this.#isOpen)) this.#due.add(entry);
        else await this.#tell(part, reached, { configs, keys, clientsOf: await clientsRead });
      },
    );
    if (isOfAll) this.#configs.keepOnly(needed);
  }

  async #tell(
    part: readonly RouterState[],
    reached: ReachedModels,
    { configs, keys, clientsOf }: Pick<ModelCatalog, 'configs'> & { keys: Keys; clientsOf: ClientReachOf },
  ): Promise<void> {
    const { listener, onWhole } = this.#options;
    const models = new Map<RouterChannel, RouterModel>();
    for (const entry of part) {
      const { routerId } = entry.channel;
      if (!this.#isOpen(entry)) continue;
      entry.disabledUntilMs = reached.disabledUntil.get(routerId)?.getTime();
      const reach = reached.reaches.get(routerId);
      const model = modelOf(reached.routers.get(routerId), reach, { ...reached, configs });
      entry.last = { model, routerPolicyIds: new Set(reach?.routerPolicyIds) };
      entry.clients = clientsOf(routerId);
      if (sendChanges(entry, wholeOf(model, entry.clients), keys, reached)) onWhole(entry.channel);
      models.set(entry.channel, model);
    }
    await listener.reached(models);
  }

  /** Tells all routers what their clients reach now: of most changes it is the same for many, or for all. */
  async #clientRound(): Promise<void> {
    this.#step = 'what clients reach';
    const clientsOf = await this.#options.clients.of(routerIdsOf([...this.#entries.values()]), true);
    this.#areClientsDue = false;
    for (const entry of [...this.#entries.values()]) {
      const reach = clientsOf(entry.channel.routerId);
      if (!this.#isOpen(entry) || entry.last === undefined || reach === entry.clients) continue;
      entry.clients = reach;
      sendReach(entry, wholeOf(entry.last.model, reach));
      await setImmediate();
    }
  }

  readonly #isOpen = (entry: RouterState): boolean => this.#entries.get(entry.channel) === entry;
}
