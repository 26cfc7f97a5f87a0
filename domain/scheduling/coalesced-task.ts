/** A task in the background that runs once at a time: calls that come while it runs share one further run. */
export class CoalescedTask<T> {
  readonly #task: () => Promise<T>;
  #running: Promise<T> | undefined;
  #isScheduled = false;
  #isClosed = false;

  /** @param task  one run; never throws */
  constructor(task: () => Promise<T>) {
    this.#task = task;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts a run, or joins the one under way. */
  runNow(): Promise<T> {
    return (this.#running ??= this.#task().finally(() => {
      this.#running = undefined;
      if (this.#isScheduled) this.schedule();
    }));
  }

  /** Makes sure that a run begins from now on: after the one under way, if there is one. */
  schedule(): void {
    this.#isScheduled = this.isRunning && !this.#isClosed;
    if (!this.isRunning && !this.#isClosed) void this.runNow();
  }

  /** Stops `schedule` from starting runs, and waits for the one under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isScheduled = false;
    await this.#running;
  }
}
