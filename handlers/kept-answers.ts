/**
 * Answers that hold for as long as nothing moves an epoch: what an identity sees of its services and since when, which
 * role attributes are in use. The text is kept as it was checked and written; the epoch is taken before the data is
 * read, so that an answer is never newer in name than in fact. A copy only, bounded in bytes or by the sessions in
 * memory. A database that lost its latest changes, as a standby may that was promoted, counts the same epochs once more
 * for others: `forget` then.
 */
import { LRUCache } from 'lru-cache';
import type { ApiSession } from '../domain/model.js';
import type { Caller, DataReply, KeptReply, ListReply } from './reply.js';

/** What a caller's view of services depends on. */
export interface ViewState {
  /** Of access, read before anything else. */
  readonly epoch: number;
  /**
   * Names what decides the view; asked for only when the epoch has moved, which most often does not concern the caller.
   */
  readonly state: () => Promise<Buffer>;
  /**
   * The epoch as the database has it by now: while it stays the same, all that was read since is consistent. Memory
   * cannot answer this: two changes that it has not heard of yet may have gone to another state and back.
   */
  readonly now: () => Promise<number>;
}

interface Answer {
  readonly epoch: number | string;
  /** null: the epoch moved while it was made. */
  readonly state: Buffer | null;
  readonly body: string;
}

interface SessionAnswer {
  readonly epoch: number;
  readonly body: string;
}

type Keepable = DataReply<200, unknown> | ListReply<200, unknown>;

const MAX_BYTES = 32 * 1024 * 1024;

export class KeptAnswers {
  readonly #answers: LRUCache<string, Answer>;

  /** Of each session in memory, for as long as it is there. */
  #bySession = new WeakMap<ApiSession, SessionAnswer>();
  readonly #constants = new Map<string, string>();
  readonly #running = new Map<string, Promise<unknown>>();
  /** How often all was forgotten. */
  #age = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes / 4,
      sizeCalculation: ({ body }, key) => body.length + key.length + 200,
    });
  }

  /** All answers of epochs, those that are being made included: present and earlier epochs cannot be distinguished. */
  forget(): void {
    this.#age += 1;
    this.#answers.clear();
    this.#bySession = new WeakMap();
    this.#running.clear();
  }

  #keep(key: string, answer: Answer, age: number): void {
    if (age === this.#age) this.#answers.set(key, answer);
  }

  /** An answer that never changes while this controller runs. @param what  one word for each */
  constant<D>(what: string, make: () => DataReply<200, D>): DataReply<200, D> | KeptReply<200> {
    const known = this.#constants.get(what);
    if (known !== undefined) return { status: 200, kept: known };
    return {
      onWritten: (body) => {
        this.#constants.set(what, body);
      },
      ...make(),
    };
  }

  /**
   * What several ask for at the same time is made once.
   * @param key  all that the result depends on, the epoch included
   */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>;
    const made = make().finally(() => {
      if (this.#running.get(key) === made) this.#running.delete(key);
    });
    this.#running.set(key, made);
    return made;
  }

  /** @param what  the operation and all that its answer depends on apart from the caller */
  async answer<R extends Keepable>(
    view: ViewState,
    caller: Caller,
    what: string,
    make: () => Promise<R>,
  ): Promise<R | KeptReply<200>> {
    // With the caller's attributes in it: a copy of the caller that is behind must not answer for one that is not.
    const key = JSON.stringify([what, caller.identityId, caller.roleAttributes, caller.configTypes]);
    const { epoch } = view;
    const age = this.#age;
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return { status: 200, kept: known.body };
    if (known?.state?.equals(await view.state()) === true) {
      this.#keep(key, { ...known, epoch }, age);
      return { status: 200, kept: known.body };
    }
    const [state, reply] = await Promise.all([view.state(), make()]);
    if ('rest' in reply) return reply;
    const isOfOnePiece = (await view.now()) === epoch;
    return {
      onWritten: (body) => {
        this.#keep(key, { epoch, state: isOfOnePiece ? state : null, body }, age);
      },
      ...reply,
    };
  }

  /**
   * An answer that is the same whoever asks.
   * @param epoch  of its data, read before this call
   * @param what  the operation and all that its answer depends on
   */
  async shared<R extends Keepable>(
    epoch: number | string,
    what: string,
    make: () => Promise<R>,
  ): Promise<R | KeptReply<200>> {
    return this.#kept(epoch, JSON.stringify([what]), make);
  }

  /**
   * The one answer that is about a session itself. It goes with the session, also when memory drops that because its
   * identity changed.
   * @param epoch  of its data, taken before this call
   */
  async ofSession<D>(
    session: ApiSession,
    epoch: number,
    make: () => Promise<DataReply<200, D>>,
  ): Promise<DataReply<200, D> | KeptReply<200>> {
    const known = this.#bySession.get(session);
    if (known?.epoch === epoch) return { status: 200, kept: known.body };
    const age = this.#age;
    return {
      onWritten: (body) => {
        if (age === this.#age) this.#bySession.set(session, { epoch, body });
      },
      ...(await make()),
    };
  }

  async #kept<R extends Keepable>(
    epoch: number | string,
    key: string,
    make: () => Promise<R>,
  ): Promise<R | KeptReply<200>> {
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return { status: 200, kept: known.body };
    const age = this.#age;
    const reply = await make();
    if ('rest' in reply) return reply;
    return {
      onWritten: (body) => {
        this.#keep(key, { epoch, state: null, body }, age);
      },
      ...reply,
    };
  }
}
