/** Checks that what allowed a circuit still allows it when it stands: at both ends, for sessions and for routers. */
import type { UseAtRouter } from '../../db/stores/shown-sessions.js';
import type { PolicyType } from '../../domain/model.js';
import type { Stores } from '../../db/stores/stores.js';
import type { ConnectedChannels, RouterChannel } from '../channel/channel.js';
import type { DialRequest } from './dial-request.js';
import type { Circuit, Circuits } from './circuits.js';
import { EdgeError, invalidService, invalidSession } from '../channel/edge-errors.js';
import type { SessionWatch } from './session-watch.js';
import { isTunneledTo } from './tunnel-watch.js';
import type { TunnelWatch } from './tunnel-watch.js';

export interface StandingParts {
  readonly stores: Pick<Stores, 'hostedTerminators'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
  readonly circuits: Pick<Circuits, 'get'>;
  readonly sessions: Pick<SessionWatch, 'use' | 'lostOf'>;
  readonly tunnels: Pick<TunnelWatch, 'use' | 'isLost'>;
}

/**
 * Call when the circuit stands. Both ends are watched from now on: a loss that comes later ends it. An earlier one has
 * put the flight in doubt.
 * @throws EdgeError
 */
export async function requireStanding(
  circuit: Circuit,
  request: Pick<DialRequest, 'channel' | 'flight'>,
  parts: StandingParts,
): Promise<void> {
  const { channel } = request;
  const { circuits, channels } = parts;
  const hostChannel = channels.get(lastRouter(circuit));
  if (channel.isClosed) throw invalidSession();
  if (hostChannel === undefined || circuit.path.routerIds.some((id) => channels.get(id) === undefined))
    throw new EdgeError('internal', 'a router of the path has gone', circuit.id);
  // All of it begins now, before anything is waited for.
  const checks = [
    checkSessions(circuit, request, parts),
    checkTunnel('Dial', circuit, channel, request, parts),
    checkTunnel('Bind', circuit, hostChannel, request, parts),
    checkTerminator(circuit, request, parts),
  ];
  const refusals = await Promise.all(checks);
  for (const refusal of refusals) if (refusal !== undefined) throw refusal;
  if (circuits.get(circuit.id) === undefined) throw invalidSession();
}

const lastRouter = ({ path }: Circuit) => path.routerIds.at(-1) ?? '';
const hasLost = (circuit: Circuit) => new EdgeError('internal', 'the host has lost the service', circuit.id);

async function checkSessions(
  circuit: Circuit,
  { channel, flight }: Pick<DialRequest, 'channel' | 'flight'>,
  { sessions }: StandingParts,
): Promise<EdgeError | undefined> {
  const useOf = (sessionId: string | null, routerId: string): UseAtRouter[] =>
    sessionId === null ? [] : [{ sessionId, routerId }];
  const uses = [...useOf(circuit.sessionId, channel.routerId), ...useOf(circuit.hostSessionId, lastRouter(circuit))];
  for (const { routerId, sessionId } of uses) sessions.use(routerId, sessionId);
  if (uses.length === 0 || !flight.isInDoubt) return undefined;
  const lost = await sessions.lostOf(uses);
  if (lost.some(({ sessionId }) => sessionId === circuit.sessionId)) return invalidSession();
  return lost.length > 0 ? hasLost(circuit) : undefined;
}

/** Checks what a router uses by its own identity, at either end. */
async function checkTunnel(
  type: PolicyType,
  circuit: Circuit,
  channel: RouterChannel,
  { flight }: Pick<DialRequest, 'flight'>,
  { tunnels }: StandingParts,
): Promise<EdgeError | undefined> {
  const isOwn = type === 'Dial' ? circuit.sessionId === null : isTunneledTo(circuit, channel.routerId);
  if (!isOwn) return undefined;
  const { serviceId } = circuit;
  tunnels.use(channel, type, serviceId);
  if (!(await tunnels.isLost(channel, type, serviceId, flight.accessRound))) return undefined;
  return type === 'Dial' ? invalidService() : hasLost(circuit);
}

async function checkTerminator(
  { id, terminatorId }: Circuit,
  { flight }: Pick<DialRequest, 'flight'>,
  { stores }: StandingParts,
): Promise<EdgeError | undefined> {
  if (!flight.isTerminatorInDoubt || (await stores.hostedTerminators.isThere(terminatorId))) return undefined;
  return new EdgeError('internal', 'the terminator was removed', id);
}
