/** The cases that change nothing. */
import { growing, reading } from './case.js';
import type { BenchCase } from './case.js';
import { each, filtered, identities, one, services } from './paths.js';
import { identityCases } from './reading-identity-cases.js';
import { serviceCases } from './reading-service-cases.js';

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
  growing(
    'its first read passes over all identities; the next ones have it in memory',
    reading('network access', 'management', 'detailNetworkAccess', one('/network/access'), 'admin'),
  ),
  reading(
    'network access services',
    'management',
    'listNetworkAccessServices',
    each(identities, ({ id }) => `/network/access/services?identityId=${id}`),
    'admin',
  ),
  reading(
    'network access identities',
    'management',
    'listNetworkAccessIdentities',
    each(services, ({ id }) => `/network/access/identities?serviceId=${id}`),
    'admin',
  ),
  reading('network overview', 'management', 'detailNetworkOverview', one('/network/overview'), 'admin'),
  reading('network usage', 'management', 'detailNetworkUsage', one('/network/usage'), 'admin'),
  reading('API sessions 10', 'management', 'listAPISessions', one('/api-sessions?limit=10'), 'admin'),
];

export const readingCases: readonly BenchCase[] = [
  ...informational,
  ...own,
  ...identityCases,
  ...serviceCases,
  ...accessCases,
];
