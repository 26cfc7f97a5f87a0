/**
 * Chooses the terminator that a dial goes to: among the best hundred, or among the best thousand when those hundred
 * have so much on them that one of the others may be better.
 */
import type { Stores } from '../../db/stores/stores.js';
import { couldBeStored } from '../../domain/ids.js';
import type { Path, Paths } from '../../domain/fabric/paths.js';
import { LOOKED_AT } from '../../domain/fabric/terminator.js';
import { chooseTerminator, mayMissBetter } from '../../domain/fabric/terminator-choice.js';
import type { Choice } from '../../domain/fabric/terminator-choice.js';
import { MAX_DYNAMIC_COST } from '../../domain/fabric/terminator-costs.js';
import type { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import type { DialMemory } from './dial-memory.js';
import type { DialRequest, Target } from './dial-request.js';
import type { Topology } from '../links/topology.js';
import { EdgeError } from '../channel/edge-errors.js';
import { PeerDataKey, readText } from '../channel/headers.js';

export interface DialTargetParts {
  readonly stores: Pick<Stores, 'hostedTerminators'>;
  readonly topology: Pick<Topology, 'pathsFrom' | 'version'>;
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
): Promise<{ choice: Choice<Target>; path: Path }> {
  const { channel, session, instanceId, peerData, flight } = request;
  const { stores, topology } = parts;
  const { version } = topology;
  const paths = topology.pathsFrom(channel.routerId);
  const stickyToken = session.strategy === 'sticky' ? readText(peerData, PeerDataKey.StickinessToken) : undefined;
  const sticky = stickyToken !== undefined && couldBeStored(stickyToken) ? stickyToken : '';
  flight.reads();
  const targets = await findTargets({ ...request, paths, version, sticky, areFresh: failed.size > 0 }, parts);
  const untried = targets.filter(({ id }) => !failed.has(id));
  const choice = chooseTerminator(untried.length > 0 ? untried : targets, {
    strategy: session.strategy,
    stickyToken,
    random: Math.random,
  });
  const path = choice && paths.to(choice.terminator.routerId);
  if (choice !== undefined && path !== undefined) {
    flight.chose(choice.terminator);
    return { choice, path };
  }
  const text = (await stores.hostedTerminators.hasAny(session.serviceId))
    ? `service ${session.serviceId} has no online terminators for instanceId ${instanceId}`
    : `service ${session.serviceId} has no terminators`;
  throw new EdgeError('internal', text, circuitId);
}

interface TargetQuery extends Pick<DialRequest, 'channel' | 'session' | 'instanceId'> {
  readonly paths: Paths;
  /** Version of the topology. */
  readonly version: number;
  /** '' for none. */
  readonly sticky: string;
  /** Once an attempt has failed, memory may be what was wrong. */
  readonly areFresh: boolean;
}

async function findTargets(query: TargetQuery, parts: DialTargetParts): Promise<readonly Target[]> {
  if (!couldBeStored(query.instanceId)) return [];
  const [few, many] = LOOKED_AT;
  const best = await readBest(query, few, parts);
  if (best.length < few || !mayMissBetter(best, query.session.strategy)) return best;
  return readBest(query, many, parts);
}

async function readBest(
  {
    channel: { routerId },
    session: { serviceId, strategy },
    instanceId,
    paths,
    version,
    sticky,
    areFresh,
  }: TargetQuery,
  max: number,
  { stores, memory, costs, hostId }: DialTargetParts,
): Promise<readonly Target[]> {
  const read = (asked: string) =>
    stores.hostedTerminators.targets({
      serviceId,
      instanceId,
      pathCosts: paths.costs(),
      strategy,
      sticky: asked,
      max,
      ownHost: hostId,
    });
  const kept = areFresh
    ? await read(sticky)
    : await memory.targets({ serviceId, instanceId, routerId, max }, version, () => read(''));
  // Kept targets are for all dialers: the one that this dialer had may not be among them.
  const isLeftOut = sticky !== '' && kept.length === max && !kept.some(({ id }) => id === sticky);
  const found = isLeftOut && !areFresh ? await read(sticky) : kept;
  return found.map((target) => ({
    ...target,
    dynamicCost: Math.min(costs.of(target.id) + target.elsewhereCost, MAX_DYNAMIC_COST),
    pathCost: paths.costTo(target.routerId) ?? 0,
  }));
}
