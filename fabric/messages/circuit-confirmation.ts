/** CircuitConfirmation (1034): a router asks about circuits that have been idle for a minute or more. */
import { CircuitConfirmationSchema } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel.js';
import { unrouteMessage } from '../circuits.js';
import { readBody } from '../frame.js';

const NS_PER_MS = 1_000_000n;

export const circuitConfirmation: MessageHandler = (frame, channel, { traffic }) => {
  const { circuitIds, idleTimes } = readBody(CircuitConfirmationSchema, frame);
  const { routerId } = channel;
  for (const id of circuitIds) {
    const circuit = traffic.circuits.get(id);
    if (circuit?.path.routerIds.includes(routerId) !== true) {
      channel.send(unrouteMessage(id, true));
      continue;
    }
    const idleMs = Number((idleTimes[id] ?? 0n) / NS_PER_MS);
    const { path, maxIdleMs } = circuit;
    const isEndpoint = path.routerIds[0] === routerId || path.routerIds.at(-1) === routerId;
    if (isEndpoint && maxIdleMs > 0 && idleMs > maxIdleMs) traffic.circuits.end(circuit, true);
  }
};
