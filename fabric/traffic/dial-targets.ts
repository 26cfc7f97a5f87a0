/**
 * Which terminator a dial goes to. Of many it looks at the best hundred; when those have so much on them that one of
 * the others may be better, at the best thousand.
 */
import type { DialTarget } from '../../db/stores/hosted-terminators.js';
import { couldBeStored } from '../../domain/ids.js';
import type { Path } from '../../domain/fabric/paths.js';
import { LOOKED_AT } from '../../domain/fabric/terminator.js';
import { chooseTerminator, mayMissBetter } from '../../domain/fabric/terminator-choice.js';
import type { Choice } from '../../domain/fabric/terminator-choice.js';
import type { DialRequest } from './circuit-builder.js';
import { EdgeError } from '../channel/edge-errors.js';
import { PeerData, readText } from '../channel/headers.js';
import type { FabricServices } from '../services.js';

export type Target = DialTarget & { readonly dynamicCost: number; readonly pathCost: number };

type Paths = ReadonlyMap<string, Path>;

/**
 * The terminator and the way to it. One that failed before is chosen only when there is no other.
 * @throws EdgeError when there is none
 */
export async function chooseTarget(
  request: DialRequest,
  failed: ReadonlySet<string>,
  circuitId: string,
  services: FabricServices,
): Promise<{ choice: Choice<Target>; path: Path }> {
  const { channel, session, instanceId, peerData, flight } = request;
  const { stores, traffic } = services;
  const paths = traffic.topology.pathsFrom(channel.routerId);
  const stickyToken = session.strategy === 'sticky' ? readText(peerData, PeerData.StickinessToken) : undefined;
  const sticky = stickyToken !== undefined && couldBeStored(stickyToken) ? stickyToken : '';
  flight.reads();
  const targets = await lookAt({ ...request, paths, sticky, areFresh: failed.size > 0 }, services);
  const untried = targets.filter(({ id }) => !failed.has(id));
  const choice = chooseTerminator(untried.length > 0 ? untried : targets, {
    strategy: session.strategy,
    stickyToken,
    random: Math.random,
  });
  const path = choice && paths.get(choice.terminator.routerId);
  if (choice !== undefined && path !== undefined) {
    flight.chose(choice.terminator);
    return { choice, path };
  }
  const text = (await stores.hostedTerminators.hasAny(session.serviceId))
    ? `service ${session.serviceId} has no online terminators for instanceId ${instanceId}`
    : `service ${session.serviceId} has no terminators`;
  throw new EdgeError('internal', text, circuitId);
}

interface Look extends Pick<DialRequest, 'channel' | 'session' | 'instanceId'> {
  readonly paths: Paths;
  /** '' for none. */
  readonly sticky: string;
  /** Once an attempt has failed, memory may be what was wrong. */
  readonly areFresh: boolean;
}

async function lookAt(look: Look, services: FabricServices): Promise<readonly Target[]> {
  if (!couldBeStored(look.instanceId)) return [];
  const [few, many] = LOOKED_AT;
  const best = await readBest(look, few, services);
  if (best.length < few || !mayMissBetter(best, look.session.strategy)) return best;
  return readBest(look, many, services);
}

async function readBest(
  { channel: { routerId }, session: { serviceId, strategy }, instanceId, paths, sticky, areFresh }: Look,
  max: number,
  { stores, traffic }: FabricServices,
): Promise<readonly Target[]> {
  const pathCosts = new Map([...paths].map(([id, { cost }]) => [id, cost]));
  const read = (asked: string) =>
    stores.hostedTerminators.targets({ serviceId, instanceId, pathCosts, strategy, sticky: asked, max });
  const kept = areFresh
    ? await read(sticky)
    : await traffic.memory.targets({ serviceId, instanceId, routerId, max }, paths, () => read(''));
  // What is kept is for all dialers: the one that this dialer had may be none of it.
  const isLeftOut = sticky !== '' && kept.length === max && !kept.some(({ id }) => id === sticky);
  const found = isLeftOut && !areFresh ? await read(sticky) : kept;
  return found.map((target) => ({
    ...target,
    dynamicCost: traffic.costs.of(target.id),
    pathCost: paths.get(target.routerId)?.cost ?? 0,
  }));
}
