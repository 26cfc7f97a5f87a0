/**
 * Tells routers the data model: the keys of the network, the router itself with its configs, and for one with a
 * tunneler what its own identity reaches. A router that subscribes gets the whole state, then what changes. The same
 * rounds end what a router has lost, also for routers that did not subscribe. Of a change only those routers are read
 * again that it may concern: what they had is in memory, what they may have got is asked of the database.
 *
 * Each change is announced after its commit, and read after the announcement, so what a router is told last is right.
 * A whole state is right whatever the router had; changes go out only with an index that has grown.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ModelTouches } from '../../domain/fabric/model-touches.js';
import { modelOf } from '../../domain/fabric/router-model.js';
import type { ModelConfig, ReachedModel, RouterModel } from '../../domain/fabric/router-model.js';
import type { ConfigVersion } from '../../db/stores/router-models.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import { compareModel, noteDifferences } from './model-check.js';
import type { ModelDifference } from './model-check.js';
import { stateOf } from './model-messages.js';
import { publicKeysOf } from './public-keys.js';
import type { KeySources } from './public-keys.js';
import { RoundPace } from './round-pace.js';
import { sendChanges } from './sent-model.js';
import type { Keys, ModelReceiver } from './sent-model.js';
import type { FabricLog, NoteFailure } from '../channel/router-log.js';

/** Hears what routers reach. */
export interface ReachListener {
  /** Called before a round reads what `reached` is told. */
  roundBegins(): void;
  /** Takes over what a router reaches now. Awaited before the next round. */
  reached(channel: RouterChannel, model: RouterModel): Promise<void>;
}

export interface DataModelOptions {
  readonly stores: Pick<Stores, 'routerModels' | 'routerSync'>;
  readonly keySources: () => Omit<KeySources, 'caPems'>;
  readonly listener: ReachListener;
  readonly noteFailure: NoteFailure;
  readonly log: FabricLog;
}

interface RouterState extends ModelReceiver {
  /** Model that was read last; undefined until then. */
  last: ReachedModel | undefined;
  /** The identity is disabled until then. */
  disabledUntilMs: number | undefined;
}

/** Time in which a router applies what it was told, beside all else that it does. */
const APPLIED_MS = 3_000;

export class RouterModels {
  readonly #options: DataModelOptions;
  readonly #entries = new Map<RouterChannel, RouterState>();
  readonly #due = new Set<RouterState>();
  /** Changes since the last round began. */
  #touches = new ModelTouches();
  #configs = new Map<string, ModelConfig & ConfigVersion>();
  /** Undefined when they must be read again. */
  #keys: Keys | undefined;
  /** Count of changes of keys. */
  #keyChanges = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #pace = new RoundPace(() => performance.now());
  /** Names what a round is reading, for the log. */
  #step = '';
  #isFailing = false;
  #isClosed = false;

  constructor(options: DataModelOptions) {
    this.#options = options;
  }

  /** Takes up a router that has connected: the next round ends what it lost while it was away. */
  begin(channel: RouterChannel): void {
    const entry: RouterState = {
      channel,
      subscriptionId: undefined,
      sent: undefined,
      last: undefined,
      disabledUntilMs: undefined,
    };
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
    if (this.#entries.size === 0) return;
    this.#touches.add(kind, id);
    this.#schedule();
  }

  /** Looks up soon what all routers reach. */
  scheduleAll(): void {
    if (this.#entries.size === 0) return;
    this.#touches.addAnything();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, this.#pace.pauseMs).unref();
  }

  /** Reads CAs and keys of the network again. */
  keysChanged(): void {
    this.#keyChanges += 1;
    this.#keys = undefined;
    this.#runForAll();
  }

  /** Does what failed before, or is due by the clock. */
  runDue(): void {
    const nowMs = Date.now();
    for (const entry of this.#entries.values())
      if (entry.disabledUntilMs !== undefined && entry.disabledUntilMs <= nowMs) this.#due.add(entry);
    void this.#run();
  }

  /** Waits for the round that is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#due.clear();
    await this.#running;
  }

  #runForAll(): void {
    for (const entry of this.#entries.values()) this.#due.add(entry);
    void this.#run();
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
      let batch: readonly RouterState[] = [...this.#entries.values()];
      try {
        await this.#pace.run(async () => {
          batch = await this.#dueNow();
          if (batch.length > 0) await this.#round(batch);
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
    return this.#due.size > 0 || (this.#timer === undefined && this.#pace.isRested && !this.#touches.isEmpty);
  }

  /** Takes the routers that are due, and those that the changes so far may concern. */
  async #dueNow(): Promise<RouterState[]> {
    const touches = this.#touches;
    this.#touches = new ModelTouches();
    const due = new Set(this.#due);
    this.#due.clear();
    if (touches.isEmpty) return [...due];
    const others: RouterState[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.last === undefined || touches.concerns(entry.last)) due.add(entry);
      else others.push(entry);
    }
    this.#step = 'which routers a change concerns';
    const ids = others.map(({ channel }) => channel.routerId);
    const gaining = new Set(await this.#options.stores.routerModels.gaining(ids, touches));
    for (const entry of others) if (gaining.has(entry.channel.routerId)) due.add(entry);
    return [...due].filter((entry) => this.#isOpen(entry));
  }

  async #round(batch: readonly RouterState[]): Promise<void> {
    const { stores, listener } = this.#options;
    listener.roundBegins();
    this.#step = 'the keys';
    const keys = await this.#currentKeys();
    this.#step = 'the data model';
    const reached = await stores.routerModels.reached(batch.map(({ channel }) => channel.routerId));
    const configs = await this.#configsOf(reached.configVersions, batch.length === this.#entries.size);
    if (configs === undefined) {
      // One was deleted in between: what is read next does not name it.
      for (const entry of batch) if (this.#isOpen(entry)) this.#due.add(entry);
      return;
    }
    for (const entry of batch) {
      if (!this.#isOpen(entry)) continue;
      const { routerId } = entry.channel;
      entry.disabledUntilMs = reached.disabledUntil.get(routerId)?.getTime();
      const reach = reached.reaches.get(routerId);
      const model = modelOf(reached.routers.get(routerId), reach, { ...reached, configs });
      entry.last = { model, routerPolicyIds: new Set(reach?.routerPolicyIds) };
      sendChanges(entry, model, keys, reached);
      await listener.reached(entry.channel, model);
    }
  }

  #isOpen(entry: RouterState): boolean {
    return this.#entries.get(entry.channel) === entry;
  }

  /** Undefined when one of them is not there any more. @param areAll  no other is needed by any router */
  async #configsOf(
    versions: readonly ConfigVersion[],
    areAll: boolean,
  ): Promise<ReadonlyMap<string, ModelConfig> | undefined> {
    const stale = versions.filter(({ id, version }) => this.#configs.get(id)?.version !== version);
    const found = stale.length === 0 ? [] : await this.#options.stores.routerModels.configs(stale.map(({ id }) => id));
    for (const config of found) this.#configs.set(config.id, config);
    if (found.length < stale.length) return undefined;
    if (areAll) {
      const wanted = new Set(versions.map(({ id }) => id));
      this.#configs = new Map([...this.#configs].filter(([id]) => wanted.has(id)));
    }
    return this.#configs;
  }

  /** Returns the keys as they are now: reads them again when a change is heard of meanwhile. */
  async #currentKeys(): Promise<Keys> {
    for (;;) {
      if (this.#keys !== undefined) return this.#keys;
      const before = this.#keyChanges;
      const { stores, keySources } = this.#options;
      const read = publicKeysOf({ caPems: await stores.routerSync.caPems(), ...keySources() });
      if (before === this.#keyChanges) this.#keys = read;
    }
  }
}
