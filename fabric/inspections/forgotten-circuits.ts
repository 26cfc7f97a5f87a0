/**
 * Ends circuits that a router has forgotten. A router that was restarted knows none of its earlier circuits, so it does
 * not report them as idle either. Each router that connects is asked which circuits it has, if there were any before.
 * Without a usable answer all of them stay.
 */
import { inspectRouter } from './inspections.js';
import type { InspectedChannel } from './inspections.js';

/** Value of an inspection that routers give: the circuits that they forward, by id. */
const ROUTER_CIRCUITS = 'router-circuits';
const ANSWER_MS = 10_000;

interface StandingCircuits<C> {
  get(id: string): C | undefined;
  ofRouter(routerId: string): readonly C[];
  end(circuit: C, now: boolean): void;
}

/** Call when the channel opens: circuits that come from then on are not asked about. Never throws. */
export async function endForgotten<C extends { readonly id: string }>(
  channel: InspectedChannel,
  circuits: StandingCircuits<C>,
): Promise<void> {
  const stood = circuits.ofRouter(channel.routerId);
  if (stood.length === 0) return;
  const { values } = await inspectRouter(channel, [ROUTER_CIRCUITS], ANSWER_MS);
  const known = circuitsOf(values.find(({ name }) => name === ROUTER_CIRCUITS)?.value);
  if (known === undefined) return;
  for (const circuit of stood) {
    // One that was led over another path meanwhile is another object.
    const isSame = circuits.get(circuit.id) === circuit;
    if (isSame && !Object.hasOwn(known, circuit.id)) circuits.end(circuit, true);
  }
}

/** Returns undefined for anything else than routers say. */
function circuitsOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || !('circuits' in value)) return undefined;
  const { circuits } = value;
  return typeof circuits === 'object' && circuits !== null && !Array.isArray(circuits) ? circuits : undefined;
}
