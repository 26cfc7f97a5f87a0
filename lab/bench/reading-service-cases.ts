/** The cases that change nothing, on services, configs and service policies. */
import { growing, reading } from './case.js';
import type { BenchCase } from './case.js';
import { configs, each, filtered, identities, one, policies, services } from './paths.js';

export const serviceCases: readonly BenchCase[] = [
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
