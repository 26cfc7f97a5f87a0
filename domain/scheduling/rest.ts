/** Waiting that can be ended early. */
export class Rest {
  #end: (() => void) | undefined;
  #isWoken = false;

  /** Ends the rest that is under way; without one, the next ends at once. */
  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Resolves after so many milliseconds, or when it is woken. */
  async take(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#end = undefined;
    this.#isWoken = false;
  }
}
