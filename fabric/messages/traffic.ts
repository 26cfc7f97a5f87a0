/** The messages that carry traffic: terminators, circuits, and the sessions that they depend on. */
import type { MessageHandler, MessageRule, MessageTable } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { EdgeError, errorMessage } from '../channel/edge-errors.js';
import { circuitConfirmation } from './circuit-confirmation.js';
import { connectEvents } from './connect-events.js';
import { createCircuit, createDirectCircuit } from './create-circuit.js';
import { createTerminator } from './create-terminator.js';
import { createTunnelCircuit } from './create-tunnel-circuit.js';
import { createTunnelTerminator } from './create-tunnel-terminator.js';
import { fault } from './fault.js';
import { inspectRequest } from './inspect-request.js';
import { removeTerminator, removeTerminators } from './remove-terminators.js';
import { lateRouteResult } from './route-result.js';
import { terminatorStates } from './terminator-states.js';
import { removeTunnelTerminator, updateTunnelTerminator } from './tunnel-terminators.js';
import { updateTerminator } from './update-terminator.js';
import { validateSessions } from './validate-sessions.js';

/** A dial with other peer data than a client may send along. */
const unfit: MessageHandler = (frame, channel) => {
  channel.reply(frame, errorMessage(new EdgeError('internal', 'the request is too large, or cannot be read')));
};

/** The parts that these handlers need together; each names its own. */
export type TrafficMessageParts = Parameters<typeof createCircuit>[0] &
  Parameters<typeof fault>[0] &
  Parameters<typeof circuitConfirmation>[0] &
  Parameters<typeof createTerminator>[0] &
  Parameters<typeof updateTerminator>[0] &
  Parameters<typeof removeTerminators>[0] &
  Parameters<typeof terminatorStates>[0] &
  Parameters<typeof createTunnelCircuit>[0] &
  Parameters<typeof createTunnelTerminator>[0] &
  Parameters<typeof updateTunnelTerminator>[0] &
  Parameters<typeof validateSessions>[0] &
  Parameters<typeof connectEvents>[0];

export const trafficMessages = (parts: TrafficMessageParts): MessageTable =>
  new Map<number, MessageRule>([
    [ContentType.CreateCircuitV2, { handle: createCircuit(parts), refuse: unfit, isOfClient: true }],
    [ContentType.CreateCircuitV3, { handle: createDirectCircuit(parts), refuse: unfit, isOfClient: true }],
    [ContentType.RouteResult, { handle: lateRouteResult(parts), isOfClient: true }],
    [ContentType.Fault, { handle: fault(parts), inOrder: 'large', isOfClient: true }],
    [ContentType.CircuitConfirmation, { handle: circuitConfirmation(parts), inOrder: 'large' }],
    [ContentType.CreateTerminatorV2, { handle: createTerminator(parts), isOfClient: true }],
    [ContentType.UpdateEdgeTerminator, { handle: updateTerminator(parts), isOfClient: true }],
    [ContentType.RemoveTerminators, { handle: removeTerminators(parts), inOrder: 'large' }],
    [ContentType.RemoveEdgeTerminator, { handle: removeTerminator(parts), isOfClient: true }],
    [ContentType.ValidateTerminatorsV2Response, { handle: terminatorStates(parts), inOrder: 'large' }],
    [ContentType.CreateTunnelCircuitV2, { handle: createTunnelCircuit(parts), refuse: unfit, isOfClient: true }],
    [ContentType.CreateTunnelTerminatorV2, { handle: createTunnelTerminator(parts), isOfClient: true }],
    [ContentType.UpdateTunnelTerminator, { handle: updateTunnelTerminator(parts) }],
    [ContentType.RemoveTunnelTerminator, { handle: removeTunnelTerminator(parts) }],
    // Counted nowhere: the health of a host shows when it is dialed.
    [ContentType.TunnelHealthEvent, { handle: () => undefined }],
    [ContentType.ValidateSessions, { handle: validateSessions(parts), inOrder: 'large' }],
    [ContentType.ConnectEvents, { handle: connectEvents(parts), inOrder: 'large' }],
    [ContentType.InspectRequest, { handle: inspectRequest }],
  ]);
