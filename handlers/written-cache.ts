/**
 * Answers that hold for as long as nothing moves the access epoch: what an identity sees of its services. The text is
 * kept as it was checked and written; the epoch is read before the data, so that an answer is never newer in name
 * than in fact. A copy only, bounded in bytes.
 */
import { LRUCache } from 'lru-cache';
import type { Caller, DataReply, WrittenReply } from './handler.js';

const MAX_BYTES = 32 * 1024 * 1024;

export class WrittenCache {
  readonly #answers: LRUCache<string, { readonly epoch: number; readonly body: string }>;

  readonly #constants = new Map<string, string>();

  constructor(maxBytes = MAX_BYTES) {
    this.#answers = new LRUCache({ maxSize: maxBytes, maxEntrySize: maxBytes / 4, sizeCalculation: ({ body }, key) => body.length + key.length + 200 });
  }

  /** An answer that never changes while this controller runs. @param what  one word for each */
  constant<D>(what: string, make: () => DataReply<200, D>): DataReply<200, D> | WrittenReply<200> {
    const known = this.#constants.get(what);
    if (known !== undefined) return { status: 200, written: known };
    return { onWritten: (body) => { this.#constants.set(what, body); }, ...make() };
  }

  /**
   * @param epoch  the access epoch, read before this call
   * @param what  the operation and all that its answer depends on beside the caller
   */
  async answer<D>(epoch: number, caller: Caller, what: string, make: () => Promise<DataReply<200, D>>): Promise<DataReply<200, D> | WrittenReply<200>> {
    // With the caller's attributes in it: a copy of the caller that is behind must not answer for one that is not.
    const key = JSON.stringify([what, caller.identityId, caller.roleAttributes, caller.configTypes]);
    const known = this.#answers.get(key);
    if (known?.epoch === epoch) return { status: 200, written: known.body };
    const reply = await make();
    return reply.rest !== undefined ? reply : { onWritten: (body) => { this.#answers.set(key, { epoch, body }); }, ...reply };
  }
}
