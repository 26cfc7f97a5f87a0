/**
 * Standbys that answer reads in place of the primary. A read begins there once the standby has everything that the
 * primary had on its disk when the read was asked for, so every read shows the changes that were answered before it, on
 * any controller. A standby that does not come to that in time, or fails, is left, and the primary answers.
 */
import { DomainError } from '../../../domain/errors.js';
import type { ReplicaLoad } from '../contracts.js';
import type { ListLane } from '../list-lane.js';
import { DatabaseUnavailable } from '../outages.js';
import { Replica } from './replica.js';
import type { ReplicaOptions } from './replica.js';
import { connectionFault } from '../statement-runner.js';
import { sharedRead } from '../shared-read.js';
import type { WalPosition } from './wal-position.js';

export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #written: () => Promise<WalPosition>;
  #turn = 0;
  #answered = 0;
  #left = 0;

  /** @param written  asks the primary how far it is */
  constructor(options: readonly ReplicaOptions[], written: () => Promise<WalPosition>) {
    this.#written = sharedRead(written);
    this.#replicas = options.map((each) => new Replica(each, this.#written));
  }

  /**
   * @returns undefined where no standby could answer
   * @throws what `work` throws, unless it is a fault of the standby
   */
  async read<T extends object>(work: (lane: ListLane) => Promise<T>): Promise<T | undefined> {
    for (const replica of this.#inTurn()) {
      if (!(await replica.reaches(await this.#written()))) continue;
      try {
        const result = await work(replica.lane);
        this.#answered += 1;
        return result;
      } catch (error) {
        if (error instanceof DomainError && !(error instanceof DatabaseUnavailable)) throw error;
        // Others end one statement, as a conflict with the replay of changes does.
        if (connectionFault(error) !== undefined) replica.lose(error);
      }
    }
    this.#left += 1;
    return undefined;
  }

  #inTurn(): Replica[] {
    const usable = this.#replicas.filter(({ isUsable }) => isUsable);
    this.#turn += 1;
    const first = this.#turn % Math.max(1, usable.length);
    return [...usable.slice(first), ...usable.slice(0, first)];
  }

  get load(): ReplicaLoad {
    const usable = new Map(this.#replicas.map(({ options, isUsable }) => [options.name, isUsable]));
    return { answered: this.#answered, left: this.#left, usable };
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }
}
