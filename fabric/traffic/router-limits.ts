/** Bounds the work that one router may cause at a time: a flood of one delays no other. */
import type { Stores } from '../../db/stores/stores.js';
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import type { RouterChannel } from '../channel/channel.js';
import type { DialMemory } from './dial-memory.js';
import { Removals } from './removals.js';

const CIRCUITS = { concurrent: 64, waiting: 2_000 };
const OPERATOR = { concurrent: 1, waiting: 10 };
const TERMINATORS = { concurrent: 4, waiting: 5_000 };

export interface RouterLimits {
  readonly circuits: ConcurrencyLimit;
  readonly terminators: ConcurrencyLimit;
  /** Requests of its operator. */
  readonly operator: ConcurrencyLimit;
  /** Terminators that are being made, by id. A removal of one waits for it. */
  readonly making: Map<string, Promise<unknown>>;
  /** Bytes of the requests for them that are not answered yet. */
  makingBytes: number;
  readonly removals: Removals;
}

export class LimitsByRouter {
  readonly #limits = new WeakMap<RouterChannel, RouterLimits>();
  readonly #terminators: Pick<Stores['hostedTerminators'], 'remove'>;
  readonly #memory: Pick<DialMemory, 'forgetTargets'>;

  constructor({ hostedTerminators }: Pick<Stores, 'hostedTerminators'>, memory: Pick<DialMemory, 'forgetTargets'>) {
    this.#terminators = hostedTerminators;
    this.#memory = memory;
  }

  of(channel: RouterChannel): RouterLimits {
    const known = this.#limits.get(channel);
    if (known !== undefined) return known;
    const made: RouterLimits = {
      circuits: new ConcurrencyLimit(CIRCUITS),
      terminators: new ConcurrencyLimit(TERMINATORS),
      operator: new ConcurrencyLimit(OPERATOR),
      making: new Map(),
      makingBytes: 0,
      removals: new Removals(async (ids) => {
        const removed = await this.#terminators.remove(ids, channel.routerId);
        if (removed.length > 0) this.#memory.forgetTargets(undefined);
      }),
    };
    this.#limits.set(channel, made);
    return made;
  }
}
