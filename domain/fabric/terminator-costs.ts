/**
 * Costs that a controller adds to terminators: twice the circuits that are open on one, and a failure cost that dials
 * raise and lower. Kept in memory, for terminators that were dialed, and deleted with them; written down, so that all
 * controllers see the sum.
 */

const PER_CIRCUIT = 2;
const FAILED = 20;
const SUCCEEDED = 2;
export const MAX_DYNAMIC_COST = 65_535;
const LEAST_CREDIT = 10;
const DOUBLES_EVERY_MS = 5 * 60_000;

interface AddedCost {
  circuits: number;
  failureCost: number;
  failedMs: number;
}

/** The cost that one controller adds to a terminator. */
export interface TerminatorCost {
  readonly id: string;
  readonly dynamicCost: number;
}

export class TerminatorCosts {
  readonly #entries = new Map<string, AddedCost>();

  /**
   * @param now  in milliseconds, by a clock that is never set back
   * @param onChanged  called when the cost of a terminator is another one
   */
  constructor(
    readonly now: () => number,
    private readonly onChanged: (terminatorId: string) => void = () => undefined,
  ) {}

  ids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The cost as all controllers are shown it; undefined when nothing is added. */
  rowOf(terminatorId: string): TerminatorCost | undefined {
    return this.#entries.has(terminatorId) ? { id: terminatorId, dynamicCost: this.of(terminatorId) } : undefined;
  }

  /** 0 to 65,535. */
  of(terminatorId: string): number {
    const entry = this.#entries.get(terminatorId);
    if (entry === undefined) return 0;
    return Math.min(PER_CIRCUIT * entry.circuits + entry.failureCost, MAX_DYNAMIC_COST);
  }

  dialFailed(terminatorId: string): void {
    const entry = this.#of(terminatorId);
    entry.failureCost = Math.min(entry.failureCost + FAILED, MAX_DYNAMIC_COST);
    entry.failedMs = this.now();
    this.onChanged(terminatorId);
  }

  dialSucceeded(terminatorId: string): void {
    const entry = this.#of(terminatorId);
    entry.circuits += 1;
    entry.failureCost = Math.max(0, entry.failureCost - SUCCEEDED);
    this.onChanged(terminatorId);
  }

  circuitEnded(terminatorId: string): void {
    const entry = this.#entries.get(terminatorId);
    if (entry === undefined) return;
    entry.circuits = Math.max(0, entry.circuits - 1);
    this.#dropIdle(terminatorId, entry);
    this.onChanged(terminatorId);
  }

  forget(terminatorId: string): void {
    if (this.#entries.delete(terminatorId)) this.onChanged(terminatorId);
  }

  /** Call once a minute: what failed long ago is forgiven, faster the longer nothing fails. */
  credit(): void {
    for (const [id, entry] of this.#entries) {
      if (entry.failureCost > 0) {
        const periods = Math.floor((this.now() - entry.failedMs) / DOUBLES_EVERY_MS);
        entry.failureCost = Math.max(0, entry.failureCost - Math.max(LEAST_CREDIT, 2 ** Math.min(periods, 16)));
        this.onChanged(id);
      }
      this.#dropIdle(id, entry);
    }
  }

  #of(terminatorId: string): AddedCost {
    const known = this.#entries.get(terminatorId);
    if (known !== undefined) return known;
    const entry = { circuits: 0, failureCost: 0, failedMs: 0 };
    this.#entries.set(terminatorId, entry);
    return entry;
  }

  #dropIdle(id: string, { circuits, failureCost }: AddedCost): void {
    if (circuits === 0 && failureCost === 0) this.#entries.delete(id);
  }
}
