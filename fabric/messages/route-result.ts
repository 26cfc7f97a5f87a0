/** A RouteResult (1022) that nobody waits for: it came too late, or of a circuit that has ended. */
import type { MessageHandler } from '../channel.js';
import { unrouteMessage } from '../circuits.js';
import { textOf } from '../frame.js';
import { attemptOf, failureOf } from '../route-results.js';

/** Marks a circuit that stands and is led over another path. */
export const REROUTE_ATTEMPT = 99_969_996;

export const lateRouteResult: MessageHandler = (frame, channel, { traffic }) => {
  const circuitId = textOf(frame);
  if (failureOf(frame, channel.routerId) !== undefined || attemptOf(frame) === REROUTE_ATTEMPT) return;
  const circuit = traffic.circuits.get(circuitId);
  if (circuit?.path.routerIds.includes(channel.routerId) !== true) channel.send(unrouteMessage(circuitId, true));
};
