/**
 * Answers that hold for as long as nothing moves an epoch: what an identity sees of its services, which role attributes
 * are in use. The text is kept as it was checked and written; the epoch is read from the database for each request and
 * before the data, so that an answer is never newer in name than in fact. A copy only, bounded in bytes. A database that
 * lost its latest changes, as a standby may that was promoted, counts the same epochs once more for others: `forget` then.
 */
import { LRUCache } from 'lru-cache';
import type { Caller, DataReply, WrittenReply } from './handler.js';

/** What a caller's view of services depends on. */
export interface ViewState {
  /** Of access, read before anything else. */
  readonly epoch: number;
  /** Names what decides the view; asked for only when the epoch has moved, which most often does not concern the caller. */
  readonly state: () => Promise<Buffer>;
  /** The epoch by now: as long as it is the same, all that was read since is of one piece. */
  readonly now: () => Promise<number>;
}

interface Answer {
  readonly epoch: number;
  /** null: the epoch moved while it was made. */
  readonly state: Buffer | null;
  readonly body: string;
}

const MAX_BYTES = 32 * 1024 * 1024;

export class WrittenCache {
  readonly #answers: LRUCache<string, Answer>;

  readonly #constants = new Map<string, string>();
  readonly #running = new Map<string, Promise<unknown>>();
  /** How often all was forgotten. */
  #age = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#answers = new LRUCache({
      maxSize: maxBytes, maxEntrySize: maxBytes / 4, sizeCalculation: ({ body }, key) => body.length + key.length + 200,
    });
  }

  /** All answers of epochs, those that are being made included: epochs of now and of before cannot be told apart. */
  forget(): void {
    this.#age += 1;
    this.#answers.clear();
    this.#running.clear();
  }

  #keep(key: string, answer: Answer, age: number): void {
    if (age === this.#age) this.#answers.set(key, answer);
  }

  /** An answer that never changes while this controller runs. @param what  one word for each */
  constant<D>(what: string, make: () => DataReply<200, D>): DataReply<200, D> | WrittenReply<200> {
    const known = this.#constants.get(what);
    if (known !== undefined) return { status: 200, written: known };
    return { onWritten: (body) => { this.#constants.set(what, body); }, ...make() };
  }

  /** What several ask for at the same time is made once. @param key  all that the result depends on, the epoch included */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>;
    const made = make().finally(() => { if (this.#running.get(key) === made) this.#running.delete(key); });
    this.#running.set(key, made);
    return made;
  }

  /** @param what  the operation and all that its answer depends on beside the caller */
  async answer<D>(view: ViewState, caller: Caller, what: string, make: () => Promise<DataReply<200, D>>): Promise<DataReply<200, D> | WrittenReply<200>> {
    // With the caller's attributes in it: a copy of the caller that is behind must not answer for one that is not.
    const key = JSON.stringify([what, caller.identityId, caller.roleAttributes, caller.configTypes]);
    const { epoch } = view;
    const age = this.#age;
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return { status: 200, written: known.body };
    if (known?.state?.equals(await view.state()) === true) {
      this.#keep(key, { ...known, epoch }, age);
      return { status: 200, written: known.body };
    }
    const [state, reply] = await Promise.all([view.state(), make()]);
    if (reply.rest !== undefined) return reply;
    const isOfOnePiece = (await view.now()) === epoch;
    return { onWritten: (body) => { this.#keep(key, { epoch, state: isOfOnePiece ? state : null, body }, age); }, ...reply };
  }

  /**
   * An answer that is the same whoever asks.
   * @param epoch  of what it tells, read before this call
   * @param what  the operation and all that its answer depends on
   */
  async shared<D>(epoch: number, what: string, make: () => Promise<DataReply<200, D>>): Promise<DataReply<200, D> | WrittenReply<200>> {
    return this.#kept(epoch, JSON.stringify([what]), make);
  }

  async #kept<D>(epoch: number, key: string, make: () => Promise<DataReply<200, D>>): Promise<DataReply<200, D> | WrittenReply<200>> {
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return { status: 200, written: known.body };
    const age = this.#age;
    const reply = await make();
    if (reply.rest !== undefined) return reply;
    return { onWritten: (body) => { this.#keep(key, { epoch, state: null, body }, age); }, ...reply };
  }
}
