/** The hot statements: what requests make the stores send, with values as requests have them. */
import type { Stores } from '../../db/stores/stores.js';
import type { ListQuery } from '../../db/filter/index.js';
import { listServicesOf } from '../../handlers/access/service-views.js';
import { GROUPS, idOf, tokenHashOf } from './scale.js';
import type { Scale } from './scale.js';
import { changes } from './changes.js';
import { fabricStatements } from './fabric.js';
import { postureStatements } from './posture.js';
import { useOf } from './hot.js';
import type { Facts, Hot } from './hot.js';

const ADMINISTRATOR = { isAdmin: true, permissions: [] };
const DELEGATE = { isAdmin: false, permissions: ['enrollment'] };
export async function factsOf(stores: Stores, scale: Scale): Promise<Facts> {
  const middle = Math.floor(scale.identities / 2);
  const identityIndex = middle - (middle % GROUPS);
  const identity = await stores.identities.get(idOf('identity', identityIndex));
  const service = await stores.services.get(idOf('service', identityIndex % GROUPS));
  return {
    ...scale,
    identity,
    identityIndex,
    identityName: identity.name,
    service,
    serviceName: service.name,
    configTypes: await stores.configTypes.resolve(['intercept.v1']),
  };
}

/** `000042-` in the middle: what one name contains. */
const uniquePart = ({ identityName }: Facts): string =>
  identityName.slice('bench-identity-'.length, 'bench-identity-'.length + 7);
const viewer = (stores: Stores, { identity, configTypes }: Facts) => ({
  identityId: identity.id,
  grants: () => stores.access.grants(identity),
  configTypes,
});
const ownServices = (stores: Stores, { identity, configTypes }: Facts, request: ListQuery) =>
  listServicesOf(identity, request, configTypes, stores);
const LONG_PAGE = 'a page that holds a good part of all identities reads theirs at once';
const COUNTS_VISIBLE = 'its total counts the enrollments of identities that are not above the caller';
const FEW_PER_CENT = 'matches more than a few per cent of all';

const identities: readonly Hot[] = [
  { name: 'identity-by-id', act: ({ identities: store }, { identity }) => store.get(identity.id) },
  {
    name: 'identity-by-id-or-name',
    act: ({ identities: store }, { identityName }) => store.findByIdOrName(identityName),
  },
  { name: 'identities-10', act: ({ identities: store }) => store.list({ limit: 10 }) },
  {
    name: 'identities-500',
    act: ({ identities: store }) => store.list({ limit: 500 }),
    scans: { api_sessions: LONG_PAGE, authenticators: LONG_PAGE },
  },
  {
    name: 'identities-deep-page',
    act: ({ identities: store }, { identities: all }) => store.list({ limit: 10, offset: Math.floor(all * 0.9) }),
    scans: { identities: 'skips nine tenths of all' },
  },
  {
    name: 'identities-deep-page-by-name',
    act: ({ identities: store }, { identities: all }) =>
      store.list({ limit: 10, offset: Math.floor(all * 0.9), sort: 'name desc' }),
    scans: { identities: 'skips nine tenths of all' },
  },
  { name: 'identities-sorted-by-name', act: ({ identities: store }) => store.list({ limit: 10, sort: 'name' }) },
  { name: 'identities-newest', act: ({ identities: store }) => store.list({ limit: 10, sort: 'createdAt desc' }) },
  {
    name: 'identity-by-name',
    act: ({ identities: store }, { identityName }) => store.list({ filter: `name = "${identityName}"` }),
  },
  {
    name: 'identities-contains-one',
    act: ({ identities: store }, facts) => store.list({ filter: `name contains "${uniquePart(facts)}"` }),
  },
  {
    name: 'identities-contains-one-sorted',
    act: ({ identities: store }, facts) => store.list({ filter: `name contains "${uniquePart(facts)}" sort by name` }),
  },
  {
    name: 'identities-icontains-one',
    act: ({ identities: store }, facts) => store.list({ filter: `name icontains "${uniquePart(facts)}"` }),
  },
  {
    name: 'identities-contains-many',
    act: ({ identities: store }) => store.list({ filter: 'name contains "lyon" sort by name' }),
    scans: { identities: FEW_PER_CENT },
  },
  {
    name: 'identities-contains-two-letters',
    act: ({ identities: store }) => store.list({ filter: 'name contains "ly"' }),
    scans: { identities: 'contains with fewer than three letters' },
  },
  {
    name: 'identities-by-attribute-selective',
    act: ({ identities: store }) => store.list({ filter: 'anyOf(roleAttributes) = "bench-site-7"' }),
  },
  {
    name: 'identities-by-attribute-broad',
    act: ({ identities: store }) => store.list({ filter: 'anyOf(roleAttributes) = "bench-dept-7"' }),
  },
  {
    name: 'identities-by-attribute-not-admin',
    act: ({ identities: store }) =>
      store.list({ filter: 'anyOf(roleAttributes) = "bench-site-7" and isAdmin = false' }),
  },
  { name: 'identities-role-filter', act: ({ identities: store }) => store.list({ roleFilter: ['#bench-site-7'] }) },
  {
    name: 'identities-by-type',
    act: ({ identities: store }) => store.list({ filter: 'type = "Device"' }),
    scans: { identities: FEW_PER_CENT },
  },
  {
    name: 'identities-by-tag',
    act: ({ identities: store }) => store.list({ filter: 'tags.town = "lyon"' }),
    scans: { identities: FEW_PER_CENT },
  },
  {
    name: 'identities-by-rare-tag',
    act: ({ identities: store }) => store.list({ filter: 'tags.town in ["york", "zagreb"]' }),
  },
  { name: 'identity-role-attributes-epoch', act: ({ roleAttributes }) => roleAttributes.epoch('identities') },
  {
    name: 'identity-role-attributes',
    act: ({ roleAttributes }) => roleAttributes.list('identities', {}),
    scans: { role_attribute_counts: 'answers with all of them' },
  },
  {
    name: 'identity-role-attributes-10',
    act: ({ roleAttributes }) => roleAttributes.list('identities', { limit: 10 }),
    scans: { role_attribute_counts: 'its total counts all of them' },
  },
  {
    name: 'identity-service-configs',
    act: ({ identityServiceConfigs }, { identity }) => identityServiceConfigs.list(identity.id, {}),
  },
  {
    name: 'identity-authenticators',
    act: ({ authenticators }, { identity }) => authenticators.list({ filter: `identity = "${identity.id}"` }),
  },
  {
    name: 'identity-enrollments',
    act: ({ enrollments }, { identity }) =>
      enrollments.list({ caller: ADMINISTRATOR, filter: `identity = "${identity.id}"` }),
  },
  { name: 'auth-policy-of-identity', act: ({ authPolicies }, { identity }) => authPolicies.ofIdentity(identity.id) },
];

const access: readonly Hot[] = [
  {
    name: 'session-by-token',
    act: ({ apiSessions }, { identityIndex }) => apiSessions.findOwner(tokenHashOf(identityIndex / 2), 1800),
  },
  { name: 'login-by-username', act: ({ authenticators }) => authenticators.credentialsByUsername('bench-user-000007') },
  { name: 'api-sessions-10', act: ({ apiSessions }) => apiSessions.list({ limit: 10 }) },
  { name: 'api-session-by-id', act: ({ apiSessions }) => apiSessions.get(idOf('api-session', 7)) },
  { name: 'authenticators-10', act: ({ authenticators }) => authenticators.list({ limit: 10 }) },
  { name: 'enrollments-10', act: ({ enrollments }) => enrollments.list({ caller: ADMINISTRATOR, limit: 10 }) },
  {
    name: 'enrollments-10-delegate',
    act: ({ enrollments }) => enrollments.list({ caller: DELEGATE, limit: 10 }),
    scans: { enrollments: COUNTS_VISIBLE, identities: COUNTS_VISIBLE },
  },
  { name: 'grants', act: ({ access: view }, { identity }) => view.grants(identity) },
  { name: 'access-epoch', act: ({ access: view }) => view.epoch() },
  {
    name: 'service-updates',
    act: ({ access: view }, { identity, configTypes }) => view.lastView(identity.id, configTypes),
  },
  { name: 'client-services-10', act: (stores, facts) => ownServices(stores, facts, { limit: 10 }) },
  {
    name: 'client-services-500',
    act: (stores, facts) => ownServices(stores, facts, { limit: 500 }),
    scans: { services: FEW_PER_CENT },
  },
  {
    name: 'client-services-all',
    act: (stores, facts) => ownServices(stores, facts, { limit: -1 }),
    scans: { services: FEW_PER_CENT },
  },
  {
    name: 'client-service-by-id',
    act: (stores, facts) => stores.services.findView(facts.service.id, viewer(stores, facts)),
  },
  {
    name: 'client-service-by-name',
    act: (stores, facts) => ownServices(stores, facts, { filter: `name = "${facts.serviceName}"` }),
  },
  { name: 'all-services-10', act: (stores, facts) => stores.services.listViews({ limit: 10 }, viewer(stores, facts)) },
  {
    name: 'identity-policies',
    act: ({ servicePolicies }, { identity }) => servicePolicies.list({ naming: { identityRoles: identity } }),
  },
  {
    name: 'service-identities',
    act: async ({ access: view, identities: store }, { service }) =>
      store.list({ selectedBy: await view.identityRolesFor(service) }),
  },
  { name: 'policy-advice', act: ({ advice }, { identity, service }) => advice.on(identity.id, service.id) },
  { name: 'sessions-10', act: ({ sessions }) => sessions.list({ limit: 10 }, null) },
  { name: 'own-sessions', act: ({ sessions }, { identity }) => sessions.list({}, identity.id) },
  {
    name: 'session-by-id',
    act: ({ sessions }, { identity, identityIndex }) => sessions.get(idOf('session', identityIndex), identity.id),
  },
  { name: 'session-ground', act: ({ sessions }, facts) => sessions.findBasis(useOf(facts)) },
];

const others: readonly Hot[] = [
  { name: 'configs-10', act: ({ configs }) => configs.list({ limit: 10 }) },
  { name: 'service-by-id', act: ({ services }, { service }) => services.get(service.id) },
  {
    name: 'configs-of-service',
    act: ({ configs }, { service }) => configs.list({ ofService: service.id }),
  },
  {
    name: 'configs-of-type',
    act: ({ configs }, { configTypes }) => configs.list({ limit: 10, ofType: configTypes[0] ?? '' }),
    scans: { configs: FEW_PER_CENT },
  },
  { name: 'service-policies-10', act: ({ servicePolicies }) => servicePolicies.list({ limit: 10 }) },
  { name: 'terminators-10', act: ({ terminators }) => terminators.list({ limit: 10 }) },
  {
    name: 'terminators-of-service',
    act: ({ terminators }, { service }) => terminators.list({ ofService: service.id }),
  },
  { name: 'edge-routers-10', act: ({ routers }) => routers.listEdge({ limit: 10 }) },
  {
    name: 'edge-routers-verified-by-attribute',
    act: ({ routers }) => routers.listEdge({ filter: 'anyOf(roleAttributes) = "bench-zone-1" and isVerified = true' }),
  },
  {
    name: 'routers-of-identity',
    act: async ({ routerAccess, routers }, { identity }) =>
      routers.listEdge({ selectedBy: await routerAccess.routersForIdentity(identity) }),
  },
  { name: 'summary', act: ({ summary }) => summary.counts() },
];

export const hotStatements: readonly Hot[] = [
  ...identities,
  ...access,
  ...others,
  ...postureStatements,
  ...fabricStatements,
  ...changes,
];
