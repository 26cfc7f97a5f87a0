/**
 * Chooses the terminator that a dial goes to. All of a service with up to a hundred are read at once, for dials from
 * all routers, and compared here. Of a service with more the database finds the best hundred, by what the paths to them
 * cost, or the best thousand when those hundred have so much on them that one of the others may be better.
 */
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { Stores } from '../../db/stores/stores.js';
import { couldBeStored } from '../../domain/ids.js';
import { LOOKED_AT } from '../../domain/fabric/terminator.js';
import { chooseTerminator, mayMissBetter } from '../../domain/fabric/terminator-choice.js';
import type { Candidate } from '../../domain/fabric/terminator-choice.js';
import { MAX_DYNAMIC_COST } from '../../domain/fabric/terminator-costs.js';
import type { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import type { DialMemory } from './dial-memory.js';
import type { ChosenTarget, DialRequest } from './dial-request.js';
import type { Topology } from '../links/topology.js';
import { EdgeError } from '../channel/edge-errors.js';
import { PeerDataKey, readText } from '../channel/headers.js';

/** The version under which terminators are remembered that were read for all routers, whatever the paths are. */
const FOR_ALL_PATHS = 0;

export interface DialTargetParts {
  readonly stores: Pick<Stores, 'hostedTerminators'>;
  readonly topology: Pick<Topology, 'path' | 'pathsFrom' | 'costsTo' | 'version'>;
  readonly memory: Pick<DialMemory, 'targets' | 'forgetTargets'>;
  readonly costs: Pick<TerminatorCosts, 'of'>;
  /** Name under which this process writes what it adds to costs. */
  readonly hostId: string;
}

/**
 * Returns the terminator and the path to it. One that failed before is chosen only when there is no other.
 * @throws EdgeError when there is none
 */
export async function chooseTarget(
  request: DialRequest,
  failed: ReadonlySet<string>,
  circuitId: string,
  parts: DialTargetParts,
): Promise<ChosenTarget> {
  const { channel, session, instanceId, peerData, flight } = request;
  const { stores, topology } = parts;
  const stickyToken = session.strategy === 'sticky' ? readText(peerData, PeerDataKey.StickinessToken) : undefined;
  const sticky = stickyToken !== undefined && couldBeStored(stickyToken) ? stickyToken : '';
  flight.reads();
  const targets = await findTargets({ ...request, sticky, areFresh: failed.size > 0 }, parts);
  const untried = targets.filter(({ id }) => !failed.has(id));
  const choice = chooseTerminator(untried.length > 0 ? untried : targets, {
    strategy: session.strategy,
    stickyToken,
    random: Math.random,
  });
  const terminator = choice?.terminator.target;
  const path = terminator && topology.path(channel.routerId, terminator.routerId);
  if (terminator !== undefined && path !== undefined) {
    flight.chose(terminator);
    return { terminator, stickyToken: choice?.stickyToken, path };
  }
  const text = (await stores.hostedTerminators.hasAny(session.serviceId))
    ? `service ${session.serviceId} has no online terminators for instanceId ${instanceId}`
    : `service ${session.serviceId} has no terminators`;
  throw new EdgeError('internal', text, circuitId);
}

/** No more of a terminator than is compared: there may be a hundred of them in each dial. */
interface ComparedTarget extends Candidate {
  readonly target: DialTarget;
}

interface DialQuery extends Pick<DialRequest, 'channel' | 'session' | 'instanceId'> {
  /** '' for none. */
  readonly sticky: string;
  /** Once an attempt has failed, memory may be what was wrong. */
  readonly areFresh: boolean;
}

async function findTargets(query: DialQuery, parts: DialTargetParts): Promise<readonly ComparedTarget[]> {
  if (!couldBeStored(query.instanceId)) return [];
  const [few, many] = LOOKED_AT;
  const all = await readAll(query, few, parts);
  if (all !== undefined) return withCosts(all, query, parts);
  const best = await readBest(query, few, parts);
  if (best.length < few || !mayMissBetter(best, query.session.strategy)) return best;
  return readBest(query, many, parts);
}

/** Returns all terminators of the service, on whatever routers; undefined when there are more than `most`. */
async function readAll(
  { session: { serviceId }, instanceId, areFresh }: DialQuery,
  most: number,
  { stores, memory, hostId: ownHost }: DialTargetParts,
): Promise<readonly DialTarget[] | undefined> {
  const max = most + 1;
  const read = () => stores.hostedTerminators.anyTargets({ serviceId, instanceId, max, ownHost });
  const key = { serviceId, instanceId, routerId: '', max };
  const found = areFresh ? await read() : await memory.targets(key, FOR_ALL_PATHS, read);
  return found.length > most ? undefined : found;
}

async function readBest(query: DialQuery, max: number, parts: DialTargetParts): Promise<readonly ComparedTarget[]> {
  const { channel, session, instanceId, sticky, areFresh } = query;
  const { stores, topology, memory, hostId: ownHost } = parts;
  const { routerId } = channel;
  const { serviceId, strategy } = session;
  const { version } = topology;
  const read = (asked: string) => {
    const pathCosts = topology.pathsFrom(routerId).costs();
    return stores.hostedTerminators.targets({
      serviceId,
      instanceId,
      pathCosts,
      strategy,
      sticky: asked,
      max,
      ownHost,
    });
  };
  const kept = areFresh
    ? await read(sticky)
    : await memory.targets({ serviceId, instanceId, routerId, max }, version, () => read(''));
  // Kept targets are for all dialers: the one that this dialer had may not be among them.
  const isLeftOut = sticky !== '' && kept.length === max && !kept.some(({ id }) => id === sticky);
  return withCosts(isLeftOut && !areFresh ? await read(sticky) : kept, query, parts);
}

/** Adds what they cost now. Those that no path leads to are left out. */
function withCosts(
  found: readonly DialTarget[],
  { channel }: DialQuery,
  { topology, costs }: DialTargetParts,
): readonly ComparedTarget[] {
  const pathCosts = topology.costsTo(channel.routerId, new Set(found.map(({ routerId }) => routerId)));
  const compared: ComparedTarget[] = [];
  for (const target of found) {
    const pathCost = pathCosts.get(target.routerId);
    if (pathCost === undefined) continue;
    const { id, precedence, cost, elsewhereCost } = target;
    const dynamicCost = Math.min(costs.of(id) + elsewhereCost, MAX_DYNAMIC_COST);
    compared.push({ id, precedence, cost, dynamicCost, pathCost, target });
  }
  return compared;
}
