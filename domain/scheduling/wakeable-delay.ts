/** A delay that can be ended early. */
export class WakeableDelay {
  #end: (() => void) | undefined;
  #isWoken = false;

  /** Ends the wait under way; without one, the next ends at once. */
  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Resolves after so many milliseconds, or when it is woken. */
  async wait(ms: number): Promise<void> {
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
