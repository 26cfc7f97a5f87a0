/**
 * Keeps the permit of a request's list until its answer is text: the rows of lists that wait to be written are then of
 * no more lists than there are permits. A request that asks for a further list gives its permit back first, so that no
 * request waits for a permit while it has one: they could all wait for each other.
 */
import type { Release } from '../../domain/scheduling/fair-semaphore.js';

export class ListPermit {
  #underWay = 0;
  #release: Release | undefined;
  #isOver = false;

  /** Call before a list asks for its permit; each call is followed by one of `end`. */
  begin(): void {
    this.#giveBack();
    this.#underWay += 1;
  }

  /** @param release  gives the list's permit back; none when it got none */
  end(release?: Release): void {
    this.#underWay -= 1;
    if (this.#isOver || this.#underWay > 0) release?.();
    else this.#release = release;
  }

  /** The answer is text, or there will be none. A list that ends later keeps nothing. */
  close(): void {
    this.#isOver = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
