/**
 * Leads a few circuits over cheaper paths, once a minute: links measure their latencies all the time, and better ones
 * come. The routers where circuits begin are looked at one after another, each in a turn of the event loop of its own.
 */
import { setImmediate } from 'node:timers/promises';
import { CheaperPaths } from '../../domain/fabric/smart-reroute.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Topology } from '../links/topology.js';
import type { Circuit, Circuits } from './circuits.js';
import type { Moves } from './moves.js';

export interface SmartRerouteParts {
  readonly circuits: Pick<Circuits, 'all' | 'get' | 'size'>;
  readonly topology: Pick<Topology, 'pathsFrom' | 'costOf'>;
  readonly moves: Pick<Moves, 'move'>;
}

const EVERY_MS = 60_000;

export class SmartReroute {
  readonly #parts: SmartRerouteParts;
  readonly #task = new CoalescedTask(() => this.#round());
  readonly #timer: NodeJS.Timeout;

  constructor(parts: SmartRerouteParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#task.schedule();
    }, EVERY_MS).unref();
  }

  /** Runs a round, or joins the one under way. @returns the circuits that it moves */
  round(): Promise<readonly Circuit[]> {
    return this.#task.runNow();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#task.close();
  }

  async #round(): Promise<readonly Circuit[]> {
    const { circuits, topology, moves } = this.#parts;
    const cheaper = new CheaperPaths<Circuit>(circuits.size);
    for (const [routerId, own] of byFirstRouter(circuits.all())) {
      await setImmediate();
      if (this.#task.isClosed) return [];
      const paths = topology.pathsFrom(routerId);
      for (const circuit of own)
        cheaper.consider(circuit, topology.costOf(circuit.path), paths.to(circuit.path.routerIds.at(-1) ?? ''));
    }
    // One may have ended or moved meanwhile.
    const chosen = cheaper.chosen.filter((circuit) => circuits.get(circuit.id) === circuit);
    for (const circuit of chosen) moves.move(circuit, { isOptional: true });
    return chosen;
  }
}

/** Circuits by the router where they begin; those that stay at one router have nothing to gain. */
function byFirstRouter(circuits: Iterable<Circuit>): Map<string, Circuit[]> {
  const byRouter = new Map<string, Circuit[]>();
  for (const circuit of circuits) {
    const [first, second] = circuit.path.routerIds;
    if (first === undefined || second === undefined) continue;
    const known = byRouter.get(first);
    if (known === undefined) byRouter.set(first, [circuit]);
    else known.push(circuit);
  }
  return byRouter;
}
