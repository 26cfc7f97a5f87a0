/** How many streams of events there may be in this process: of all identities together, and of each. */
import { DomainError } from '../../domain/errors.js';

export class StreamLimits {
  readonly #max: number;
  readonly #maxPerIdentity: number;
  readonly #perIdentity = new Map<string, number>();
  #total = 0;

  constructor(max: number, maxPerIdentity: number) {
    this.#max = max;
    this.#maxPerIdentity = maxPerIdentity;
  }

  get isUnused(): boolean {
    return this.#total === 0;
  }

  /** Takes a place, which `leave` gives back. @throws DomainError `rateLimited` */
  enter(identityId: string): void {
    const own = this.#perIdentity.get(identityId) ?? 0;
    if (this.#total >= this.#max || own >= this.#maxPerIdentity) {
      const isOwn = own >= this.#maxPerIdentity;
      const causeMessage = isOwn
        ? `the identity has ${own} streams of events here already: close one of them first`
        : `this controller has ${this.#total} streams of events already: close one of them, or ask another controller`;
      throw new DomainError('rateLimited', { causeMessage, logReason: 'too many streams of events' });
    }
    this.#total += 1;
    this.#perIdentity.set(identityId, own + 1);
  }

  leave(identityId: string): void {
    this.#total -= 1;
    const left = (this.#perIdentity.get(identityId) ?? 1) - 1;
    if (left === 0) this.#perIdentity.delete(identityId);
    else this.#perIdentity.set(identityId, left);
  }
}
