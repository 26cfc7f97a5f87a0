/** Kinds of entities that network files hold, with their fields. */
import { defaultAuthPolicy } from '../auth/auth-policy.js';
import { DEFAULT_CLAIM } from '../auth/external-signer.js';
import { ATTRIBUTES, CONFIGS, NAME, ROUTER_FIELDS, TAGS, hosting, operationsOf, selectors } from './kind-fields.js';
import type { EntityKind, KindField } from './kind-fields.js';
import type { KindName } from './kind-names.js';

const CONFIG_TYPES: EntityKind = {
  name: 'configTypes',
  title: 'config type',
  definition: 'configTypeCreate',
  operations: operationsOf('ConfigType', 'ConfigTypes'),
  key: 'name',
  fields: [NAME, { name: 'target', fallback: 'service', life: 'fixed' }, { name: 'schema', fallback: null }, TAGS],
};

const CONFIG: EntityKind = {
  name: 'configs',
  title: 'config',
  definition: 'configCreate',
  operations: operationsOf('Config', 'Configs'),
  key: 'name',
  fields: [
    NAME,
    {
      name: 'configType',
      body: 'configTypeId',
      detail: 'configTypeId',
      life: 'fixed',
      references: [{ path: [], target: 'configTypes', form: 'name' }],
    },
    { name: 'data' },
    TAGS,
  ],
};

const EXTERNAL_JWT_SIGNER: EntityKind = {
  name: 'externalJwtSigners',
  title: 'external JWT signer',
  definition: 'externalJwtSignerCreate',
  operations: operationsOf('ExternalJwtSigner', 'ExternalJwtSigners'),
  key: 'name',
  fields: [
    NAME,
    { name: 'issuer' },
    { name: 'audience' },
    { name: 'enabled' },
    { name: 'certPem', fallback: null },
    { name: 'jwksEndpoint', fallback: null },
    { name: 'kid', fallback: '' },
    { name: 'claimsProperty', fallback: DEFAULT_CLAIM },
    { name: 'useExternalId', fallback: false },
    { name: 'clientId', fallback: '' },
    { name: 'scopes', fallback: [] },
    { name: 'externalAuthUrl', fallback: '' },
    { name: 'targetToken', fallback: 'ACCESS' },
    { name: 'enrollToCertEnabled', fallback: false },
    { name: 'enrollToTokenEnabled', fallback: false },
    {
      name: 'enrollAuthPolicy',
      body: 'enrollAuthPolicyId',
      detail: 'enrollAuthPolicyId',
      fallback: null,
      references: [{ path: [], target: 'authPolicies', form: 'name', builtin: defaultAuthPolicy.id }],
    },
    { name: 'enrollNameClaimsSelector', fallback: DEFAULT_CLAIM },
    { name: 'enrollAttributeClaimsSelector', fallback: '' },
    TAGS,
  ],
};

const AUTH_POLICY: EntityKind = {
  name: 'authPolicies',
  title: 'auth policy',
  definition: 'authPolicyCreate',
  operations: operationsOf('AuthPolicy', 'AuthPolicies'),
  key: 'name',
  fields: [
    NAME,
    { name: 'isDefault', fallback: false, isApart: true, isMark: true },
    {
      name: 'primary',
      references: [{ path: ['extJwt', 'allowedSigners'], target: 'externalJwtSigners', form: 'names' }],
    },
    {
      name: 'secondary',
      references: [{ path: ['requireExtJwtSigner'], target: 'externalJwtSigners', form: 'name' }],
    },
    TAGS,
  ],
};

const POSTURE_CHECK: EntityKind = {
  name: 'postureChecks',
  title: 'posture check',
  definition: 'postureCheckCreate',
  operations: operationsOf('PostureCheck', 'PostureChecks'),
  key: 'name',
  fields: [
    NAME,
    { name: 'typeId', life: 'fixed' },
    { name: 'domains', fallback: null, isSet: true },
    { name: 'macAddresses', fallback: null, isSet: true },
    { name: 'operatingSystems', fallback: null },
    { name: 'process', fallback: null },
    { name: 'processes', fallback: null },
    { name: 'semantic', fallback: null },
    { name: 'timeoutSeconds', fallback: null },
    { name: 'promptOnWake', fallback: false },
    { name: 'promptOnUnlock', fallback: false },
    { name: 'ignoreLegacyEndpoints', fallback: false },
    ATTRIBUTES,
    TAGS,
  ],
};

const CA: EntityKind = {
  name: 'cas',
  title: 'CA',
  definition: 'caCreate',
  operations: operationsOf('Ca', 'Cas'),
  key: 'name',
  fields: [
    NAME,
    { name: 'certPem', life: 'fixed' },
    { name: 'isAuthEnabled' },
    { name: 'isAutoCaEnrollmentEnabled' },
    { name: 'isOttCaEnrollmentEnabled' },
    { name: 'identityNameFormat', fallback: '[caName]-[commonName]' },
    { name: 'identityRoles', isSet: true },
    { name: 'externalIdClaim', fallback: null },
    TAGS,
  ],
};

const SERVICE: EntityKind = {
  name: 'services',
  title: 'service',
  definition: 'serviceCreate',
  operations: operationsOf('Service', 'Services'),
  key: 'name',
  fields: [
    NAME,
    { name: 'encryptionRequired' },
    { name: 'terminatorStrategy', fallback: 'smartrouting' },
    { name: 'maxIdleTimeMillis', fallback: 0 },
    CONFIGS,
    ATTRIBUTES,
    TAGS,
  ],
};

const EDGE_ROUTER: EntityKind = {
  name: 'edgeRouters',
  title: 'edge router',
  definition: 'edgeRouterCreate',
  operations: operationsOf('EdgeRouter', 'EdgeRouters'),
  key: 'name',
  fields: [
    ...ROUTER_FIELDS,
    { name: 'isTunnelerEnabled', fallback: false },
    ATTRIBUTES,
    { name: 'appData', fallback: {} },
    TAGS,
  ],
};

const TRANSIT_ROUTER: EntityKind = {
  name: 'transitRouters',
  title: 'transit router',
  definition: 'routerCreate',
  operations: operationsOf('TransitRouter', 'TransitRouters'),
  key: 'name',
  fields: [...ROUTER_FIELDS, TAGS],
};

const IDENTITY: EntityKind = {
  name: 'identities',
  title: 'identity',
  definition: 'identityCreate',
  operations: operationsOf('Identity', 'Identities'),
  key: 'name',
  fields: [
    NAME,
    { name: 'type', detail: 'typeId' },
    { name: 'isAdmin' },
    { name: 'isDefaultAdmin', fallback: false, isApart: true, isMark: true },
    {
      name: 'authPolicy',
      body: 'authPolicyId',
      detail: 'authPolicyId',
      fallback: null,
      references: [{ path: [], target: 'authPolicies', form: 'name', builtin: defaultAuthPolicy.id }],
    },
    { name: 'externalId', fallback: null },
    ATTRIBUTES,
    { name: 'permissions', fallback: [], isSet: true },
    { name: 'appData', fallback: {} },
    { name: 'defaultHostingCost', fallback: 0 },
    { name: 'defaultHostingPrecedence', fallback: 'default' },
    hosting('serviceHostingCosts'),
    hosting('serviceHostingPrecedences'),
    {
      name: 'serviceConfigs',
      fallback: [],
      isSet: true,
      isApart: true,
      references: [{ path: [], target: 'services', form: 'pairs' }],
    },
    {
      name: 'enrollment',
      fallback: null,
      life: 'asked',
      references: [{ path: ['ottca'], target: 'cas', form: 'name' }],
    },
    TAGS,
  ],
};

const SEMANTIC: KindField = { name: 'semantic' };

const SERVICE_POLICY: EntityKind = {
  name: 'servicePolicies',
  title: 'service policy',
  definition: 'servicePolicyCreate',
  operations: operationsOf('ServicePolicy', 'ServicePolicies'),
  key: 'name',
  fields: [
    NAME,
    { name: 'type' },
    SEMANTIC,
    selectors('identityRoles', 'identities'),
    selectors('serviceRoles', 'services'),
    selectors('postureCheckRoles', 'postureChecks'),
    TAGS,
  ],
};

const EDGE_ROUTER_POLICY: EntityKind = {
  name: 'edgeRouterPolicies',
  title: 'edge router policy',
  definition: 'edgeRouterPolicyCreate',
  operations: operationsOf('EdgeRouterPolicy', 'EdgeRouterPolicies'),
  key: 'name',
  fields: [NAME, SEMANTIC, selectors('edgeRouterRoles', 'edgeRouters'), selectors('identityRoles', 'identities'), TAGS],
};

const SERVICE_EDGE_ROUTER_POLICY: EntityKind = {
  name: 'serviceEdgeRouterPolicies',
  title: 'service edge router policy',
  definition: 'serviceEdgeRouterPolicyCreate',
  operations: operationsOf('ServiceEdgeRouterPolicy', 'ServiceEdgeRouterPolicies'),
  key: 'name',
  fields: [NAME, SEMANTIC, selectors('edgeRouterRoles', 'edgeRouters'), selectors('serviceRoles', 'services'), TAGS],
};

const CONTROLLER_SETTING: EntityKind = {
  name: 'controllerSettings',
  title: 'settings of controller',
  definition: 'controllerSettingCreate',
  operations: operationsOf('ControllerSetting', 'ControllerSettings'),
  key: 'controller',
  fields: [
    {
      name: 'controller',
      body: 'controllerId',
      detail: 'id',
      life: 'fixed',
      references: [{ path: [], target: 'controllers', form: 'name' }],
    },
    { name: 'oidc', fallback: {} },
    TAGS,
  ],
};

export const KINDS: Readonly<Record<KindName, EntityKind>> = {
  configTypes: CONFIG_TYPES,
  configs: CONFIG,
  externalJwtSigners: EXTERNAL_JWT_SIGNER,
  authPolicies: AUTH_POLICY,
  postureChecks: POSTURE_CHECK,
  cas: CA,
  services: SERVICE,
  edgeRouters: EDGE_ROUTER,
  transitRouters: TRANSIT_ROUTER,
  identities: IDENTITY,
  servicePolicies: SERVICE_POLICY,
  edgeRouterPolicies: EDGE_ROUTER_POLICY,
  serviceEdgeRouterPolicies: SERVICE_EDGE_ROUTER_POLICY,
  controllerSettings: CONTROLLER_SETTING,
};
