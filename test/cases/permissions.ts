/**
 * Who may call which operation of the two APIs for administrators, written down apart from the specs, so that both can
 * be compared. Whoever adds an operation for administrators adds it here.
 */

type Action = 'read' | 'create' | 'update' | 'delete';

/** Operations by entity and action of the permission that each takes. */
const grants: Readonly<Record<string, Readonly<Partial<Record<Action, string>>>>> = {
  'audit': { read: 'listAudit detailAudit streamEvents' },
  'auth-policy': {
    read: 'listAuthPolicies detailAuthPolicy',
    create: 'createAuthPolicy',
    update: 'updateAuthPolicy patchAuthPolicy',
    delete: 'deleteAuthPolicy',
  },
  ca: {
    read: 'listCas detailCa getCaJwt',
    create: 'createCa',
    update: 'updateCa patchCa verifyCa',
    delete: 'deleteCa',
  },
  config: {
    read: 'listConfigs detailConfig listConfigsForConfigType listServiceConfig',
    create: 'createConfig',
    update: 'updateConfig patchConfig',
    delete: 'deleteConfig',
  },
  'config-type': {
    read: 'listConfigTypes detailConfigType',
    create: 'createConfigType',
    update: 'updateConfigType patchConfigType',
    delete: 'deleteConfigType',
  },
  'edge-router-policy': {
    read:
      'listEdgeRouterPolicies detailEdgeRouterPolicy listEdgeRouterEdgeRouterPolicies ' +
      'listIdentitysEdgeRouterPolicies',
    create: 'createEdgeRouterPolicy',
    update: 'updateEdgeRouterPolicy patchEdgeRouterPolicy',
    delete: 'deleteEdgeRouterPolicy',
  },
  enrollment: {
    read: 'listEnrollments detailEnrollment getIdentityEnrollments',
    create: 'createEnrollment',
    update: 'refreshEnrollment',
    delete: 'deleteEnrollment',
  },
  'external-jwt-signer': {
    read: 'listExternalJwtSigners detailExternalJwtSigner',
    create: 'createExternalJwtSigner',
    update: 'updateExternalJwtSigner patchExternalJwtSigner',
    delete: 'deleteExternalJwtSigner',
  },
  identity: {
    read:
      'listIdentities listIdentityRoleAttributes listIdentityRoleAttributeUsage ' +
      'detailIdentity listEdgeRouterPolicyIdentities ' +
      'listEdgeRouterIdentities getIdentityFailedServiceRequests getIdentityPostureData ' +
      'listIdentitysServiceConfigs listServicePolicyIdentities listServiceIdentities ' +
      'listNetworkAccessIdentities listUnusedIdentities',
    create: 'createIdentity',
    update:
      'updateIdentity patchIdentity disableIdentity enableIdentity removeIdentityMfa ' +
      'associateIdentitysServiceConfigs disassociateIdentitysServiceConfigs updateIdentityTracing',
    delete: 'deleteIdentity',
  },
  ops: {
    read:
      'listAPISessions listSessions detailAPISessions detailSession detailSessionRoutePath ' +
      'detailNetworkOverview detailNetworkUsage',
    delete: 'deleteAPISessions deleteSession',
  },
  'posture-check': {
    read:
      'listPostureCheckRoleAttributes listPostureCheckRoleAttributeUsage listPostureChecks detailPostureCheck ' +
      'listServicePolicyPostureChecks',
    create: 'createPostureCheck',
    update: 'updatePostureCheck patchPostureCheck',
    delete: 'deletePostureCheck',
  },
  router: {
    read:
      'listEdgeRouterRoleAttributes listEdgeRouterRoleAttributeUsage ' +
      'listEdgeRouters listRouters listTransitRouters detailEdgeRouter ' +
      'detailRouter detailTransitRouter listEdgeRouterPolicyEdgeRouters listIdentityEdgeRouters ' +
      'listServiceEdgeRouterPolicyEdgeRouters listServiceEdgeRouters',
    create: 'createEdgeRouter createRouter createTransitRouter',
    update:
      'updateEdgeRouter patchEdgeRouter updateRouter patchRouter updateTransitRouter patchTransitRouter ' +
      'reEnrollEdgeRouter',
    delete: 'deleteEdgeRouter deleteRouter deleteTransitRouter',
  },
  service: {
    read:
      'listServiceRoleAttributes listServiceRoleAttributeUsage ' +
      'listServices detailService listConfigServices listEdgeRouterServices ' +
      'listIdentityServices listServiceEdgeRouterPolicyServices listServicePolicyServices ' +
      'getIdentityPolicyAdvice explainIdentityAccess listNetworkAccessServices ' +
      'listUnusedServices',
    create: 'createService',
    update: 'updateService patchService',
    delete: 'deleteService',
  },
  'service-edge-router-policy': {
    read:
      'listServiceEdgeRouterPolicies detailServiceEdgeRouterPolicy listEdgeRouterServiceEdgeRouterPolicies ' +
      'listServiceServiceEdgeRouterPolicies',
    create: 'createServiceEdgeRouterPolicy',
    update: 'updateServiceEdgeRouterPolicy patchServiceEdgeRouterPolicy',
    delete: 'deleteServiceEdgeRouterPolicy',
  },
  'service-policy': {
    read:
      'listServicePolicies detailServicePolicy listIdentityServicePolicies listServiceServicePolicies ' +
      'detailNetworkAccess',
    create: 'createServicePolicy',
    update: 'updateServicePolicy patchServicePolicy',
    delete: 'deleteServicePolicy',
  },
  webhook: {
    read: 'listWebhooks detailWebhook listWebhookDeadLetters',
    create: 'createWebhook',
    update: 'updateWebhook patchWebhook redeliverWebhook',
    delete: 'deleteWebhook',
  },
  terminator: {
    read: 'listTerminators detailTerminator listServiceTerminators',
    create: 'createTerminator',
    update: 'updateTerminator patchTerminator',
    delete: 'deleteTerminator',
  },
};

/** Reads that `admin_readonly` alone allows; no permission of one entity does. */
const forReaders =
  'listAuthenticators detailAuthenticator getIdentityAuthenticators listControllers listRevocations detailRevocation';

/** What no permission allows. */
const forAdministrators =
  'createAuthenticator updateAuthenticator patchAuthenticator deleteAuthenticator reEnrollAuthenticator ' +
  'requestExtendAuthenticator listSummary createDatabaseSnapshot checkDataIntegrity fixDataIntegrity ' +
  'dataIntegrityResults createRevocation listControllerSettings createControllerSetting detailControllerSetting ' +
  'detailControllerSettingEffective updateControllerSetting patchControllerSetting deleteControllerSetting';

/** The values that an identity may have, in the order in which a refusal names them. */
export const values: readonly string[] = [
  'admin_readonly',
  'audit',
  'audit.read',
  ...[
    'auth-policy',
    'ca',
    'config',
    'config-type',
    'edge-router-policy',
    'enrollment',
    'external-jwt-signer',
    'identity',
    'ops',
    'posture-check',
    'router',
    'service',
    'service-edge-router-policy',
    'service-policy',
    'terminator',
    'webhook',
  ].flatMap((entity) => [
    entity,
    ...['read', 'create', 'update', 'delete']
      .map((action) => `${entity}.${action}`)
      .filter((value) => value !== 'ops.create'),
  ]),
];

/** The permissions of which one is enough, by the id of every operation that is for administrators and those. */
export const grantedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(grants).flatMap(([entity, actions]) =>
    Object.entries(actions).flatMap(([action, operations]) =>
      operations
        .split(' ')
        .map((id): [string, string[]] => [
          id,
          [...(action === 'read' ? ['admin_readonly'] : []), entity, `${entity}.${action}`],
        ]),
    ),
  ),
  ...forReaders.split(' ').map((id): [string, string[]] => [id, ['admin_readonly']]),
  ...forAdministrators.split(' ').map((id): [string, string[]] => [id, []]),
]);

/** The same of the fabric API. Inspections ask routers, so they are no read of what is kept here. */
export const grantedByInFabric: ReadonlyMap<string, readonly string[]> = new Map([
  ...['listLinks', 'detailLink', 'listCircuits', 'detailCircuit'].map((id): [string, string[]] => [
    id,
    ['admin_readonly', 'ops', 'ops.read'],
  ]),
  ['patchLink', ['ops', 'ops.update']],
  ['deleteLink', ['ops', 'ops.delete']],
  ['deleteCircuit', ['ops', 'ops.delete']],
  ['inspect', ['ops', 'ops.read']],
  ...[
    'listRouters createRouter detailRouter updateRouter patchRouter deleteRouter listRouterTerminators',
    'listServices createService detailService updateService patchService deleteService listServiceTerminators',
    'listTerminators createTerminator detailTerminator updateTerminator patchTerminator deleteTerminator',
    'createDatabaseSnapshot createDatabaseSnapshotWithPath checkDataIntegrity fixDataIntegrity dataIntegrityResults',
    'clusterListMembers clusterMemberAdd clusterMemberRemove clusterTransferLeadership',
  ].flatMap((ids) => ids.split(' ').map((id): [string, string[]] => [id, []])),
]);
