/**
 * Short changes share their commits: while some are under way, further ones wait for them, milliseconds at most, and
 * those that have waited go together, as one message and one transaction
 * ([0045](../../docs/decisions/0045-shared-commits.md)).
 */
import type { Rows } from './connection.js';
import type { RequestScope } from './contracts.js';
import { DatabaseUnavailable } from './outages.js';
import { timed } from './request-clock.js';
import type { BoundStatement } from './statement.js';

/** A change of one statement, with its actor among its values: so it needs nothing that its transaction says. */
export interface ShortChange extends BoundStatement {
  /** Id of the row that it locks first; null: it makes one. */
  readonly row: string | null;
  readonly scope: RequestScope;
}

/** How changes are made: each answers what PostgreSQL answered, in their order. */
export interface ChangeWays {
  readonly alone: (change: ShortChange) => Promise<Rows<unknown>>;
  /** @throws the failure of any of them: then none was made, unless the database went away */
  readonly together: (changes: readonly ShortChange[]) => Promise<Rows<unknown>[]>;
}

/** So many are made at a time, each alone: further ones wait for others. */
const AT_ONCE = 2;
/** Transactions of short changes at a time: one for each of two cores of PostgreSQL. */
const TRANSACTIONS = 2;
/** Smallest group that goes while a transaction is under way. Smaller ones save too little, and wait for its end. */
const FULL_ENOUGH = 4;
/** A change waits no longer for those under way, which may wait for a lock, or for a standby. */
const PATIENCE_MS = 5;
/** More in one transaction make each of them wait longer, and save little. */
const MOST_TOGETHER = 32;

/** Rows are locked in one order, so that no two groups wait for each other. New rows come last: they wait for none. */
const inOrder = ({ change: { row: a } }: Waiting, { change: { row: b } }: Waiting): number =>
  a === b ? 0 : b === null || (a !== null && a < b) ? -1 : 1;

/** One of them is at fault, or waited for a lock: alone, the others succeed. */
const isOfOne = (error: unknown): boolean =>
  !(error instanceof DatabaseUnavailable) || error.outage === 'locked' || error.outage === 'conflict';

interface Waiting {
  readonly change: ShortChange;
  readonly resolve: (rows: Rows<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedCommits {
  readonly #ways: ChangeWays;
  /** Transactions under way, and the changes in them. */
  #underWay = 0;
  #making = 0;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ways: ChangeWays) {
    this.#ways = ways;
  }

  /** Changes that wait for others. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws what its own statement would throw alone */
  run<R>(change: ShortChange): Promise<Rows<R>> {
    const answer =
      this.#making < AT_ONCE
        ? this.#whileUnderWay(1, () => this.#ways.alone(change))
        : timed(change.scope.clock, 'pool', () => this.#join(change));
    return answer as Promise<Rows<R>>;
  }

  #join(change: ShortChange): Promise<Rows<unknown>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#timer ??= setTimeout(this.#leave, PATIENCE_MS);
      this.#leaveIfWorthIt();
    });
  }

  /** Sends off those that wait. */
  readonly #leave = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#waiting.splice(0, MOST_TOGETHER).sort(inOrder);
    if (this.#waiting.length > 0) this.#timer = setTimeout(this.#leave, PATIENCE_MS);
    const [first, second] = group;
    if (first === undefined) return;
    void (second === undefined ? this.#settle(first) : this.#settleTogether(group));
  };

  async #settleTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#whileUnderWay(group.length, () =>
        this.#ways.together(group.map(({ change }) => change)),
      );
      for (const [i, { resolve }] of group.entries()) resolve(answers[i] as Rows<unknown>);
    } catch (error) {
      for (const one of group) {
        if (isOfOne(error)) void this.#settle(one);
        else one.reject(error);
      }
    }
  }

  async #settle({ change, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#whileUnderWay(1, () => this.#ways.alone(change)));
    } catch (error) {
      reject(error);
    }
  }

  async #whileUnderWay<T>(changes: number, work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    this.#making += changes;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#making -= changes;
      this.#leaveIfWorthIt();
    }
  }

  /** Sends a group when it is as large as the one under way: two of one size keep PostgreSQL and this process busy. */
  #leaveIfWorthIt(): void {
    const { length } = this.#waiting;
    const isFull = length >= Math.max(FULL_ENOUGH, this.#making);
    if (this.#underWay === 0 ? length > 0 : this.#underWay < TRANSACTIONS && isFull) this.#leave();
  }
}
