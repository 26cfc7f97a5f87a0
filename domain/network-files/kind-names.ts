/** The kinds of entities that network files hold, in the order in which they depend on each other. */
export const KIND_NAMES = [
  'configTypes',
  'configs',
  'externalJwtSigners',
  'authPolicies',
  'postureChecks',
  'cas',
  'services',
  'edgeRouters',
  'transitRouters',
  'identities',
  'servicePolicies',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
  'controllerSettings',
] as const;
export type KindName = (typeof KIND_NAMES)[number];
