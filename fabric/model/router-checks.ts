/**
 * Reads again routers that may no longer be connected, or that have changed. One read at a time, and each takes all
 * that are due when it begins: what is read later is never overtaken by what was read before. A change whose
 * announcement was lost is found by a read of all routers, once a minute.
 */
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { Pace } from '../../domain/scheduling/pace.js';

export interface RouterChecksOptions<R extends { readonly id: string }> {
  /** Reads these routers; deleted ones are missing from the answer. */
  readonly read: (ids: readonly string[]) => Promise<readonly R[]>;
  /** Returns true when this controller has anything of the router: a channel, or circuits over it. */
  readonly isOurs: (id: string) => boolean;
  /** Ids of all connected routers. */
  readonly ours: () => readonly string[];
  /** @param begunMs  when the read began, by `performance.now()` */
  readonly onRead: (id: string, router: R | undefined, begunMs: number) => void;
  /** Milliseconds between two reads of all. A suite passes its own. */
  readonly everyMs?: number;
}

/** Least time from one read to the next. */
const APART_MS = 50;
const EVERY_MS = 60_000;

export class RouterChecks<R extends { readonly id: string }> {
  readonly #options: RouterChecksOptions<R>;
  readonly #due = new Set<string>();
  readonly #task = new CoalescedTask(() => this.#check());
  readonly #timer: NodeJS.Timeout;
  readonly #pace = new Pace(APART_MS);

  constructor(options: RouterChecksOptions<R>) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.scheduleAll();
    }, options.everyMs ?? EVERY_MS).unref();
  }

  schedule(id: string): void {
    this.#due.add(id);
    this.#task.schedule();
  }

  scheduleAll(): void {
    for (const id of this.#options.ours()) this.#due.add(id);
    this.#task.schedule();
  }

  /** Tries again what could not be read. */
  retry(): void {
    if (this.#due.size > 0) this.#task.schedule();
  }

  /** Waits for the read that is running. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#due.clear();
    await this.#task.close();
  }

  async #check(): Promise<void> {
    const { read, isOurs, onRead } = this.#options;
    await this.#pace.turn();
    const ids = [...this.#due].filter(isOurs);
    this.#due.clear();
    if (ids.length === 0) return;
    const begunMs = performance.now();
    try {
      const found = new Map((await read(ids)).map((router) => [router.id, router]));
      if (!this.#task.isClosed) for (const id of ids) onRead(id, found.get(id), begunMs);
    } catch {
      // The database is away: the next call of `retry` tries again.
      for (const id of ids) this.#due.add(id);
    }
  }
}
