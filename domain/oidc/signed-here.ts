/**
 * The refresh tokens that this process signed last, by their SHA-256: that it made one of them needs no proof by its
 * signature, which takes 70 us of a refresh.
 */
import { LRUCache } from 'lru-cache';
import { hashToken } from '../auth/tokens.js';

/** A digest takes some 100 bytes. */
const MOST = 20_000;

export class SignedHere {
  readonly #digests: LRUCache<string, true>;

  constructor(most = MOST) {
    this.#digests = new LRUCache({ max: most });
  }

  add(token: string): void {
    this.#digests.set(digestOf(token), true);
  }

  /** Whether it is one of them, to the letter. */
  has(token: string): boolean {
    return this.#digests.has(digestOf(token));
  }
}

const digestOf = (token: string): string => hashToken(token).toString('latin1');
