/** Links of the chain that carry the traffic: routers, terminators, and the path between them. */
import type { ChainItem, ChainLink } from './explanation.js';
import type { AccessFacts, RouterFact, TerminatorFact } from './facts.js';

const routerItem = ({ id, name, isOnline, isDisabled }: RouterFact): ChainItem => ({
  entity: 'edge-routers',
  id,
  name,
  isPassing: isOnline,
  finding: isOnline ? 'online.' : isDisabled ? 'disabled.' : 'offline.',
});

export function routerLink({ routers }: AccessFacts): ChainLink {
  const step = 'routers';
  const { ofIdentity, ofService, common, shown, onlineIds, asked } = routers;
  const items = (asked === null ? shown : [asked]).map(routerItem);
  if (common === 0) {
    const [what, remedy] =
      ofIdentity === 0
        ? ['no edge router policy gives the identity a router.', 'Make an edge router policy for the identity.']
        : ofService === 0
          ? ['no service edge router policy gives the service a router.', 'Make one for the service.']
          : [
              `the identity has ${ofIdentity} and the service ${ofService} routers, and none in common.`,
              'Let a router policy of either give it a router of the other.',
            ];
    return { step, state: 'stops', cause: 'NO_COMMON_ROUTER', finding: what, remedy, items };
  }
  if (asked !== null) return askedLink(asked, items);
  if (onlineIds.length > 0) {
    const finding = `${onlineIds.length} of ${common} common routers ${onlineIds.length === 1 ? 'is' : 'are'} online.`;
    return { step, state: 'passes', finding, items };
  }
  return {
    step,
    state: 'stops',
    cause: 'ROUTERS_OFFLINE',
    finding: `none of ${common} common routers is online.`,
    remedy: shown.every(({ isDisabled }) => isDisabled) ? 'Enable one of them.' : 'Start one of them.',
    items,
  };
}

function askedLink(
  { name, isOnline, isDisabled, isForIdentity, isForService }: NonNullable<AccessFacts['routers']['asked']>,
  items: readonly ChainItem[],
): ChainLink {
  const step = 'routers';
  if (!isForIdentity || !isForService) {
    const whom = isForIdentity ? 'service' : 'identity';
    return {
      step,
      state: 'stops',
      cause: 'ROUTER_NOT_ALLOWED',
      finding: `no router policy gives the ${whom} the router ${name}.`,
      remedy: isForIdentity
        ? 'Select it in a service edge router policy of the service, or use another one.'
        : 'Select it in an edge router policy of the identity, or use another one.',
      items,
    };
  }
  if (isOnline) return { step, state: 'passes', finding: `the router ${name} is online.`, items };
  return {
    step,
    state: 'stops',
    cause: 'ROUTER_OFFLINE',
    finding: `the router ${name} is ${isDisabled ? 'disabled' : 'offline'}.`,
    remedy: isDisabled ? 'Enable it.' : 'Start it.',
    items,
  };
}

function terminatorItem({ id, host, router, isRouterOnline, instanceId }: TerminatorFact): ChainItem {
  const by = host === null ? 'made by an administrator' : `of ${host.name}`;
  const named = instanceId === '' ? '' : `, for dials of ${instanceId}`;
  return {
    entity: 'terminators',
    id,
    name: id,
    isPassing: isRouterOnline,
    finding: `${by}, at the router ${router.name}, which is ${isRouterOnline ? 'online' : 'offline'}${named}.`,
  };
}

export function terminatorLink({ terminators, service }: AccessFacts): ChainLink {
  const step = 'terminators';
  const { count, plainCount, shown, routerIds } = terminators;
  const items = shown.map(terminatorItem);
  const stop = { step, state: 'stops', items } as const;
  if (count === 0) {
    return {
      ...stop,
      cause: 'NO_TERMINATOR',
      finding: `no identity hosts ${service.name}.`,
      remedy: 'Start a host of it; if it runs, explain how it may host: --bind, or type Bind.',
    };
  }
  if (plainCount === 0) {
    return {
      ...stop,
      cause: 'ONLY_NAMED_TERMINATORS',
      finding: `all ${count} terminators are for dials that name one of them.`,
      remedy: 'Dial with the name of an instance.',
    };
  }
  if (routerIds.length === 0) {
    return {
      ...stop,
      cause: 'TERMINATORS_OFFLINE',
      finding: 'the routers of all its terminators are offline.',
      remedy: 'Start one of those routers.',
    };
  }
  return { step, state: 'passes', finding: `${plainCount} terminator${plainCount === 1 ? '' : 's'}.`, items };
}

export function pathLink({ terminators, routers }: AccessFacts): ChainLink {
  const step = 'path';
  const starts = routers.asked === null ? routers.onlineIds.length : Number(routers.asked.isOnline);
  if (terminators.routerIds.length === 0 || starts === 0)
    return { step, state: 'skipped', finding: 'there are no two ends for a path.', items: [] };
  if (terminators.reached > 0) {
    const { reached, routerIds } = terminators;
    const finding = `${reached} of ${routerIds.length} routers with a terminator can be reached.`;
    return { step, state: 'passes', finding, items: [] };
  }
  return {
    step,
    state: 'stops',
    cause: 'NO_PATH',
    finding: 'no links lead from the routers of the identity to a router with a terminator.',
    remedy: 'Let the routers link to each other: look at their link listeners and at `ziti fabric list links`.',
    items: [],
  };
}
