/** A RouteResult (1022) that no request waits for: it came too late, or its circuit has ended. */
import type { MessageHandler } from '../channel/channel.js';
import { unrouteMessage } from '../traffic/circuits.js';
import type { Circuits } from '../traffic/circuits.js';
import { textOf } from '../channel/frame.js';
import { REROUTE_ATTEMPT, attemptOf, routeFailureOf } from '../traffic/route-results.js';

export const lateRouteResult =
  ({ circuits }: { readonly circuits: Pick<Circuits, 'get'> }): MessageHandler =>
  (frame, channel) => {
    const circuitId = textOf(frame);
    if (routeFailureOf(frame, channel.routerId) !== undefined || attemptOf(frame) === REROUTE_ATTEMPT) return;
    const circuit = circuits.get(circuitId);
    if (circuit?.path.routerIds.includes(channel.routerId) !== true) channel.send(unrouteMessage(circuitId, true));
  };
