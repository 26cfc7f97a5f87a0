/** Work in the background of which one turn runs at a time, and that a close waits for. */
export class SingleTurn<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;
  #isDue = false;
  #isClosed = false;

  /** @param work  one turn; never throws */
  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Joins the turn that runs, or begins one. */
  run(): Promise<T> {
    return (this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#isDue) this.ask();
    }));
  }

  /** A turn that begins from now on: when one runs already, another follows it. */
  ask(): void {
    this.#isDue = this.isRunning && !this.#isClosed;
    if (!this.isRunning && !this.#isClosed) void this.run();
  }

  /** No turn is begun by `ask` any more. Waits for the one that runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isDue = false;
    await this.#running;
  }
}
