/**
 * Answers that hold for as long as nothing moves an epoch: what an identity sees of its services and since when, which
 * role attributes are in use. The text is kept as it was checked and written; the epoch is taken before the data is
 * read, so that an answer is never newer in name than in fact. A copy only, bounded in bytes or by the sessions in
 * memory. A database that lost its latest changes, as a standby may that was promoted, counts the same epochs once more
 * for others: `forget` then.
 */
import { LRUCache } from 'lru-cache';
import type { Granted } from '../db/stores/access-view.js';
import type { CacheUse } from '../domain/cache-use.js';
import type { ApiSession } from '../domain/credentials.js';
import type { Caller, DataReply, KeptReply, KeptText, ListReply } from './reply.js';

/** State that a caller's view of services depends on. */
export interface ViewState {
  /** Access epoch, read before anything else. */
  readonly epoch: number;
  /**
   * Reads the grants that decide the view; called only when the epoch has moved, which most often does not concern the
   * caller.
   */
  readonly seen: () => Promise<VisibleGrants>;
  /**
   * The epoch as the database has it by now: while it stays the same, all that was read since is consistent. Memory
   * cannot answer this: two changes that it has not heard of yet may have gone to another state and back.
   */
  readonly now: () => Promise<number>;
}

/** Services and actions that the policies grant to the caller. */
export interface VisibleGrants {
  readonly grants: Granted['grants'];
  /** Names them, and the content that they select from. */
  readonly state: Buffer;
  /** null: they are the same for every API session of the identity, whatever its device. */
  readonly posture: {
    readonly revision: number;
    /**
     * Time until which the posture checks stay as they are unless the device reports something new; by
     * `performance.now()`.
     */
    readonly goodUntilMs: number;
  } | null;
}

interface CachedReply {
  readonly epoch: number | string;
  /** null: the epoch moved while it was made. */
  readonly state: Buffer | null;
  readonly text: KeptText;
  readonly goodUntilMs: number;
}

interface SessionReply {
  readonly epoch: number;
  readonly text: KeptText;
  readonly goodUntilMs: number;
}

const isGood = ({ goodUntilMs }: SessionReply | CachedReply) =>
  goodUntilMs === Infinity || performance.now() < goodUntilMs;

type Keepable = DataReply<200, unknown> | ListReply<200, unknown>;

const MAX_BYTES = 32 * 1024 * 1024;

export class ResponseCache {
  readonly #answers: LRUCache<string, CachedReply>;

  /** Responses for each session in memory, for as long as it is there. */
  #bySession = new WeakMap<ApiSession, SessionReply>();
  readonly #constants = new Map<string, KeptText>();
  readonly #running = new Map<string, Promise<unknown>>();
  /** How often all was forgotten. */
  #age = 0;
  #hits = 0;
  #misses = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes / 4,
      sizeCalculation: ({ text: { body } }, key) => body.length + key.length + 250,
    });
  }

  /** Use of the responses that depend on an epoch: a miss made one. */
  get use(): CacheUse {
    const { size, calculatedSize } = this.#answers;
    return { entries: size, bytes: calculatedSize, hits: this.#hits, misses: this.#misses };
  }

  #hit(kept: KeptText): KeptReply<200> {
    this.#hits += 1;
    return { status: 200, kept };
  }

  /** All answers of epochs, those that are being made included: present and earlier epochs cannot be distinguished. */
  forget(): void {
    this.#age += 1;
    this.#answers.clear();
    this.#bySession = new WeakMap();
    this.#running.clear();
  }

  #keep(key: string, answer: CachedReply, age: number): void {
    if (age === this.#age) this.#answers.set(key, answer);
  }

  /** An answer that never changes while this controller runs. @param what  one word for each */
  constant<D>(what: string, make: () => DataReply<200, D>): DataReply<200, D> | KeptReply<200> {
    const known = this.#constants.get(what);
    if (known !== undefined) return { status: 200, kept: known };
    return {
      onWritten: (body, tag) => {
        this.#constants.set(what, { body, tag });
      },
      ...make(),
    };
  }

  /**
   * Makes the result of concurrent requests with one key only once.
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

  /**
   * One for all API sessions of an identity, unless a policy of it asks for posture checks.
   * @param what  the operation and all that its answer depends on apart from the caller
   */
  async answer<R extends Keepable>(
    view: ViewState,
    caller: Caller,
    what: string,
    make: (grants: Promise<Granted['grants']>) => Promise<R>,
  ): Promise<R | KeptReply<200>> {
    // The caller's attributes are in the key: an outdated copy of the caller must not answer for a newer one.
    const key = JSON.stringify([what, caller.identityId, caller.roleAttributes, caller.configTypes]);
    const { epoch } = view;
    const age = this.#age;
    const shared = this.#answers.get(key);
    if (shared?.epoch === epoch) return this.#hit(shared.text);
    const own = this.#answers.get(ownKey(key, caller, caller.postureRevision));
    const isOwn = own !== undefined && isGood(own);
    if (isOwn && own.epoch === epoch) return this.#hit(own.text);
    const reading = once(view.seen);
    const known = isOwn ? own : shared;
    if (known?.state != null) {
      const { state, posture } = await reading();
      if (known.state.equals(state)) {
        this.#keep(posture === null ? key : ownKey(key, caller, posture.revision), { ...known, epoch }, age);
        return this.#hit(known.text);
      }
    }
    this.#misses += 1;
    const [{ state, posture }, reply] = await Promise.all([reading(), make(reading().then(({ grants }) => grants))]);
    if ('rest' in reply) return reply;
    const isOfOnePiece = (await view.now()) === epoch;
    return {
      onWritten: (body, tag) => {
        const answer = { epoch, state: isOfOnePiece ? state : null, text: { body, tag, page: reply.page } };
        if (posture === null) this.#keep(key, { ...answer, goodUntilMs: Infinity }, age);
        else {
          const { revision, goodUntilMs } = posture;
          this.#answers.delete(key);
          this.#keep(ownKey(key, caller, revision), { ...answer, goodUntilMs }, age);
        }
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
   * identity or its posture changed.
   * @param epoch  of its data, taken before this call
   */
  async ofSession<D>(
    session: ApiSession,
    epoch: number,
    make: () => Promise<{ reply: DataReply<200, D>; goodUntilMs: number }>,
  ): Promise<DataReply<200, D> | KeptReply<200>> {
    const known = this.#bySession.get(session);
    if (known?.epoch === epoch && isGood(known)) return this.#hit(known.text);
    this.#misses += 1;
    const age = this.#age;
    const { reply, goodUntilMs } = await make();
    return {
      onWritten: (body, tag) => {
        if (age === this.#age) this.#bySession.set(session, { epoch, text: { body, tag }, goodUntilMs });
      },
      ...reply,
    };
  }

  async #kept<R extends Keepable>(
    epoch: number | string,
    key: string,
    make: () => Promise<R>,
  ): Promise<R | KeptReply<200>> {
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return this.#hit(known.text);
    this.#misses += 1;
    const age = this.#age;
    const reply = await make();
    if ('rest' in reply) return reply;
    return {
      onWritten: (body, tag) => {
        const text = { body, tag, page: reply.page };
        this.#keep(key, { epoch, state: null, text, goodUntilMs: Infinity }, age);
      },
      ...reply,
    };
  }
}

const ownKey = (key: string, { apiSessionId }: Caller, revision: number) => `${key} ${apiSessionId} ${revision}`;

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}
