import { Pace } from './pace.js';

/** Reads by id, one at a time: those that come while one is under way, or too soon, are done together in the next. */
export class GatheredReads<T extends { readonly id: string }> {
  readonly #read: (ids: readonly string[]) => Promise<readonly T[]>;
  /** Ids that the next read asks for, and what it finds. */
  #next: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, T>> } | undefined;
  #before: Promise<unknown> = Promise.resolve();
  readonly #pace: Pace;

  /** @param apartMs  least time from one read to the next */
  constructor(read: (ids: readonly string[]) => Promise<readonly T[]>, apartMs = 0) {
    this.#read = read;
    this.#pace = new Pace(apartMs);
  }

  /** @returns as it is after this call; undefined when there is none @throws what the read does */
  async of(id: string): Promise<T | undefined> {
    const next = (this.#next ??= this.#gather());
    next.ids.add(id);
    return (await next.found).get(id);
  }

  #gather() {
    const ids = new Set<string>();
    const found = this.#before.then(async () => {
      await this.#pace.turn();
      this.#next = undefined;
      return new Map((await this.#read([...ids])).map((each) => [each.id, each]));
    });
    this.#before = found.catch(() => undefined);
    return { ids, found };
  }
}
