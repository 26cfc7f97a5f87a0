/**
 * Counts the time that one request spends on the database. It is handed from the request to its
 * statements (request-scope.ts), since a context that follows promises by itself costs every request
 * (docs/decisions/0012).
 */
export type Phase = 'database' | 'pool';

export class RequestClock {
  readonly #startedAt = performance.now();
  readonly #underWay = { database: 0, pool: 0 };
  readonly #spent = { database: 0, pool: 0 };
  #since = 0;

  /**
   * Begins a phase, which ends at its `leave`. Statements at the same time count once, and a wait only while no
   * statement runs.
   */
  enter(phase: Phase): void {
    this.#advance();
    this.#underWay[phase] += 1;
  }

  leave(phase: Phase): void {
    this.#advance();
    this.#underWay[phase] -= 1;
  }

  /**
   * Times in milliseconds; a phase that an error left open goes on until now. `otherMs` is the rest: work in Node, and
   * waiting for anything but the database.
   */
  read(): { ms: number; databaseMs: number; poolMs: number; otherMs: number } {
    this.#advance();
    const ms = performance.now() - this.#startedAt;
    const { database, pool } = this.#spent;
    return {
      ms: tenths(ms),
      databaseMs: tenths(database),
      poolMs: tenths(pool),
      otherMs: tenths(ms - database - pool),
    };
  }

  #advance(): void {
    const now = performance.now();
    const phase = this.#underWay.database > 0 ? 'database' : this.#underWay.pool > 0 ? 'pool' : undefined;
    if (phase !== undefined) this.#spent[phase] += now - this.#since;
    this.#since = now;
  }
}

const tenths = (ms: number) => Math.round(ms * 10) / 10;

/** @param clock  undefined: the time is not asked for */
export async function timed<T>(clock: RequestClock | undefined, phase: Phase, work: () => Promise<T>): Promise<T> {
  if (clock === undefined) return work();
  clock.enter(phase);
  try {
    return await work();
  } finally {
    clock.leave(phase);
  }
}
