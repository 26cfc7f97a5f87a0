/**
 * Looks at routers that may no longer be connected, or that may be other ones now. One read at a time, and each takes
 * all that are due when it begins: what is read later is never overtaken by what was read before. What no announcement
 * told of is found by a look at all, once a minute.
 */
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';

export interface RouterChecksOptions<R extends { readonly id: string }> {
  /** Those that are gone are missing. */
  readonly read: (ids: readonly string[]) => Promise<readonly R[]>;
  /** Whether this controller has anything of the router: a channel, or circuits over it. */
  readonly isOurs: (id: string) => boolean;
  /** All that are connected. */
  readonly ours: () => readonly string[];
  readonly onRead: (id: string, router: R | undefined) => void;
  /** Milliseconds between two looks at all. A suite passes its own. */
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;

export class RouterChecks<R extends { readonly id: string }> {
  readonly #options: RouterChecksOptions<R>;
  readonly #due = new Set<string>();
  readonly #turn = new CoalescedTask(() => this.#check());
  readonly #timer: NodeJS.Timeout;

  constructor(options: RouterChecksOptions<R>) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.all();
    }, options.everyMs ?? EVERY_MS).unref();
  }

  due(id: string): void {
    this.#due.add(id);
    this.#turn.schedule();
  }

  all(): void {
    for (const id of this.#options.ours()) this.#due.add(id);
    this.#turn.schedule();
  }

  /** Called now and then: tries again what could not be read. */
  beat(): void {
    if (this.#due.size > 0) this.#turn.schedule();
  }

  /** Waits for the read that is running. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#due.clear();
    await this.#turn.close();
  }

  async #check(): Promise<void> {
    const { read, isOurs, onRead } = this.#options;
    const ids = [...this.#due].filter(isOurs);
    this.#due.clear();
    if (ids.length === 0) return;
    try {
      const found = new Map((await read(ids)).map((router) => [router.id, router]));
      if (!this.#turn.isClosed) for (const id of ids) onRead(id, found.get(id));
    } catch {
      // The database is away: the next sign of life tries again.
      for (const id of ids) this.#due.add(id);
    }
  }
}
