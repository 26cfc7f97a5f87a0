/**
 * Reads API sessions for routers: all of them in pages, and those that were heard to have changed. Notices that come
 * within a moment are looked up together, by one reader at a time, so the last of several reads is right.
 */
import type { RouterSyncView, SessionState } from '../../db/stores/router-sync-view.js';

export interface SessionReaderOptions {
  readonly view: Pick<RouterSyncView, 'sessions' | 'sessionPage'>;
  /** Seconds without activity after which a session is over. */
  readonly timeoutSeconds: number;
  /** Ids of the sessions that are in memory. */
  readonly knownIds: () => string[];
  /** Takes over what was read. @param asked  sessions that were looked up by their ids */
  readonly apply: (found: readonly SessionState[], asked: readonly string[]) => Promise<void>;
  /** Called when a read has failed; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}

const PAGE = 2_000;
/** Time in which notices are gathered. */
const GATHER_MS = 10;
const MOST_GATHER_MS = 250;
/** Gathering takes this many times as long as sending did, so that sending takes a third of all time at most. */
const PAUSE_FACTOR = 2;
const RETRY_MS = 1_000;

export class SessionReader {
  readonly #options: SessionReaderOptions;
  readonly #ids = new Set<string>();
  readonly #identityIds = new Set<string>();
  readonly #whenLoaded: (() => void)[] = [];
  /** Everything has been read, and no change since went unheard. */
  #isLoaded = false;
  #isAllDue = false;
  #isReadingAll = false;
  #isClosed = false;
  #gatherMs = GATHER_MS;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(options: SessionReaderOptions) {
    this.#options = options;
  }

  /** True while a read runs. */
  get isWorking(): boolean {
    return this.#working !== undefined;
  }

  /** True when everything has been read, or will be. */
  get isWanted(): boolean {
    return this.#isLoaded || this.#isAllDue;
  }

  /** Resolves when everything has been read, or at the close; undefined when it has been. */
  loading(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined;
    return new Promise<void>((resolve) => this.#whenLoaded.push(resolve));
  }

  /** Reads everything unless that is done or under way. */
  load(): void {
    if (this.#isLoaded || this.#isAllDue || this.#isReadingAll) return;
    this.#isAllDue = true;
    this.#schedule(0);
  }

  scheduleAll(): void {
    this.#isAllDue = true;
    this.#schedule(this.#gatherMs);
  }

  scheduleSessions(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    this.#schedule(this.#gatherMs);
  }

  scheduleIdentity(identityId: string): void {
    this.#identityIds.add(identityId);
    this.#schedule(this.#gatherMs);
  }

  /** Adapts the time in which notices are gathered to how long sending the last changes took. */
  adaptTo(sendingMs: number): void {
    this.#gatherMs = Math.min(MOST_GATHER_MS, Math.max(GATHER_MS, PAUSE_FACTOR * sendingMs));
  }

  /** Forgets what is due, and that everything was read. Not while a read runs. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isLoaded = false;
    this.#isAllDue = false;
    this.#ids.clear();
    this.#identityIds.clear();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#resolveLoading();
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#runNow();
    }, afterMs).unref();
  }

  #runNow(): void {
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        this.#options.onFailure(error);
        // The notices of the failed read are lost, so everything is read.
        this.#isAllDue = true;
        this.#schedule(RETRY_MS);
      })
      .finally(() => {
        this.#working = undefined;
        if (this.#hasWork) this.#schedule(this.#gatherMs);
      });
  }

  get #hasWork(): boolean {
    return !this.#isClosed && (this.#isAllDue || this.#ids.size > 0 || this.#identityIds.size > 0);
  }

  async #work(): Promise<void> {
    while (this.#hasWork) {
      if (this.#isAllDue) {
        this.#isAllDue = false;
        this.#isReadingAll = true;
        await this.#readAll().finally(() => (this.#isReadingAll = false));
      } else await this.#readChanged();
      if (this.#isAllDue || this.#ids.size > 0) continue;
      this.#isLoaded = true;
      this.#resolveLoading();
    }
  }

  #resolveLoading(): void {
    for (const resolve of this.#whenLoaded.splice(0)) resolve();
  }

  async #readAll(): Promise<void> {
    const { view, timeoutSeconds, knownIds, apply } = this.#options;
    const seen = new Set<string>();
    const former = knownIds();
    for (let after = ''; ;) {
      const page = await view.sessionPage(timeoutSeconds, after, PAGE);
      await apply(page, []);
      if (this.#isClosed) return;
      for (const { id } of page) seen.add(id);
      const last = page[page.length - 1];
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
    // They ended, or began to after their page was read: they are looked up by their ids.
    for (const id of former) if (!seen.has(id)) this.#ids.add(id);
  }

  async #readChanged(): Promise<void> {
    const { view, timeoutSeconds, apply } = this.#options;
    const [ids, identityIds] = [[...this.#ids].slice(0, PAGE), [...this.#identityIds].slice(0, PAGE)];
    for (const id of ids) this.#ids.delete(id);
    for (const id of identityIds) this.#identityIds.delete(id);
    await apply(await view.sessions(ids, identityIds, timeoutSeconds), ids);
  }
}
