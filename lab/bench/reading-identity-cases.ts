/** The cases that change nothing, on identities and what belongs to them. */
import { growing, reading } from './case.js';
import type { BenchCase } from './case.js';
import { each, filtered, groups, identities, one, query } from './paths.js';
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

const list = (name: string, paths: (world: World) => readonly string[]) =>
  reading(name, 'management', 'listIdentities', (world) => paths(world).map((path) => `/identities${path}`), 'admin');

export const identityCases: readonly BenchCase[] = [
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
  list(
    'identities anyOf broad',
    groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`)),
  ),
  list(
    'identities anyOf selective',
    groups((group) => filtered(`anyOf(roleAttributes) = "bench-site-${group}"`)),
  ),
  list('identities total', one(query({ limit: 1 }))),
  list(
    'identities filtered total',
    groups((group) => filtered(`anyOf(roleAttributes) = "bench-dept-${group}"`, { limit: 1 })),
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
