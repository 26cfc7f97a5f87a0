/**
 * Circuits that are not of this controller. Those whose controller is gone are taken over; what routers report of those
 * that another one has is passed on to it. A circuit that another controller has is never ended here.
 */
import type { CircuitNews, CircuitRow, CircuitStore } from '../../db/stores/circuits.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { NoteFailure } from '../channel/router-log.js';
import type { Circuits } from './circuits.js';

export interface OtherCircuitsOptions {
  readonly store: Pick<CircuitStore, 'takeOver' | 'tell'>;
  /** This process, as a host of channels. */
  readonly hostId: string;
  readonly circuits: Pick<Circuits, 'takeOver'>;
  /** Called with each circuit before it is taken over: it is written already. */
  readonly onTaken: (circuitId: string) => void;
  readonly noteFailure: NoteFailure;
}

interface Question {
  readonly routerId: string;
  readonly ids: readonly string[];
  readonly news: CircuitNews;
  readonly resolve: (unknown: readonly string[]) => void;
}

/** Questions that wait. A router whose report is left out reports again, or asks in a minute. */
const MOST_WAITING = 5_000;

export class OtherCircuits {
  readonly #options: OtherCircuitsOptions;
  readonly #waiting: Question[] = [];
  readonly #asking = new CoalescedTask(() => this.#askAll());

  constructor(options: OtherCircuitsOptions) {
    this.#options = options;
  }

  /**
   * Takes over circuits over these routers whose controller is gone.
   * @returns those circuits
   * @throws DomainError when the database refuses
   */
  async takeOver(routerIds: readonly string[]): Promise<CircuitRow[]> {
    const { store, hostId, circuits, onTaken } = this.#options;
    const taken: CircuitRow[] = [];
    for (let isMore = routerIds.length > 0; isMore;) {
      const found = await store.takeOver(hostId, routerIds);
      for (const row of found.rows) {
        onTaken(row.id);
        if (circuits.takeOver(row)) taken.push(row);
      }
      isMore = found.isMore;
    }
    return taken;
  }

  /**
   * Passes on what a router reports of circuits that are not known here to whoever has them.
   * @returns those that no controller has; none when that could not be found out
   */
  tell(routerId: string, ids: readonly string[], news: CircuitNews): Promise<readonly string[]> {
    if (ids.length === 0 || this.#waiting.length >= MOST_WAITING) return Promise.resolve([]);
    return new Promise((resolve) => {
      this.#waiting.push({ routerId, ids, news, resolve });
      this.#asking.schedule();
    });
  }

  close(): Promise<void> {
    return this.#asking.close();
  }

  async #askAll(): Promise<void> {
    for (let next = this.#waiting.splice(0, 500); next.length > 0; next = this.#waiting.splice(0, 500)) {
      const known = await this.#ask(next);
      for (const { ids, resolve } of next) resolve(known === undefined ? [] : ids.filter((id) => !known.has(id)));
    }
  }

  async #ask(questions: readonly Question[]): Promise<ReadonlySet<string> | undefined> {
    const { store, noteFailure } = this.#options;
    const told = questions.flatMap(({ routerId, ids, news }) => ids.map((id) => ({ id, routerId, news })));
    try {
      return new Set(await store.tell(told));
    } catch (error) {
      noteFailure(error, {}, 'circuits of other controllers could not be looked up');
      return undefined;
    }
  }
}
