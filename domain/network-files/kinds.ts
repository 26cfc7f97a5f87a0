/**
 * Fields of each kind of entity. A file uses names for references; the API wants ids. So each field says where it is in
 * a request and in a response, and which part of it is a reference.
 */
import { defaultAuthPolicy } from '../auth/auth-policy.js';
import { DEFAULT_CLAIM } from '../auth/external-signer.js';
import type { Json } from '../model.js';
import type { KindName } from './kind-names.js';

/** Kind that a file may refer to: controllers are no kind of their own, since each one registers itself. */
export type ReferenceTarget = KindName | 'controllers';

/**
 * How a value refers to others: one name, a list of names, role selectors (`@name`), an object with names for keys, or
 * a list of pairs of a service and a config.
 */
export type ReferenceForm = 'name' | 'names' | 'selectors' | 'keys' | 'pairs';

export interface Reference {
  /** Inside the field; empty for the field itself. */
  readonly path: readonly string[];
  readonly target: ReferenceTarget;
  readonly form: ReferenceForm;
  /** The id of what is meant when nothing is named. */
  readonly builtin?: string;
}

export interface KindField {
  /** In files. */
  readonly name: string;
  /** In the bodies of requests, when it has another name there. */
  readonly body?: string;
  /** In answers, when it has another name there. */
  readonly detail?: string;
  /** Default when the field is left out. The API requires a field that has none. */
  readonly fallback?: Json;
  /** A list whose order means nothing. */
  readonly isSet?: boolean;
  /** `fixed`: it never changes after the creation. `asked`: it is for the creation alone, and not kept. */
  readonly life?: 'fixed' | 'asked';
  /** It is no part of the entity's own requests. */
  readonly isApart?: boolean;
  /** It marks the one of its kind that every network has, whatever its name. */
  readonly isMark?: boolean;
  readonly references?: readonly Reference[];
}

export interface EntityKind {
  readonly name: KindName;
  /** One of them, for people. */
  readonly title: string;
  /** The definition in the spec of what makes one. */
  readonly definition: string;
  /** Operation ids of the management API. */
  readonly operations: {
    readonly list: string;
    readonly create: string;
    readonly update: string;
    readonly remove: string;
  };
  /** The field by which one is known. */
  readonly key: 'name' | 'controller';
  readonly fields: readonly KindField[];
}

const TAGS: KindField = { name: 'tags', fallback: {} };
const NAME: KindField = { name: 'name' };
const ATTRIBUTES: KindField = { name: 'roleAttributes', fallback: [], isSet: true };
const selectors = (name: string, target: KindName): KindField => ({
  name,
  fallback: [],
  isSet: true,
  references: [{ path: [], target, form: 'selectors' }],
});
const CONFIGS: KindField = {
  name: 'configs',
  fallback: [],
  isSet: true,
  references: [{ path: [], target: 'configs', form: 'names' }],
};
const ROUTER_FIELDS: readonly KindField[] = [
  NAME,
  { name: 'cost', fallback: 0 },
  { name: 'noTraversal', fallback: false },
  { name: 'disabled', fallback: false },
  { name: 'ctrlChanListeners', fallback: {} },
  CONFIGS,
];
const hosting = (name: string): KindField => ({
  name,
  fallback: {},
  references: [{ path: [], target: 'services', form: 'keys' }],
});
const operationsOf = (one: string, many: string) => ({
  list: `list${many}`,
  create: `create${one}`,
  update: `update${one}`,
  remove: `delete${one}`,
});

const CONFIG_TYPES: EntityKind = {
  name: 'configTypes',
  title: 'config type',
  definition: 'configTypeCreate',
  operations: operationsOf('ConfigType', 'ConfigTypes'),
  key: 'name',
  fields: [NAME, { name: 'target', fallback: null, life: 'fixed' }, { name: 'schema', fallback: null }, TAGS],
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
