/**
 * Writes what this process knows of links and circuits, for all controllers to show. Changes are gathered and written
 * at most once a second: what came and went in between costs nothing.
 */
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { NoteFailure } from '../channel/router-log.js';

/** Everything there is of one kind. */
export interface RowSource<Row> {
  ids(): Iterable<string>;
  /** Returns it as it is now; undefined when it is gone. */
  rowOf(id: string): Row | undefined;
  /** Another host has it now. */
  taken?(id: string): void;
}

export interface RowStore<Row> {
  /** @returns ids of those that another host has, if there can be such */
  write(hostId: string, present: readonly Row[], gone: readonly string[]): Promise<readonly string[] | void>;
}

/** Rows of one statement, and of one round. */
const SLICE = 1_000;
const MOST_IN_A_ROUND = 10_000;

/** Keeps in mind what of one kind has changed since it was written. */
export class Book<Row> {
  readonly #changed = new Set<string>();
  /** Ids that may have a row. */
  readonly #written = new Set<string>();

  constructor(
    private readonly source: RowSource<Row>,
    private readonly store: RowStore<Row>,
  ) {}

  changed(id: string): void {
    this.#changed.add(id);
  }

  /** It has a row already, which another host wrote. */
  taken(id: string): void {
    this.#written.add(id);
  }

  /** All of it is written again. */
  rewrite(): void {
    for (const id of this.source.ids()) this.#changed.add(id);
  }

  /** The same when there are no rows any more. */
  restart(): void {
    this.#written.clear();
    this.rewrite();
  }

  /** @throws DomainError when the database refuses; what was not written is tried again next time */
  async write(hostId: string): Promise<void> {
    for (let left = MOST_IN_A_ROUND; left > 0 && this.#changed.size > 0; left -= SLICE)
      await this.#writeSlice(hostId, this.#next());
  }

  #next(): string[] {
    const ids: string[] = [];
    for (const id of this.#changed) {
      this.#changed.delete(id);
      if (ids.push(id) === SLICE) break;
    }
    return ids;
  }

  async #writeSlice(hostId: string, ids: readonly string[]): Promise<void> {
    const present = ids.flatMap((id) => {
      const row = this.source.rowOf(id);
      return row === undefined ? [] : [{ id, row }];
    });
    const kept = new Set(present.map(({ id }) => id));
    const gone = ids.filter((id) => !kept.has(id) && this.#written.has(id));
    if (present.length === 0 && gone.length === 0) return;
    try {
      const rows = present.map(({ row }) => row);
      const taken = await this.store.write(hostId, rows, gone);
      for (const id of taken ?? []) this.source.taken?.(id);
      for (const id of gone) this.#written.delete(id);
    } catch (error) {
      for (const id of ids) this.#changed.add(id);
      throw error;
    } finally {
      for (const id of kept) this.#written.add(id);
    }
  }
}

export interface HostRecordsOptions {
  readonly hostId: string;
  /** Whether the host has a row: others refer to it. */
  readonly isJoined: () => boolean;
  readonly books: readonly Pick<Book<unknown>, 'write' | 'rewrite' | 'restart'>[];
  readonly noteFailure: NoteFailure;
  /** Milliseconds between two rounds. */
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

export class HostRecords {
  readonly #options: HostRecordsOptions;
  readonly #task = new CoalescedTask(() => this.#write());
  readonly #timer: NodeJS.Timeout;

  constructor(options: HostRecordsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#task.schedule();
    }, options.everyMs ?? EVERY_MS).unref();
  }

  /** Writes all of it again. */
  rewrite(): void {
    for (const book of this.#options.books) book.rewrite();
  }

  /** The host was restarted, and has no rows. */
  restart(): void {
    for (const book of this.#options.books) book.restart();
  }

  /** Writes what is not written yet, for those who go on with it. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#task.close();
    await this.#write();
  }

  async #write(): Promise<void> {
    const { hostId, isJoined, books, noteFailure } = this.#options;
    try {
      for (const book of books) if (isJoined()) await book.write(hostId);
    } catch (error) {
      noteFailure(error, {}, 'links and circuits could not be written for others to see; it is tried again');
    }
  }
}
