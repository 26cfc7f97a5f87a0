/**
 * The refresh tokens that this process signed last, by their SHA-256: that it made one of them needs no proof by its
 * signature, which takes 70 us of a refresh.
 */
import { hash } from 'node:crypto';

/** A digest takes some 100 bytes. */
const MOST = 20_000;

export class SignedHere {
  /** The oldest first. */
  readonly #digests = new Set<string>();

  constructor(private readonly most = MOST) {}

  add(token: string): void {
    this.#digests.add(digestOf(token));
    if (this.#digests.size <= this.most) return;
    for (const oldest of this.#digests) {
      this.#digests.delete(oldest);
      return;
    }
  }

  /** Whether it is one of them, to the letter. */
  has(token: string): boolean {
    return this.#digests.has(digestOf(token));
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');
