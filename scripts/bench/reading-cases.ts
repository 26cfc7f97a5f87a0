/** The cases that change nothing. */
import { reading } from './case.js';
import type { BenchCase } from './case.js';
import { GROUPS } from './seed.js';
import { spread } from './world.js';
import type { Named, World } from './world.js';

const VARIETY = 200;

const one = (path: string) => () => [path];
const query = (parameters: Readonly<Record<string, string | number>>): string =>
  `?${Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
const filtered = (filter: string, more: Readonly<Record<string, string | number>> = {}): string => query({ filter, ...more });

/** One path for each of many entities. */
const each = (items: (world: World) => readonly Named[], path: (item: Named) => string) => (world: World) => spread(items(world), VARIETY).map(path);
const identities = (world: World) => world.identities;
const services = (world: World) => world.services;
const configs = (world: World) => world.configs;
const policies = (world: World) => world.policies;
/** `07-haifa-laptop` of `bench-identity-000007-haifa-laptop`: what few or one of all names contain. */
const tail = ({ name }: Named): string => name.slice('bench-identity-0000'.length);
const groups = (path: (group: number) => string) => () => Array.from({ length: GROUPS }, (_, group) => path(group));
const deep = ({ identities: { length } }: World) => [query({ limit: 10, offset: Math.max(0, Math.floor(length * 0.9) - 10) })];

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
  reading('own authenticators', 'client', 'listCurrentIdentityAuthenticators', one('/current-identity/authenticators'), 'client'),
  reading('own authenticator by id', 'client', 'detailCurrentIdentityAuthenticator', ({ clientIdentity }) => [`/current-identity/authenticators/${clientIdentity.authenticatorId}`], 'client'),
  reading('client services 10', 'client', 'listServices', one('/services?limit=10'), 'client'),
  reading('client services 500', 'client', 'listServices', one('/services?limit=500'), 'client'),
  reading('client services all configs', 'client', 'listServices', one('/services?limit=500&configTypes=all'), 'client'),
  reading('client service by name', 'client', 'listServices', each(services, ({ name }) => `/services${filtered(`name = "${name}"`)}`), 'client'),
  reading('client service by id', 'client', 'detailService', each(services, ({ id }) => `/services/${id}`), 'client'),
  reading('service updates', 'client', 'listServiceUpdates', one('/current-api-session/service-updates'), 'client'),
];

const list = (name: string, paths: (world: World) => readonly string[]) =>
  reading(name, 'management', 'listIdentities', (world) => paths(world).map((path) => `/identities${path}`), 'admin');

const identityCases: readonly BenchCase[] = [
  reading('identity by id', 'management', 'detailIdentity', each(identities, ({ id }) => `/identities/${id}`), 'admin'),
  list('identities 10', one(query({ limit: 10 }))),
  list('identities 500', one(query({ limit: 500 }))),
  list('identities deep page', deep),
  list('identities sorted by name', one(query({ limit: 10, sort: 'name' }))),
  list('identities newest', one(query({ limit: 10, sort: 'createdAt desc' }))),
  list('identity by name', each(identities, ({ name }) => filtered(`name = "${name}"`))),
  list('identities contains', each(identities, (item) => filtered(`name contains "${tail(item)}"`))),
  list('identities contains sorted', one(filtered('name contains "lyon" sort by name'))),
  list('identities icontains', each(identities, (item) => filtered(`name icontains "${tail(item).toUpperCase()}"`))),
  list('identities anyOf broad', groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`))),
  list('identities anyOf selective', groups((group) => filtered(`anyOf(roleAttributes) = "bench-site-${group}"`))),
  list('identities total', one(query({ limit: 1 }))),
  list('identities filtered total', groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`, { limit: 1 }))),
  list('identities by tag', one(filtered('tags.town = "lyon"'))),
  list('identities roleFilter', groups((group) => query({ roleFilter: `#bench-site-${group}` }))),
  reading('identity services', 'management', 'listIdentityServices', each(identities, ({ id }) => `/identities/${id}/services`), 'admin'),
  reading('identity policies', 'management', 'listIdentityServicePolicies', each(identities, ({ id }) => `/identities/${id}/service-policies`), 'admin'),
  reading('identity authenticators', 'management', 'getIdentityAuthenticators', ({ clientIdentity }) => [`/identities/${clientIdentity.id}/authenticators`], 'admin'),
  reading('identity enrollments', 'management', 'getIdentityEnrollments', each(identities, ({ id }) => `/identities/${id}/enrollments`), 'admin'),
  reading('identity types', 'management', 'listIdentityTypes', one('/identity-types'), 'admin'),
  reading('identity type by id', 'management', 'detailIdentityType', one('/identity-types/Device'), 'admin'),
];

const serviceCases: readonly BenchCase[] = [
  reading('services 10', 'management', 'listServices', one('/services?limit=10'), 'admin'),
  reading('services 500', 'management', 'listServices', one('/services?limit=500'), 'admin'),
  reading('service by id', 'management', 'detailService', each(services, ({ id }) => `/services/${id}`), 'admin'),
  reading('service by name', 'management', 'listServices', each(services, ({ name }) => `/services${filtered(`name = "${name}"`)}`), 'admin'),
  reading('service identities', 'management', 'listServiceIdentities', each(services, ({ id }) => `/services/${id}/identities`), 'admin'),
  reading('service configs', 'management', 'listServiceConfig', each(services, ({ id }) => `/services/${id}/configs`), 'admin'),
  reading('service policies of service', 'management', 'listServiceServicePolicies', each(services, ({ id }) => `/services/${id}/service-policies`), 'admin'),
  reading('configs 10', 'management', 'listConfigs', one('/configs?limit=10'), 'admin'),
  reading('config by id', 'management', 'detailConfig', each(configs, ({ id }) => `/configs/${id}`), 'admin'),
  reading('config services', 'management', 'listConfigServices', each(configs, ({ id }) => `/configs/${id}/services`), 'admin'),
  reading('config types', 'management', 'listConfigTypes', one('/config-types'), 'admin'),
  reading('config type by id', 'management', 'detailConfigType', ({ interceptTypeId }) => [`/config-types/${interceptTypeId}`], 'admin'),
  reading('configs of a type', 'management', 'listConfigsForConfigType', ({ interceptTypeId }) => [`/config-types/${interceptTypeId}/configs?limit=10`], 'admin'),
  reading('service policies 10', 'management', 'listServicePolicies', one('/service-policies?limit=10'), 'admin'),
  reading('service policy by id', 'management', 'detailServicePolicy', each(policies, ({ id }) => `/service-policies/${id}`), 'admin'),
  reading('policy identities', 'management', 'listServicePolicyIdentities', each(policies, ({ id }) => `/service-policies/${id}/identities`), 'admin'),
  reading('policy services', 'management', 'listServicePolicyServices', each(policies, ({ id }) => `/service-policies/${id}/services`), 'admin'),
];

const accessCases: readonly BenchCase[] = [
  reading('enrollments 10', 'management', 'listEnrollments', one('/enrollments?limit=10'), 'admin'),
  reading('authenticators 10', 'management', 'listAuthenticators', one('/authenticators?limit=10'), 'admin'),
  reading('authenticator by id', 'management', 'detailAuthenticator', ({ clientIdentity }) => [`/authenticators/${clientIdentity.authenticatorId}`], 'admin'),
  reading('API sessions 10', 'management', 'listAPISessions', one('/api-sessions?limit=10'), 'admin'),
];

export const readingCases: readonly BenchCase[] = [...informational, ...own, ...identityCases, ...serviceCases, ...accessCases];
