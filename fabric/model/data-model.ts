/**
 * Tells routers the data model: the keys of the network, and for a router with a tunneler what its own identity
 * reaches. A router that subscribes gets the whole state, then what changes. The same rounds end what a router has
 * lost, also for routers that did not subscribe.
 *
 * Each change is announced after its commit, and read after the announcement, so what a router is told last is right.
 * A whole state is right whatever the router had; changes go out only with an index that has grown.
 */
import { modelChanges, modelOf } from '../../domain/fabric/router-model.js';
import type { ModelConfig, RouterModel } from '../../domain/fabric/router-model.js';
import type { ConfigVersion, ReachedModels } from '../../db/stores/router-models.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import { changeSetMessage, stateMessage } from './model-messages.js';
import { keyChanges, publicKeysOf } from './public-keys.js';
import type { KeySources, PublicKey } from './public-keys.js';
import type { NoteFailure } from '../channel/router-log.js';

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
}

type Keys = ReadonlyMap<string, PublicKey>;

/** The model that a router was sent last. */
interface SentModel {
  readonly keys: Keys;
  readonly model: RouterModel;
  readonly index: number;
  readonly timelineId: string;
}

interface Entry {
  readonly channel: RouterChannel;
  /** Undefined until it subscribes: until then it is sent nothing. */
  subscriptionId: string | undefined;
  /** Undefined when the whole state is due. */
  sent: SentModel | undefined;
  /** The identity is disabled until then. */
  disabledUntilMs: number | undefined;
}

/** Time in which changes are gathered, to be looked up together. */
const GATHER_MS = 50;
/** A round that took long is followed by a pause of so many times as long. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 2_000;

export class RouterModels {
  readonly #options: DataModelOptions;
  readonly #entries = new Map<RouterChannel, Entry>();
  readonly #due = new Set<Entry>();
  #configs = new Map<string, ModelConfig & ConfigVersion>();
  /** Undefined when they must be read again. */
  #keys: Keys | undefined;
  /** Count of changes of keys. */
  #keyChanges = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastRoundMs = 0;
  /** Names what a round is reading, for the log. */
  #step = '';
  #isFailing = false;
  #isClosed = false;

  constructor(options: DataModelOptions) {
    this.#options = options;
  }

  /** Takes up a router that has connected: the next round ends what it lost while it was away. */
  begin(channel: RouterChannel): void {
    const entry: Entry = { channel, subscriptionId: undefined, sent: undefined, disabledUntilMs: undefined };
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

  /** Looks up soon what routers reach. */
  schedule(): void {
    if (this.#entries.size === 0 || this.#isClosed) return;
    const pauseMs = Math.min(MAX_PAUSE_MS, GATHER_MS + PAUSE_FACTOR * this.#lastRoundMs);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#runForAll();
    }, pauseMs).unref();
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
      const model = modelOf(reached.reaches.get(routerId), { ...reached, configs });
      sendChanges(entry, model, keys, reached);
      await listener.reached(entry.channel, model);
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

function sendChanges(
  entry: Entry,
  model: RouterModel,
  keys: Keys,
  { index, timelineId }: Pick<ReachedModels, 'index' | 'timelineId'>,
): void {
  const { channel, subscriptionId, sent } = entry;
  if (subscriptionId === undefined) return;
  const position = { index, timelineId, subscriptionId };
  const changes = sent === undefined ? [] : modelChanges(sent.model, model);
  const hasGrown = sent?.timelineId === timelineId && index > sent.index;
  if (sent === undefined || (changes.length > 0 && !hasGrown)) {
    channel.send(stateMessage(model, keys, position));
    entry.sent = { keys, model, index, timelineId };
    return;
  }
  const changedKeys = sent.keys === keys ? undefined : keyChanges(sent.keys, keys);
  if (changedKeys !== undefined) channel.send(changedKeys);
  if (changes.length > 0) channel.send(changeSetMessage(changes, sent.index, position));
  // The next change follows the last that was sent, not the last that was read.
  entry.sent = changes.length > 0 ? { keys, model, index, timelineId } : { ...sent, keys };
}
