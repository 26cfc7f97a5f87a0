/**
 * The seed's lesser part: routers, policies that open them all to all identities, terminators, posture checks and
 * sessions.
 */
import { forEachParallel } from './api-client.js';
import type { ApiClient } from './api-client.js';
import { ensureAll, number } from './ensure.js';
import type { Entities } from './ensure.js';
import type { Known, Named, World } from './world.js';

const EDGE_ROUTERS = 10;
const TRANSIT_ROUTERS = 5;
const POSTURE_CHECKS = 10;
const MOST_TERMINATORS = 100;
const MOST_SESSIONS = 100;

const of = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

type Routing = Pick<
  World,
  | 'edgeRouters'
  | 'transitRouters'
  | 'edgeRouterPolicies'
  | 'serviceEdgeRouterPolicies'
  | 'postureChecks'
  | 'checkedPolicy'
  | 'terminators'
>;

export async function seedRouting(admin: ApiClient, label: string, services: readonly Named[]): Promise<Routing> {
  const ensure = (what: Entities) => ensureAll<Named>(admin, label, what);
  const edgeRouters = await ensure({
    path: 'edge-routers',
    prefix: 'bench-edge-',
    count: EDGE_ROUTERS,
    body: (index) => ({
      name: `bench-edge-${number(index)}`,
      roleAttributes: ['bench-edge', `bench-zone-${index % 2}`],
    }),
  });
  const transitRouters = await ensure({
    path: 'transit-routers',
    prefix: 'bench-transit-',
    count: TRANSIT_ROUTERS,
    body: (index) => ({ name: `bench-transit-${number(index)}` }),
  });
  const edgeRouterPolicies = await ensure({
    path: 'edge-router-policies',
    prefix: 'bench-reach-',
    count: 1,
    body: (index) => ({
      name: `bench-reach-${number(index)}`,
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    }),
  });
  const serviceEdgeRouterPolicies = await ensure({
    path: 'service-edge-router-policies',
    prefix: 'bench-carry-',
    count: 1,
    body: (index) => ({
      name: `bench-carry-${number(index)}`,
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    }),
  });
  const postureChecks = await ensure({
    path: 'posture-checks',
    prefix: 'bench-check-',
    count: POSTURE_CHECKS,
    body: (index) => ({
      name: `bench-check-${number(index)}`,
      typeId: 'DOMAIN',
      domains: [`bench-${index}.example.org`],
      roleAttributes: ['bench-check'],
    }),
  });
  const [checkedPolicy] = await ensure({
    path: 'service-policies',
    prefix: 'bench-checked-',
    count: 1,
    body: (index) => ({
      name: `bench-checked-${number(index)}`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#bench-nobody'],
      serviceRoles: ['#bench-nothing'],
      postureCheckRoles: ['#bench-check'],
    }),
  });
  if (checkedPolicy === undefined) throw new Error('the policy with posture checks is missing');
  const terminators = await ensureAll<Known>(admin, label, {
    path: 'terminators',
    prefix: 'bench-address-',
    key: 'address',
    count: Math.min(services.length, MOST_TERMINATORS),
    body: (index) => ({
      service: of(services, index).id,
      router: of(edgeRouters, index).id,
      binding: 'edge',
      address: `bench-address-${number(index)}`,
    }),
  });
  return {
    edgeRouters,
    transitRouters,
    edgeRouterPolicies,
    serviceEdgeRouterPolicies,
    postureChecks,
    checkedPolicy,
    terminators,
  };
}

/** They end with the client's API session. A controller that grants none has none: the cases that need them say so. */
export async function seedSessions(client: ApiClient, services: readonly Named[]): Promise<Known[]> {
  const sessions: Known[] = [];
  await forEachParallel(services.slice(0, MOST_SESSIONS), async ({ id }) => {
    const { status, data } = await client.send('POST', '/edge/client/v1/sessions', { serviceId: id, type: 'Dial' });
    if (status === 201) sessions.push({ id: (data as Known).id });
  });
  return sessions;
}
