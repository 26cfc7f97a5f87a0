/**
 * Ends circuits that a router has forgotten. One that was started anew knows none of those that led over it, and
 * nobody would report them: idle ones are reported by routers that know them. So a router that comes is asked which it
 * has, when some stood before. One that does not say keeps all of them.
 */
import { inspectRouter } from '../inspections/inspections.js';
import type { InspectedChannel } from '../inspections/inspections.js';
import type { Circuits } from './circuits.js';

/** Value of an inspection that routers give: the circuits that they forward, by id. */
const ROUTER_CIRCUITS = 'router-circuits';
const ANSWER_MS = 10_000;

/** Call when the channel opens: circuits that come from then on are not asked about. Never throws. */
export async function endForgotten(
  channel: InspectedChannel,
  circuits: Pick<Circuits, 'get' | 'ofRouter' | 'end'>,
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
