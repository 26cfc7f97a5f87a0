/**
 * Keeps the place that a request's list had until its answer is text: the rows of lists that wait to be written are
 * then of no more lists than there are places. A request that asks for a further list gives its place back first, so
 * that no request waits for a place while it has one: they could all wait for each other.
 */
import type { Release } from '../../domain/scheduling/fair-semaphore.js';

export class KeptPlace {
  #underWay = 0;
  #leave: Release | undefined;
  #isOver = false;

  /** Call before a list asks for its place; each call is followed by one of `end`. */
  begin(): void {
    this.#giveBack();
    this.#underWay += 1;
  }

  /** @param leave  gives the list's place back; none when it got no place */
  end(leave?: Release): void {
    this.#underWay -= 1;
    if (this.#isOver || this.#underWay > 0) leave?.();
    else this.#leave = leave;
  }

  /** The answer is text, or there will be none. A list that ends later keeps nothing. */
  close(): void {
    this.#isOver = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
