/**
 * Tells routers the data model: the keys of the network, and for a router with a tunneler what its own identity
 * reaches. A router that subscribes gets the whole state, then what changes. What it may have lost is looked at in the
 * same rounds, also for routers that did not subscribe.
 *
 * Each change is announced after its commit, and what is told is read after the announcement, so what is told last is
 * right. A whole state is right whatever the router had; changes go out only with an index that has grown.
 */
import { modelChanges, modelOf } from '../../domain/fabric/router-model.js';
import type { ModelConfig, RouterModel } from '../../domain/fabric/router-model.js';
import type { ConfigVersion, ReachedModels } from '../../db/stores/router-models.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import { changeSetMessage, stateMessage } from './model-messages.js';
import { keyChanges, publicKeysOf } from './public-keys.js';
import type { KeySources, PublicKey } from './public-keys.js';
import type { DataModel, FabricServices } from '../services.js';

export interface DataModelOptions {
  readonly stores: Pick<Stores, 'routerModels' | 'routerSync'>;
  readonly keySources: () => Omit<KeySources, 'caPems'>;
  /** What a router reaches now. Awaited before the next round. */
  readonly onReach: (channel: RouterChannel, model: RouterModel) => Promise<void>;
  /** What is read from now on decides what `onReach` is told. */
  readonly onRound: () => void;
  readonly noteFailure: FabricServices['noteFailure'];
}

type Keys = ReadonlyMap<string, PublicKey>;

interface Told {
  readonly keys: Keys;
  readonly model: RouterModel;
  readonly index: number;
  readonly timelineId: string;
}

interface Entry {
  readonly channel: RouterChannel;
  /** Undefined until it subscribes: then it is told nothing. */
  subscriptionId: string | undefined;
  /** Undefined when the whole state is due. */
  told: Told | undefined;
  /** The identity is disabled until then. */
  disabledUntilMs: number | undefined;
}

/** Changes that follow each other are looked up together. */
const GATHER_MS = 50;
/** A round that took long is followed by a pause of so many times as long. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 2_000;

export class RouterModels implements DataModel {
  readonly #options: DataModelOptions;
  readonly #entries = new Map<RouterChannel, Entry>();
  readonly #due = new Set<Entry>();
  #configs = new Map<string, ModelConfig & ConfigVersion>();
  /** Undefined when they must be read again. */
  #keys: Keys | undefined;
  #keyNews = 0;
  #running: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #lastRoundMs = 0;
  /** What a round is reading. */
  #step = '';
  #isFailing = false;
  #isClosed = false;

  constructor(options: DataModelOptions) {
    this.#options = options;
  }

  /** A router is connected: what it lost while it was away is looked at. */
  begin(channel: RouterChannel): void {
    const entry: Entry = { channel, subscriptionId: undefined, told: undefined, disabledUntilMs: undefined };
    this.#entries.set(channel, entry);
    this.#due.add(entry);
    void this.#run();
  }

  end(channel: RouterChannel): void {
    const entry = this.#entries.get(channel);
    if (entry !== undefined) this.#due.delete(entry);
    this.#entries.delete(channel);
  }

  isSubscribed(channel: RouterChannel, subscriptionId: string): boolean {
    return this.#entries.get(channel)?.subscriptionId === subscriptionId;
  }

  async subscribe(channel: RouterChannel, subscriptionId: string): Promise<void> {
    const entry = this.#entries.get(channel);
    if (entry === undefined) return;
    entry.subscriptionId = subscriptionId;
    entry.told = undefined;
    this.#due.add(entry);
    await this.#run();
  }

  /** What routers reach may have changed. */
  changed(): void {
    if (this.#entries.size === 0 || this.#isClosed) return;
    const pauseMs = Math.min(MAX_PAUSE_MS, GATHER_MS + PAUSE_FACTOR * this.#lastRoundMs);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#lookAtAll();
    }, pauseMs).unref();
  }

  /** CAs, or keys of the network. */
  keysChanged(): void {
    this.#keyNews += 1;
    this.#keys = undefined;
    this.#lookAtAll();
  }

  /** Called now and then: does what failed, or is due by the clock. */
  beat(): void {
    const nowMs = Date.now();
    for (const entry of this.#entries.values())
      if (entry.disabledUntilMs !== undefined && entry.disabledUntilMs <= nowMs) this.#due.add(entry);
    void this.#run();
  }

  /** Waits for the round that is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    this.#due.clear();
    await this.#running;
  }

  #lookAtAll(): void {
    for (const entry of this.#entries.values()) this.#due.add(entry);
    void this.#run();
  }

  /** Resolves when nothing is due, or a round has failed. */
  async #run(): Promise<void> {
    this.#running ??= this.#rounds().finally(() => {
      this.#running = undefined;
      if (!this.#isFailing && this.#due.size > 0) void this.#run();
    });
    await this.#running;
  }

  async #rounds(): Promise<void> {
    while (this.#due.size > 0 && !this.#isClosed) {
      const batch = [...this.#due];
      this.#due.clear();
      const startMs = performance.now();
      try {
        await this.#round(batch);
        this.#isFailing = false;
      } catch (error) {
        for (const entry of batch) if (this.#isOpen(entry)) this.#due.add(entry);
        if (!this.#isFailing)
          this.#options.noteFailure(error, {}, `${this.#step} for routers could not be read; it is tried again`);
        this.#isFailing = true;
        return;
      } finally {
        this.#lastRoundMs = performance.now() - startMs;
      }
    }
  }

  async #round(batch: readonly Entry[]): Promise<void> {
    const { stores, onReach, onRound } = this.#options;
    onRound();
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
      const model = modelOf(reached.reaches.get(routerId), { ...reached, configs });
      tell(entry, model, keys, reached);
      await onReach(entry.channel, model);
    }
  }

  #isOpen(entry: Entry): boolean {
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

  /** As they are now; a change that is heard of while they are read makes them be read again. */
  async #currentKeys(): Promise<Keys> {
    for (;;) {
      if (this.#keys !== undefined) return this.#keys;
      const before = this.#keyNews;
      const { stores, keySources } = this.#options;
      const read = publicKeysOf({ caPems: await stores.routerSync.caPems(), ...keySources() });
      if (before === this.#keyNews) this.#keys = read;
    }
  }
}

function tell(
  entry: Entry,
  model: RouterModel,
  keys: Keys,
  { index, timelineId }: Pick<ReachedModels, 'index' | 'timelineId'>,
): void {
  const { channel, subscriptionId, told } = entry;
  if (subscriptionId === undefined) return;
  const place = { index, timelineId, subscriptionId };
  const changes = told === undefined ? [] : modelChanges(told.model, model);
  const hasGrown = told?.timelineId === timelineId && index > told.index;
  if (told === undefined || (changes.length > 0 && !hasGrown)) {
    channel.send(stateMessage(model, keys, place));
    entry.told = { keys, model, index, timelineId };
    return;
  }
  const changedKeys = told.keys === keys ? undefined : keyChanges(told.keys, keys);
  if (changedKeys !== undefined) channel.send(changedKeys);
  if (changes.length > 0) channel.send(changeSetMessage(changes, told.index, place));
  // The next change follows the last that was sent, not the last that was looked at.
  entry.told = changes.length > 0 ? { keys, model, index, timelineId } : { ...told, keys };
}
