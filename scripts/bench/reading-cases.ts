/** The cases that change nothing. */
import { growing, reading } from './case.js';
import type { BenchCase } from './case.js';
import { configs, each, filtered, groups, identities, one, policies, query, services } from './paths.js';
import type { Named, World } from './world.js';

/** `07-haifa-laptop` of `bench-identity-000007-haifa-laptop`: what few or one of all names contain. */
const tail = ({ name }: Named): string => name.slice('bench-identity-0000'.length);
/** `000007-haifa`: what one name contains, however many there are. */
const unique = ({ name }: Named): string => name.slice('bench-identity-'.length).replace(/-[a-z]+$/, '');
const deep = ({ identities: { length } }: World) => [
  query({ limit: 10, offset: Math.max(0, Math.floor(length * 0.9) - 10) }),
];
/** Ten names each contain one of these. */
const TENS = Array.from({ length: 10 }, (_, index) => `-0000${index}`);

const informational: readonly BenchCase[] = [
  reading('version', 'client', 'listVersion', one('/version'), 'nobody'),
  reading('root', 'client', 'listRoot', one('/'), 'nobody'),
  reading('capabilities', 'client', 'listEnumeratedCapabilities', one('/enumerated-capabilities'), 'nobody'),
  reading('protocols', 'client', 'listProtocols', one('/protocols'), 'nobody'),
  reading('network jwts', 'client', 'listNetworkJWTs', one('/network-jwts'), 'nobody'),
  reading('cacerts', 'client', 'listWellKnownCas', one('/.well-known/est/cacerts'), 'nobody'),
  reading('controllers', 'client', 'listControllers', one('/controllers'), 'client'),
  reading('specs', 'client', 'listSpecs', one('/specs'), 'nobody'),
  reading('spec', 'client', 'detailSpec', one('/specs/edge-client'), 'nobody'),
  reading('spec document', 'client', 'detailSpecBody', one('/specs/edge-client/spec'), 'nobody'),
];

const own: readonly BenchCase[] = [
  reading('current API session', 'client', 'getCurrentAPISession', one('/current-api-session'), 'client'),
  reading('current identity', 'client', 'getCurrentIdentity', one('/current-identity'), 'client'),
  reading(
    'own authenticators',
    'client',
    'listCurrentIdentityAuthenticators',
    one('/current-identity/authenticators'),
    'client',
  ),
  reading(
    'own authenticator by id',
    'client',
    'detailCurrentIdentityAuthenticator',
    ({ clientIdentity }) => [`/current-identity/authenticators/${clientIdentity.authenticatorId}`],
    'client',
  ),
  reading('client services 10', 'client', 'listServices', one('/services?limit=10'), 'client'),
  growing(
    'more services',
    reading('client services 500', 'client', 'listServices', one('/services?limit=500'), 'client'),
  ),
  growing(
    'more services',
    reading(
      'client services all configs',
      'client',
      'listServices',
      one('/services?limit=500&configTypes=all'),
      'client',
    ),
  ),
  reading(
    'client service by name',
    'client',
    'listServices',
    each(services, ({ name }) => `/services${filtered(`name = "${name}"`)}`),
    'client',
  ),
  reading(
    'client service by id',
    'client',
    'detailService',
    each(services, ({ id }) => `/services/${id}`),
    'client',
  ),
  reading(
    'client service terminators',
    'client',
    'listServiceTerminators',
    each(services, ({ id }) => `/services/${id}/terminators`),
    'client',
  ),
  reading(
    'client service edge routers',
    'client',
    'listServiceEdgeRouters',
    each(services, ({ id }) => `/services/${id}/edge-routers`),
    'client',
  ),
  reading(
    'own edge routers',
    'client',
    'getCurrentIdentityEdgeRouters',
    one('/current-identity/edge-routers'),
    'client',
  ),
  reading('service updates', 'client', 'listServiceUpdates', one('/current-api-session/service-updates'), 'client'),
];

const list = (name: string, paths: (world: World) => readonly string[]) =>
  reading(name, 'management', 'listIdentities', (world) => paths(world).map((path) => `/identities${path}`), 'admin');

const identityCases: readonly BenchCase[] = [
  reading(
    'identity by id',
    'management',
    'detailIdentity',
    each(identities, ({ id }) => `/identities/${id}`),
    'admin',
  ),
  list('identities 10', one(query({ limit: 10 }))),
  list('identities 500', one(query({ limit: 500 }))),
  growing('skips nine tenths of all', list('identities deep page', deep)),
  list('identities sorted by name', one(query({ limit: 10, sort: 'name' }))),
  list('identities newest', one(query({ limit: 10, sort: 'createdAt desc' }))),
  list(
    'identity by name',
    each(identities, ({ name }) => filtered(`name = "${name}"`)),
  ),
  growing(
    'more names match',
    list(
      'identities contains',
      each(identities, (item) => filtered(`name contains "${tail(item)}"`)),
    ),
  ),
  growing(
    'a thirteenth matches',
    list('identities contains sorted', one(filtered('name contains "lyon" sort by name'))),
  ),
  growing(
    'more names match',
    list(
      'identities icontains',
      each(identities, (item) => filtered(`name icontains "${tail(item).toUpperCase()}"`)),
    ),
  ),
  list(
    'identities contains unique',
    each(identities, (item) => filtered(`name contains "${unique(item)}"`)),
  ),
  list('identities contains ten sorted', () => TENS.map((part) => filtered(`name contains "${part}" sort by name`))),
  list(
    'identities icontains unique',
    each(identities, (item) => filtered(`name icontains "${unique(item).toUpperCase()}"`)),
  ),
  growing(
    'counts a twentieth',
    list(
      'identities anyOf broad',
      groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`)),
    ),
  ),
  list(
    'identities anyOf selective',
    groups((group) => filtered(`anyOf(roleAttributes) = "bench-site-${group}"`)),
  ),
  list('identities total', one(query({ limit: 1 }))),
  growing(
    'counts a twentieth',
    list(
      'identities filtered total',
      groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`, { limit: 1 })),
    ),
  ),
  growing('a thirteenth matches', list('identities by tag', one(filtered('tags.town = "lyon"')))),
  list(
    'identities roleFilter',
    groups((group) => query({ roleFilter: `#bench-site-${group}` })),
  ),
  growing(
    'counts a twentieth of the services',
    reading(
      'identity services',
      'management',
      'listIdentityServices',
      each(identities, ({ id }) => `/identities/${id}/services`),
      'admin',
    ),
  ),
  reading(
    'identity edge routers',
    'management',
    'listIdentityEdgeRouters',
    each(identities, ({ id }) => `/identities/${id}/edge-routers`),
    'admin',
  ),
  reading(
    'router policies of identity',
    'management',
    'listIdentitysEdgeRouterPolicies',
    each(identities, ({ id }) => `/identities/${id}/edge-router-policies`),
    'admin',
  ),
  reading(
    'identity service configs',
    'management',
    'listIdentitysServiceConfigs',
    each(identities, ({ id }) => `/identities/${id}/service-configs`),
    'admin',
  ),
  reading(
    'policy advice',
    'management',
    'getIdentityPolicyAdvice',
    each(identities, ({ id }, { services: all }) => `/identities/${id}/policy-advice/${all[0]?.id ?? ''}`),
    'admin',
  ),
  growing(
    'more attributes',
    reading(
      'identity role attributes',
      'management',
      'listIdentityRoleAttributes',
      one('/identity-role-attributes'),
      'admin',
    ),
  ),
  growing(
    'sorts more attributes',
    reading(
      'identity role attributes 10',
      'management',
      'listIdentityRoleAttributes',
      one('/identity-role-attributes?limit=10'),
      'admin',
    ),
  ),
  reading(
    'identity policies',
    'management',
    'listIdentityServicePolicies',
    each(identities, ({ id }) => `/identities/${id}/service-policies`),
    'admin',
  ),
  reading(
    'identity authenticators',
    'management',
    'getIdentityAuthenticators',
    ({ clientIdentity }) => [`/identities/${clientIdentity.id}/authenticators`],
    'admin',
  ),
  reading(
    'identity enrollments',
    'management',
    'getIdentityEnrollments',
    each(identities, ({ id }) => `/identities/${id}/enrollments`),
    'admin',
  ),
  reading('identity types', 'management', 'listIdentityTypes', one('/identity-types'), 'admin'),
  reading('identity type by id', 'management', 'detailIdentityType', one('/identity-types/Device'), 'admin'),
];

const serviceCases: readonly BenchCase[] = [
  reading('services 10', 'management', 'listServices', one('/services?limit=10'), 'admin'),
  reading('services 500', 'management', 'listServices', one('/services?limit=500'), 'admin'),
  reading(
    'service by id',
    'management',
    'detailService',
    each(services, ({ id }) => `/services/${id}`),
    'admin',
  ),
  reading(
    'service by name',
    'management',
    'listServices',
    each(services, ({ name }) => `/services${filtered(`name = "${name}"`)}`),
    'admin',
  ),
  reading(
    'service role attributes',
    'management',
    'listServiceRoleAttributes',
    one('/service-role-attributes'),
    'admin',
  ),
  growing(
    'counts a twentieth of the services',
    reading(
      'services as identity',
      'management',
      'listServices',
      each(identities, ({ id }) => `/services?limit=10&asIdentity=${id}`),
      'admin',
    ),
  ),
  reading(
    'service edge routers',
    'management',
    'listServiceEdgeRouters',
    each(services, ({ id }) => `/services/${id}/edge-routers`),
    'admin',
  ),
  reading(
    'service terminators',
    'management',
    'listServiceTerminators',
    each(services, ({ id }) => `/services/${id}/terminators`),
    'admin',
  ),
  reading(
    'router policies of service',
    'management',
    'listServiceServiceEdgeRouterPolicies',
    each(services, ({ id }) => `/services/${id}/service-edge-router-policies`),
    'admin',
  ),
  reading(
    'policy posture checks',
    'management',
    'listServicePolicyPostureChecks',
    ({ checkedPolicy }) => [`/service-policies/${checkedPolicy.id}/posture-checks`],
    'admin',
  ),
  growing(
    'counts a twentieth of the identities',
    reading(
      'service identities',
      'management',
      'listServiceIdentities',
      each(services, ({ id }) => `/services/${id}/identities`),
      'admin',
    ),
  ),
  reading(
    'service configs',
    'management',
    'listServiceConfig',
    each(services, ({ id }) => `/services/${id}/configs`),
    'admin',
  ),
  reading(
    'service policies of service',
    'management',
    'listServiceServicePolicies',
    each(services, ({ id }) => `/services/${id}/service-policies`),
    'admin',
  ),
  reading('configs 10', 'management', 'listConfigs', one('/configs?limit=10'), 'admin'),
  reading(
    'config by id',
    'management',
    'detailConfig',
    each(configs, ({ id }) => `/configs/${id}`),
    'admin',
  ),
  reading(
    'config services',
    'management',
    'listConfigServices',
    each(configs, ({ id }) => `/configs/${id}/services`),
    'admin',
  ),
  reading('config types', 'management', 'listConfigTypes', one('/config-types'), 'admin'),
  reading(
    'config type by id',
    'management',
    'detailConfigType',
    ({ interceptTypeId }) => [`/config-types/${interceptTypeId}`],
    'admin',
  ),
  growing(
    'counts all configs',
    reading(
      'configs of a type',
      'management',
      'listConfigsForConfigType',
      ({ interceptTypeId }) => [`/config-types/${interceptTypeId}/configs?limit=10`],
      'admin',
    ),
  ),
  reading('service policies 10', 'management', 'listServicePolicies', one('/service-policies?limit=10'), 'admin'),
  reading(
    'service policy by id',
    'management',
    'detailServicePolicy',
    each(policies, ({ id }) => `/service-policies/${id}`),
    'admin',
  ),
  growing(
    'counts a twentieth of the identities',
    reading(
      'policy identities',
      'management',
      'listServicePolicyIdentities',
      each(policies, ({ id }) => `/service-policies/${id}/identities`),
      'admin',
    ),
  ),
  growing(
    'counts a twentieth of the services',
    reading(
      'policy services',
      'management',
      'listServicePolicyServices',
      each(policies, ({ id }) => `/service-policies/${id}/services`),
      'admin',
    ),
  ),
];

const accessCases: readonly BenchCase[] = [
  reading('enrollments 10', 'management', 'listEnrollments', one('/enrollments?limit=10'), 'admin'),
  reading('authenticators 10', 'management', 'listAuthenticators', one('/authenticators?limit=10'), 'admin'),
  reading(
    'authenticator by id',
    'management',
    'detailAuthenticator',
    ({ clientIdentity }) => [`/authenticators/${clientIdentity.authenticatorId}`],
    'admin',
  ),
  reading('summary', 'management', 'listSummary', one('/summary'), 'admin'),
  reading('API sessions 10', 'management', 'listAPISessions', one('/api-sessions?limit=10'), 'admin'),
];

export const readingCases: readonly BenchCase[] = [
  ...informational,
  ...own,
  ...identityCases,
  ...serviceCases,
  ...accessCases,
];
