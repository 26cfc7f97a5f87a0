/** The messages that carry traffic: terminators, circuits, and the sessions that they hang on. */
import type { MessageTable } from '../channel.js';
import { ContentType } from '../content-types.js';
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

export const trafficMessages: MessageTable = new Map([
  [ContentType.CreateCircuitV2, { handle: createCircuit }],
  [ContentType.RouteResult, { handle: lateRouteResult }],
  [ContentType.Fault, { handle: fault }],
  [ContentType.CircuitConfirmation, { handle: circuitConfirmation }],
  [ContentType.CreateTerminatorV2, { handle: createTerminator }],
  [ContentType.UpdateEdgeTerminator, { handle: updateTerminator }],
  [ContentType.RemoveTerminators, { handle: removeTerminators }],
  [ContentType.RemoveEdgeTerminator, { handle: removeTerminator }],
  [ContentType.ValidateTerminatorsV2Response, { handle: terminatorStates }],
  [ContentType.CreateTunnelCircuitV2, { handle: createTunnelCircuit }],
  [ContentType.CreateTunnelTerminatorV2, { handle: createTunnelTerminator }],
  [ContentType.UpdateTunnelTerminator, { handle: updateTunnelTerminator }],
  [ContentType.RemoveTunnelTerminator, { handle: removeTunnelTerminator }],
  // Counted nowhere: how a host is shows itself when it is dialed.
  [ContentType.TunnelHealthEvent, { handle: () => undefined }],
  [ContentType.ValidateSessions, { handle: validateSessions }],
  [ContentType.ConnectEvents, { handle: connectEvents }],
  [ContentType.InspectRequest, { handle: inspectRequest }],
]);
