/**
 * Builds a circuit: chooses a terminator and a path, tells each router of the path what to forward, and waits until all
 * of them have done so. A failed attempt is followed by one with another terminator, if there is one.
 */
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { Stores } from '../../db/stores/stores.js';
import { newId } from '../../domain/auth/tokens.js';
import { routesOf } from '../../domain/fabric/circuit.js';
import type { CircuitEnds, RouterRoute } from '../../domain/fabric/circuit.js';
import { ROUTER_BINDINGS, peerDataOf } from '../../domain/fabric/terminator.js';
import type { Path } from '../../domain/fabric/path.js';
import type { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import type { ConnectedChannels } from '../channel/channel.js';
import { unroute } from './circuits.js';
import type { Circuit } from './circuits.js';
import { EdgeError } from '../channel/edge-errors.js';
import { PeerDataKey, encodeText } from '../channel/headers.js';
import { givenToDialer } from './peer-data.js';
import { chooseTarget } from './dial-targets.js';
import type { DialTargetParts } from './dial-targets.js';
import type { BuiltCircuit, ChosenTarget, DialRequest, Dialer } from './dial-request.js';
import { ROUTE_TIMEOUT_MS, routeMessage } from './route-message.js';
import { routeFailureOf } from './route-results.js';
import type { RouteFailure } from './route-results.js';
import type { FabricLog } from '../channel/router-log.js';

export interface CircuitBuilderParts extends DialTargetParts {
  readonly stores: Pick<Stores, 'hostedTerminators'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
  readonly costs: TerminatorCosts;
  readonly log: FabricLog;
}

const ATTEMPTS = 2;
/** Attempts that found their terminator gone do not count, up to so many. */
const MOST_GONE = 10;
/** The router that asks waits for 30 s. */
const DEADLINE_MS = 28_000;

/** @throws EdgeError */
export async function buildCircuit(request: DialRequest, parts: CircuitBuilderParts): Promise<BuiltCircuit> {
  const circuitId = newId();
  /** Routers that may know the circuit. */
  const touched = new Set<string>();
  try {
    const built = await tryTerminators(request, circuitId, touched, parts);
    unroute(circuitId, touched, parts.channels, { kept: built.circuit.path.routerIds });
    return built;
  } catch (error) {
    unroute(circuitId, touched, parts.channels);
    throw error;
  }
}

async function tryTerminators(
  request: DialRequest,
  circuitId: string,
  touched: Set<string>,
  parts: CircuitBuilderParts,
): Promise<BuiltCircuit> {
  const { costs } = parts;
  const failed = new Set<string>();
  const reasons: string[] = [];
  const deadlineMs = performance.now() + DEADLINE_MS;
  for (let attempt = 0, gone = 0; attempt - gone < ATTEMPTS && performance.now() < deadlineMs; attempt += 1) {
    const target = await chooseTarget(request, failed, circuitId, parts);
    const { terminator, path } = target;
    const ends = { ingressId: newId(), egressId: newId() };
    const tags = {
      serviceId: request.session.serviceId,
      clientId: request.session.identityId,
      hostId: terminator.hostId,
    };
    for (const routerId of path.routerIds) touched.add(routerId);
    const outcome = await tryPath({ ...request, circuitId, attempt, terminator, path, ends, tags }, parts);
    if (outcome.failure === undefined) {
      costs.dialSucceeded(terminator.id);
      const circuit = circuitOf(request.session, { id: circuitId, path, ends, tags, terminator });
      return { circuit, peerData: peerDataFor(target, outcome.peerData) };
    }
    failed.add(terminator.id);
    reasons.push(outcome.failure.text);
    if (outcome.failure.routerId === terminator.routerId) costs.dialFailed(terminator.id);
    if (await dropIfGone(terminator, outcome.failure, parts)) gone = Math.min(gone + 1, MOST_GONE);
  }
  throw new EdgeError(
    'internal',
    `exceeded maximum [${ATTEMPTS}] retries creating circuit [c/${circuitId}] (${reasons.join('; ')})`,
    circuitId,
  );
}

function circuitOf(
  { id: sessionId, identityId: clientId, serviceId, maxIdleMs }: Dialer,
  {
    id,
    path,
    ends,
    tags,
    terminator,
  }: Pick<Circuit, 'id' | 'path' | 'ends' | 'tags'> & { readonly terminator: DialTarget },
): Circuit {
  return {
    id,
    path,
    ends,
    tags,
    createdAtMs: Date.now(),
    serviceId,
    clientId,
    maxIdleMs,
    sessionId,
    terminatorId: terminator.id,
    hostSessionId: terminator.sessionId,
  };
}

interface Attempt extends DialRequest {
  readonly circuitId: string;
  readonly attempt: number;
  readonly terminator: DialTarget;
  readonly path: Path;
  readonly ends: CircuitEnds;
  readonly tags: Record<string, string>;
}

type Outcome =
  | { readonly failure: RouteFailure; readonly peerData?: undefined }
  | { readonly failure?: undefined; readonly peerData: ReadonlyMap<number, Uint8Array> };

/** Tells all routers at once. The first failure decides; the others are not waited for. */
function tryPath(attempt: Attempt, parts: CircuitBuilderParts): Promise<Outcome> {
  const { path, ends, terminator } = attempt;
  const routes = routesOf(path, ends);
  return new Promise((resolve) => {
    let unanswered = routes.length;
    let peerData: ReadonlyMap<number, Uint8Array> = new Map();
    for (const route of routes) {
      void askRouter(attempt, route, parts).then((answer) => {
        unanswered -= 1;
        if (answer.failure !== undefined) resolve(answer);
        else if (route.routerId === terminator.routerId) peerData = answer.peerData;
        if (unanswered === 0) resolve({ peerData });
      });
    }
  });
}

async function askRouter(
  attempt: Attempt,
  route: RouterRoute,
  { channels }: Pick<CircuitBuilderParts, 'channels'>,
): Promise<Outcome> {
  const { routerId } = route;
  try {
    const channel = channels.get(routerId);
    if (channel === undefined) throw new Error('it is not connected');
    const { circuitId, tags } = attempt;
    const facts = { circuitId, attempt: attempt.attempt, tags };
    const message = routeMessage(route, route.isTerminating ? { ...facts, egress: egressOf(attempt) } : facts);
    const frame = await channel.request(message, ROUTE_TIMEOUT_MS);
    const failure = routeFailureOf(frame, routerId);
    return failure === undefined ? { peerData: frame.headers } : { failure };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no answer';
    return {
      failure: { routerId, isTerminatorGone: false, text: `error creating route for router r/${routerId}: ${reason}` },
    };
  }
}

/** Makes the part of a route that only the router which connects to the terminator gets. */
const egressOf = ({ terminator, ends, peerData }: Attempt) => ({
  binding: terminator.binding,
  address: ends.egressId,
  destination: terminator.address,
  peerData,
});

/** A terminator that its own router does not know is deleted. */
async function dropIfGone(
  { id, routerId, binding }: DialTarget,
  failure: RouteFailure,
  { stores, memory, costs, log }: CircuitBuilderParts,
): Promise<boolean> {
  if (!failure.isTerminatorGone || failure.routerId !== routerId || !ROUTER_BINDINGS.includes(binding)) return false;
  const removed = await stores.hostedTerminators.remove([id], routerId);
  memory.forgetTargets(undefined);
  costs.forget(id);
  log.info({ terminatorId: id, routerId }, 'a terminator that its router does not know was removed');
  return removed.length > 0;
}

function peerDataFor(
  { terminator, stickyToken }: ChosenTarget,
  ofResult: ReadonlyMap<number, Uint8Array>,
): Map<number, Uint8Array> {
  const peerData = givenToDialer(peerDataOf(terminator.peerData), ofResult);
  if (stickyToken !== undefined) peerData.set(PeerDataKey.StickinessToken, encodeText(stickyToken));
  return peerData;
}
