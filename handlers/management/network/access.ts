/** The picture of who reaches what in the network as a whole, and its lists. */
import { holds } from '../../../domain/auth/rights.js';
import type { Rights } from '../../../domain/auth/rights.js';
import { notFound, invalidField } from '../../../domain/errors.js';
import { bitsIn } from '../../../domain/network-access/bits.js';
import type { IdentityFacts, NetworkFacts, ServiceFacts } from '../../../domain/network-access/facts.js';
import { isWished, stateOfOutcome, STOPS, UNKNOWN } from '../../../domain/network-access/outcomes.js';
import type { StateWish } from '../../../domain/network-access/outcomes.js';
import { pictureOf } from '../../../domain/network-access/picture.js';
import type { Visible } from '../../../domain/network-access/visible.js';
import { AccessWorld } from '../../../domain/network-access/world.js';
import type { IdentityClass } from '../../../domain/network-access/world.js';
import type { NamedRef, PolicyType } from '../../../domain/model.js';
import { attributeGroup, entityGroup } from '../../../domain/policy/role-groups.js';
import { selects } from '../../../domain/policy/roles.js';
import type * as Response from '../../../generated/management/response.js';
import type { SelectedIdentity } from '../../../db/stores/network-access-view.js';
import type { Stores } from '../../../db/stores/stores.js';
import type { Context } from '../../context.js';
import { toNetworkAccess } from '../../forms/network-access-model.js';
import { listOf, ok } from '../../handler.js';
import type { Handler } from '../../handler.js';
import { classesIn, turns } from '../../kept-worlds.js';
import type { KeptWorld } from '../../kept-worlds.js';

/** GET /network/access. Fails: `notFound`, also for what the caller may not read; `invalidField`. */
export const detailNetworkAccess: Handler<'management', 'detailNetworkAccess'> = async ({ query, caller }, context) => {
  const { stores } = context;
  const visible = visibleTo(caller);
  const isSeen = { identities: holds(caller, 'identity.read'), services: holds(caller, 'service.read') };
  if (query.identityId !== undefined && query.role !== undefined)
    throw invalidField('role', 'ask for an identity or for a role', query.role);
  const kept = await keptFor(query.type, context);
  const world = narrowed(kept.world, query.policyId);
  const pause = turns();
  const { classes, focus } = isSeen.identities
    ? await askedIdentities(query, world, kept, stores)
    : askedBlindly(query);
  const service = query.serviceId === undefined ? null : serviceIn(world.facts, query.serviceId, isSeen.services);
  const names = isSeen.identities ? await kept.names(stores) : NO_NAMES;
  const picture = await pictureOf(world, {
    identities: {
      classes,
      focus: focus?.group ?? null,
      nameOf: (id) => focus?.name ?? names.get(id),
      isSeen: isSeen.identities,
    },
    services: {
      classes: service === null ? world.services : [world.serviceClass(service)],
      focus: service === null ? null : entityGroup(service.id),
      nameOf: (id) => (isSeen.services ? world.serviceNames.get(id) : undefined),
      isSeen: isSeen.services,
    },
    state: query.state ?? null,
    text: query.q ?? null,
    nodes: query.nodes ?? NODES,
    visible,
    pause,
  });
  const { type, now } = world.facts;
  const hidden = [
    ...(['identities', 'services'] as const).filter((side) => !isSeen[side]),
    ...(['posture', 'routers', 'terminators', 'path'] as const).filter((link) => !visible[link]),
  ];
  const hasChecks = holds(caller, 'posture-check.read');
  return ok(toNetworkAccess(picture, { type, asOf: now, hidden, hasChecks, isSeen }));
};

/** GET /network/access/identities. Fails: `notFound`. */
export const listNetworkAccessIdentities: Handler<'management', 'listNetworkAccessIdentities'> = async (
  { query: { serviceId, type, policyId, state, roles = [], ...page }, caller },
  context,
) => {
  const { networkAccess } = context.stores;
  const visible = visibleTo(caller);
  const { world: whole } = await keptFor(type, context);
  const world = narrowed(whole, policyId);
  const service = world.serviceClass(serviceIn(world.facts, serviceId, true));
  const wish = { policies: bitsIn(service.policies).flatMap((index) => world.facts.policies[index] ?? []), roles };
  const request = { ...page, reader: caller };
  const outcomeOf = ({ facts }: SelectedIdentity) => world.outcome(world.identityClass(facts), service, visible);
  if (state === undefined)
    return listOf(await networkAccess.selected(wish, request), (found) => toReached(found, outcomeOf(found)));
  const pause = turns();
  const outcomes = new Map<string, number>();
  for (const found of await networkAccess.allSelected(wish)) {
    const outcome = outcomeOf(found);
    if (outcome !== undefined && isAsked(outcome, state)) outcomes.set(found.id, outcome);
    await pause();
  }
  const items = await networkAccess.identitiesOf([...outcomes.keys()], request);
  return listOf(items, (found) => toReached(found, outcomes.get(found.id)));
};

/** GET /network/access/services. Fails: `notFound`. */
export const listNetworkAccessServices: Handler<'management', 'listNetworkAccessServices'> = async (
  { query: { identityId, type, policyId, state, roles = [], ...page }, caller },
  context,
) => {
  const visible = visibleTo(caller);
  const { world: whole } = await keptFor(type, context);
  const world = narrowed(whole, policyId);
  const [facts] = await identityIn(world.facts, identityId, context.stores);
  const outcomes = new Map<string, number>();
  if (facts !== undefined) {
    const identity = world.identityClass(facts);
    for (const service of world.facts.services) {
      if (!roles.every((role) => selects('AllOf', [role], service))) continue;
      const outcome = world.outcome(identity, world.serviceClass(service), visible);
      if (outcome !== undefined && isAsked(outcome, state)) outcomes.set(service.id, outcome);
    }
  }
  const items = await context.stores.networkAccess.servicesOf([...outcomes.keys()], { ...page, reader: caller });
  return listOf(items, (found) => toReached(found, outcomes.get(found.id)));
};

/** Default, as the document has it. */
const NODES = 50;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The same permissions as for the links of an explanation. */
function visibleTo(caller: Rights): Visible {
  const [identity, router, terminator] = (['identity.read', 'router.read', 'terminator.read'] as const).map((each) =>
    holds(caller, each),
  ) as [boolean, boolean, boolean];
  return {
    identity,
    posture: identity && holds(caller, 'posture-check.read'),
    routers: router,
    terminators: terminator && router && identity,
    path: terminator && router,
  };
}

async function keptFor(type: PolicyType | undefined, { epochs, stores, worlds }: Context): Promise<KeptWorld> {
  return worlds.of(type ?? 'Dial', await epochs.advice.current(stores), stores);
}

/** The same world as if there were only this policy. */
function narrowed(world: AccessWorld, policyId: string | undefined): AccessWorld {
  if (policyId === undefined) return world;
  const policies = world.facts.policies.filter(({ id }) => id === policyId);
  if (policies.length === 0) throw notFound('service policy', policyId);
  return new AccessWorld({ ...world.facts, policies });
}

type Focus = { readonly group: ReturnType<typeof entityGroup>; readonly name?: string } | null;

interface Asked {
  readonly classes: readonly IdentityClass[];
  readonly focus: Focus;
}

async function askedIdentities(
  { identityId, role }: { readonly identityId?: string; readonly role?: string },
  world: AccessWorld,
  kept: KeptWorld,
  stores: Stores,
): Promise<Asked> {
  const { facts } = world;
  const told = (identities: readonly IdentityFacts[]) => classesIn(world, identities, turns());
  if (identityId !== undefined) {
    const name = (await stores.networkAccess.names([identityId])).get(identityId);
    const classes = await told(await identityIn(facts, identityId, stores));
    return { classes, focus: { group: entityGroup(identityId), ...(name === undefined ? {} : { name }) } };
  }
  if (role !== undefined) {
    const classes = await told(await stores.networkAccess.identities(facts, { attribute: role }));
    return { classes, focus: { group: attributeGroup([role]) } };
  }
  // Another world, of one policy, tells identities apart by that one.
  const classes = world === kept.world ? kept.classes(stores) : told(await stores.networkAccess.identities(facts, {}));
  return { classes: await classes, focus: null };
}

function askedBlindly({ identityId, role }: { readonly identityId?: string; readonly role?: string }): Asked {
  if (identityId !== undefined) throw notFound('identity', identityId);
  if (role !== undefined) throw notFound('role attribute', role);
  return { classes: [], focus: null };
}

async function identityIn(facts: NetworkFacts, id: string, stores: Stores): Promise<IdentityFacts[]> {
  const found = await stores.networkAccess.identities(facts, { identityId: id });
  if (found.length === 0) throw notFound('identity', id);
  return found;
}

function serviceIn({ services }: NetworkFacts, id: string, isSeen: boolean): ServiceFacts {
  const found = isSeen ? services.find((service) => service.id === id) : undefined;
  if (found === undefined) throw notFound('service', id);
  return found;
}

const isAsked = (outcome: number, state: StateWish | undefined): boolean =>
  state === undefined || isWished(stateOfOutcome(outcome), state);

/** @param outcome  undefined: it was lost since the world was read, a second ago at most */
const toReached = ({ id, name }: NamedRef, outcome = UNKNOWN): Response.NetworkAccessReached => ({
  id,
  name,
  state: stateOfOutcome(outcome),
  cause: STOPS[outcome] ?? null,
});
