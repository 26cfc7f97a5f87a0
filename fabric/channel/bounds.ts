/**
 * Bounds of one frame of each kind. A kind is large only where a router lists what it has: a stock router sends
 * 400 KB for 10,000 tokens, and some 70 bytes for each connected identity. The bodies of kinds that are not here are
 * passed over.
 */
import { ContentType } from './content-types.js';
import type { FrameBound } from './frame.js';

const KIB = 1 << 10;
const HEADERS = 16 * KIB;

/** The bound of most kinds. */
const SMALL: FrameBound = { headers: HEADERS, body: 64 * KIB, beyond: 'cut' };
/** The interfaces of a machine with some 2,500, or the ids of 10,000 circuits. */
const MEDIUM: FrameBound = { ...SMALL, body: 256 * KIB };
/** Lists: 18,000 idle circuits, 15,000 connected identities, 25,000 tokens. */
const LARGE: FrameBound = { ...SMALL, body: 1024 * KIB };
/** A client decides how long it is, so the router is not cut for it. */
const OF_CLIENTS: FrameBound = { headers: 128 * KIB, body: 128 * KIB, beyond: 'skip' };
/** Read once, field by field: links of a router with some 1,500. */
const MEASURED: FrameBound = { headers: HEADERS, body: 1024 * KIB, beyond: 'skip' };
/** Nothing is done with it. Its headers may have a sign of life. */
const UNKNOWN: FrameBound = { headers: HEADERS, body: 0, beyond: 'skip' };

/** The bound of what an operator asks a router for, while it is asked. */
export const ASKED_FOR: FrameBound = { headers: HEADERS, body: 4 * 1024 * KIB, beyond: 'skip' };

const BOUNDS: ReadonlyMap<number, FrameBound> = new Map([
  [ContentType.Heartbeat, SMALL],
  [ContentType.Result, SMALL],
  [ContentType.Ping, SMALL],
  [ContentType.Latency, SMALL],
  [ContentType.UpdateRouterInterfaces, MEDIUM],
  [ContentType.ClientHello, SMALL],
  [ContentType.SubscribeToDataModel, SMALL],
  [ContentType.ApiSessionHeartbeat, LARGE],
  [ContentType.RequestClientReSync, SMALL],
  [ContentType.CreateCircuitV2, OF_CLIENTS],
  [ContentType.CreateCircuitV3, OF_CLIENTS],
  [ContentType.RouteResult, OF_CLIENTS],
  [ContentType.Fault, MEDIUM],
  [ContentType.CircuitConfirmation, LARGE],
  [ContentType.RouterLinks, LARGE],
  [ContentType.VerifyRouter, SMALL],
  [ContentType.Metrics, MEASURED],
  [ContentType.LinkState, SMALL],
  [ContentType.CreateTerminatorV2, OF_CLIENTS],
  [ContentType.UpdateEdgeTerminator, SMALL],
  [ContentType.RemoveTerminators, LARGE],
  [ContentType.RemoveEdgeTerminator, SMALL],
  [ContentType.ValidateTerminatorsV2Response, LARGE],
  [ContentType.CreateTunnelCircuitV2, OF_CLIENTS],
  [ContentType.CreateTunnelTerminatorV2, OF_CLIENTS],
  [ContentType.UpdateTunnelTerminator, SMALL],
  [ContentType.RemoveTunnelTerminator, SMALL],
  [ContentType.TunnelHealthEvent, SMALL],
  [ContentType.ValidateSessions, LARGE],
  [ContentType.ConnectEvents, LARGE],
  [ContentType.ValidateDataStateResponse, OF_CLIENTS],
  [ContentType.InspectRequest, SMALL],
  [ContentType.RequestClusterMembers, SMALL],
  [ContentType.UpdateLinkListeners, SMALL],
  [ContentType.QuiesceRouter, SMALL],
  [ContentType.DequiesceRouter, SMALL],
  [ContentType.DecommissionRouter, SMALL],
  [ContentType.EnrollmentExtendRouter, SMALL],
  [ContentType.EnrollmentExtendRouterVerify, SMALL],
]);

/** Kinds that have a bound of their own; a suite compares them with those that are handled. */
export const boundedKinds: readonly number[] = [...BOUNDS.keys()];

export const boundOf = (contentType: number): FrameBound => BOUNDS.get(contentType) ?? UNKNOWN;
