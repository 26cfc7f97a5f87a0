/**
 * Events of the fabric for one reader, as JSON: sessions, controllers, routers, links, circuits and terminators that
 * come and go, found by comparing what all controllers know of them; what routers of this controller measured; changes
 * of entities; and counts.
 */
import { DomainError } from '../../domain/errors.js';
import type { Terminator } from '../../domain/model.js';
import type { Router } from '../../domain/router.js';
import type { ShownCircuit, ShownLink } from '../../domain/fabric/link.js';
import type { WakeableDelay } from '../../domain/scheduling/wakeable-delay.js';
import { changeEvents } from './change-events.js';
import type { FeedParts } from './change-events.js';
import { all } from './comparisons.js';
import { difference } from './differences.js';
import { apiSessionWatch, controllerWatch, sessionWatch } from './session-events.js';
import { trafficEvents } from './traffic-events.js';
import type { Tell } from './traffic-events.js';

/** Kinds of events that there are; `ziti fabric stream` names more. */
const KINDS = [
  'apiSession',
  'circuit',
  'cluster',
  'entityChange',
  'entityCount',
  'link',
  'metrics',
  'router',
  'service',
  'session',
  'terminator',
  'usage',
] as const;
type Kind = (typeof KINDS)[number];

const LOOK_MS = 1_000;
const COUNT_MS = 300_000;

export interface FeedWish {
  readonly kinds: ReadonlySet<Kind>;
  /** Words for what was asked for and will not come. */
  readonly notes: readonly string[];
}

interface Subscription {
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface Subscriptions {
  readonly format?: unknown;
  readonly subscriptions?: unknown;
}

/** @throws DomainError `unparsableBody` */
export function feedWish(body: string): FeedWish {
  const { subscriptions } = parsed(body);
  if (!Array.isArray(subscriptions) || subscriptions.length === 0 || subscriptions.length > 100)
    throw refused('subscriptions must be a list');
  const asked = subscriptions.map(subscriptionIn);
  const isKind = (type: string): type is Kind => (KINDS as readonly string[]).includes(type);
  const types = asked.map(({ type }) => type);
  const kinds = new Set(types.filter(isKind));
  const others = types.filter((type) => !isKind(type));
  if (kinds.size === 0) throw refused(`there are events of these kinds: ${KINDS.join(', ')}`);
  return {
    kinds,
    notes: [...(others.length > 0 ? [`no events of these kinds: ${others.join(', ')}`] : []), ...notesOn(asked)],
  };
}

function subscriptionIn(one: unknown): Subscription {
  const { type, options } = (typeof one === 'object' && one !== null ? one : {}) as Partial<Record<string, unknown>>;
  if (typeof type !== 'string') throw refused('a subscription must have a type');
  return { type, options: typeof options === 'object' && options !== null ? { ...options } : {} };
}

/** Options of a subscription that are not followed. */
function notesOn(asked: readonly Subscription[]): string[] {
  const has = (type: string, accepts: (options: Subscription['options']) => boolean) =>
    asked.some((one) => one.type === type && accepts(one.options));
  return [
    ...(has('usage', ({ version = 3 }) => version !== 3) ? ['usage comes in version 3'] : []),
    ...(has('metrics', (options) => Object.keys(options).length > 0) ? ['metrics are not filtered'] : []),
  ];
}

function parsed(body: string): Subscriptions {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) {
      if ('format' in value && value.format !== 'json') throw refused('events are JSON');
      return value;
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
  }
  throw refused('the request is no JSON object');
}

const refused = (causeMessage: string) => new DomainError('unparsableBody', { causeMessage });

/**
 * Sends events until it is ended.
 * @throws DomainError `rateLimited`; `invalidFilter` where there are too many circuits or links to watch
 */
export async function runFeed(
  { kinds }: FeedWish,
  parts: FeedParts,
  send: (event: object) => void,
  { delay, isOver }: { readonly delay: WakeableDelay; readonly isOver: () => boolean },
): Promise<void> {
  const wake = () => {
    delay.wake();
  };
  const changes = kinds.has('entityChange') ? await changeEvents(parts, send, wake) : undefined;
  const tell = tellFor(parts, send);
  const traffic = trafficEvents(kinds, parts.trafficFeed, tell);
  const looks = [...watchesOf(kinds, parts, tell), traffic.look];
  try {
    for (const look of looks) await look();
    while (!isOver()) {
      await delay.wait(LOOK_MS);
      if (isOver() || changes?.isOver() === true) return;
      for (const look of looks) await look();
    }
  } finally {
    traffic.close();
    changes?.close();
  }
}

type Look = () => Promise<void>;

const tellFor =
  ({ controllerId }: Pick<FeedParts, 'controllerId'>, send: (event: object) => void): Tell =>
  (namespace, members, at = new Date()) => {
    send({ namespace, event_src_id: controllerId, timestamp: at.toISOString(), ...members });
  };

/** Looks at what there is; each call tells what is different from the one before. */
function watchesOf(kinds: ReadonlySet<Kind>, { stores }: FeedParts, tell: Tell): Look[] {
  const looks: Readonly<Record<Kind, Look | undefined>> = {
    apiSession: apiSessionWatch(stores, tell),
    circuit: circuitWatch(stores, tell),
    cluster: controllerWatch(stores, tell),
    entityChange: undefined,
    entityCount: countWatch(stores, tell),
    link: linkWatch(stores, tell),
    metrics: undefined,
    router: routerWatch(stores, tell),
    service: undefined,
    session: sessionWatch(stores, tell),
    terminator: terminatorWatch(stores, tell),
    usage: undefined,
  };
  return [...kinds].flatMap((kind) => looks[kind] ?? []);
}

function circuitWatch({ circuits }: FeedParts['stores'], tell: Tell): Look {
  const told = (type: string, circuit: ShownCircuit, at?: Date) => {
    tell('circuit', { version: 2, event_type: type, ...circuitMembers(circuit) }, at);
  };
  return difference(() => all<ShownCircuit>('', (request) => circuits.list(request)), {
    came: (circuit) => {
      told('created', circuit, circuit.createdAt);
    },
    changed: (circuit) => {
      told('pathUpdated', circuit);
    },
    left: (circuit) => {
      told('deleted', circuit);
    },
    stateOf: ({ routers, linkIds }) => [...routers.map(({ id }) => id), ...linkIds].join(' '),
  });
}

function linkWatch({ links }: FeedParts['stores'], tell: Tell): Look {
  const connected = (link: ShownLink) => {
    tell('link', { event_type: 'connected', ...linkMembers(link) });
  };
  return difference(() => all<ShownLink>('', (request) => links.list(request)), {
    came: connected,
    changed: connected,
    left: (link) => {
      tell('link', { event_type: 'fault', ...linkMembers(link) });
    },
    stateOf: ({ iteration }) => String(iteration),
  });
}

function routerWatch({ routers }: FeedParts['stores'], tell: Tell): Look {
  const told = (isOnline: boolean, id: string) => {
    const type = isOnline ? 'router-online' : 'router-offline';
    tell('router', { event_type: type, router_id: id, router_online: isOnline });
  };
  return difference(() => all<Router>('connected = true', (request) => routers.listOfFabric(request)), {
    came: ({ id }) => {
      told(true, id);
    },
    changed: () => undefined,
    left: ({ id }) => {
      told(false, id);
    },
    stateOf: () => '',
  });
}

function terminatorWatch({ fabricTerminators }: FeedParts['stores'], tell: Tell): Look {
  const told = (type: string, terminator: Terminator) => {
    tell('terminator', { event_type: type, ...terminatorMembers(terminator) });
  };
  return difference(() => all<Terminator>('', (request) => fabricTerminators.list(request)), {
    came: (terminator) => {
      told('created', terminator);
    },
    changed: (terminator) => {
      told('updated', terminator);
    },
    left: (terminator) => {
      told('deleted', terminator);
    },
    stateOf: ({ service, router, cost, precedence }) => [service.id, router.id, cost, precedence].join(' '),
  });
}

function countWatch({ summary }: FeedParts['stores'], tell: Tell): Look {
  let countedAt = -Infinity;
  return async () => {
    if (performance.now() - countedAt < COUNT_MS) return;
    countedAt = performance.now();
    const totals = [...(await summary.counts())].map(([kind, total]) => [inCamelCase(kind), total]);
    tell('entityCount', { counts: Object.fromEntries(totals) as object });
  };
}

const circuitMembers = ({ id, clientId, service, terminatorId, routers, linkIds, cost }: ShownCircuit) => ({
  circuit_id: id,
  client_id: clientId,
  service_id: service.id,
  terminator_id: terminatorId,
  path: { nodes: routers.map((router) => router.id), links: linkIds },
  link_count: linkIds.length,
  path_cost: cost,
});

const linkMembers = (link: ShownLink) => ({
  link_id: link.id,
  src_router_id: link.sourceRouter.id,
  dst_router_id: link.destRouter.id,
  protocol: link.protocol,
  dial_address: link.dialAddress,
  cost: link.cost,
  connections: link.connections.map(({ type, localAddress, remoteAddress }) => ({
    id: type,
    local_addr: localAddress,
    remote_addr: remoteAddress,
  })),
});

const terminatorMembers = ({ id, service, router, ...terminator }: Terminator) => ({
  service_id: service.id,
  terminator_id: id,
  router_id: router.id,
  host_id: terminator.hostId,
  instance_id: terminator.instanceId,
  precedence: terminator.precedence,
  static_cost: terminator.cost,
  dynamic_cost: terminator.dynamicCost,
});

const inCamelCase = (kind: string) => kind.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
