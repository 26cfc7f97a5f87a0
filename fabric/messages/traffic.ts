/** The messages that carry traffic: terminators, circuits, and the sessions that they hang on. */
import type { MessageHandler, MessageRule, MessageTable } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { EdgeError, errorMessage } from '../channel/edge-errors.js';
import { circuitConfirmation } from './circuit-confirmation.js';
import { connectEvents } from './connect-events.js';
import { createCircuit } from './create-circuit.js';
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

export const trafficMessages: MessageTable = new Map<number, MessageRule>([
  [ContentType.CreateCircuitV2, { handle: createCircuit, refuse: unfit, isOfClient: true }],
  [ContentType.RouteResult, { handle: lateRouteResult, isOfClient: true }],
  [ContentType.Fault, { handle: fault, inOrder: 'large', isOfClient: true }],
  [ContentType.CircuitConfirmation, { handle: circuitConfirmation, inOrder: 'large' }],
  [ContentType.CreateTerminatorV2, { handle: createTerminator, isOfClient: true }],
  [ContentType.UpdateEdgeTerminator, { handle: updateTerminator, isOfClient: true }],
  [ContentType.RemoveTerminators, { handle: removeTerminators, inOrder: 'large' }],
  [ContentType.RemoveEdgeTerminator, { handle: removeTerminator, isOfClient: true }],
  [ContentType.ValidateTerminatorsV2Response, { handle: terminatorStates, inOrder: 'large' }],
  [ContentType.CreateTunnelCircuitV2, { handle: createTunnelCircuit, refuse: unfit, isOfClient: true }],
  [ContentType.CreateTunnelTerminatorV2, { handle: createTunnelTerminator, isOfClient: true }],
  [ContentType.UpdateTunnelTerminator, { handle: updateTunnelTerminator }],
  [ContentType.RemoveTunnelTerminator, { handle: removeTunnelTerminator }],
  // Counted nowhere: how a host is shows itself when it is dialed.
  [ContentType.TunnelHealthEvent, { handle: () => undefined }],
  [ContentType.ValidateSessions, { handle: validateSessions, inOrder: 'large' }],
  [ContentType.ConnectEvents, { handle: connectEvents, inOrder: 'large' }],
  [ContentType.InspectRequest, { handle: inspectRequest }],
]);
