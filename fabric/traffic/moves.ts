/**
 * Leads circuits over other paths, so many at a time: a link that is lost may have carried thousands. One circuit moves
 * once at a time, since several routers report the same fault.
 */
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import type { RunLimited } from '../../domain/scheduling/concurrency-limit.js';
import type { Topology } from '../links/topology.js';
import type { NoteFailure } from '../channel/router-log.js';
import type { Circuit } from './circuits.js';
import { reroute } from './reroute.js';
import type { RerouteParts } from './reroute.js';

export interface MovesParts extends RerouteParts {
  readonly topology: Pick<Topology, 'path' | 'has'>;
  readonly noteFailure: NoteFailure;
}

export interface MoveOptions {
  /** Runs it within a bound of who asks for it. */
  readonly within?: RunLimited;
  /** Its path holds: it stays there when there is no other. */
  readonly isOptional?: boolean;
}

/** Circuits whose routers are asked at the same time: half of what may wait for one router, which many of them pass. */
const CONCURRENT = 500;

export class Moves {
  readonly #parts: MovesParts;
  readonly #limit = new ConcurrencyLimit({ concurrent: CONCURRENT, waiting: 1_000_000 });

  constructor(parts: MovesParts) {
    this.#parts = parts;
  }

  /** Moves all circuits that a link carried. */
  linkLost(linkId: string): void {
    for (const circuit of this.#parts.circuits.ofLink(linkId)) this.move(circuit);
  }

  /** Moves a circuit that was made meanwhile if a link of its path is lost. */
  check(circuit: Circuit): void {
    if (!this.#parts.topology.has(circuit.path)) this.move(circuit);
  }

  /** Leads a circuit over another path, or ends it. Does nothing while it moves. */
  move(circuit: Circuit, { within, isOptional = false }: MoveOptions = {}): void {
    const { circuits, noteFailure } = this.#parts;
    const { id } = circuit;
    if (!circuits.beginMove(id)) return;
    const limited: RunLimited = within ?? ((task) => this.#limit.run(task));
    limited(() => this.#moveNow(id, isOptional))
      .catch((error: unknown) => {
        noteFailure(error, { circuitId: id }, 'a circuit was not led over another path');
      })
      .finally(() => {
        circuits.moved(id);
        // Another of its links may have been lost meanwhile.
        const now = circuits.get(id);
        if (now !== undefined) this.check(now);
      });
  }

  /** Moves it as it is once its turn has come. */
  async #moveNow(id: string, isOptional: boolean): Promise<void> {
    const circuit = this.#parts.circuits.get(id);
    if (circuit !== undefined) await reroute(circuit, this.#parts, isOptional);
  }
}
