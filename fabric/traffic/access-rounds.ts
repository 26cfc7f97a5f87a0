/** Counts the reads of what routers reach: whoever began before one must check again what it was allowed. */
export class AccessRounds {
  #count = 0;

  /** Number of rounds begun. Read it before access is checked; if it has moved since, check again. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }
}
