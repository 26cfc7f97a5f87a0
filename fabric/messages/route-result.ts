/** A RouteResult (1022) that no request waits for: it came too late, or of a circuit that has ended. */
import type { MessageHandler } from '../channel/channel.js';
import { unrouteMessage } from '../traffic/circuits.js';
import { textOf } from '../channel/frame.js';
import { REROUTE_ATTEMPT, attemptOf, failureOf } from '../traffic/route-results.js';

export const lateRouteResult: MessageHandler = (frame, channel, { traffic }) => {
  const circuitId = textOf(frame);
  if (failureOf(frame, channel.routerId) !== undefined || attemptOf(frame) === REROUTE_ATTEMPT) return;
  const circuit = traffic.circuits.get(circuitId);
  if (circuit?.path.routerIds.includes(channel.routerId) !== true) channel.send(unrouteMessage(circuitId, true));
};
