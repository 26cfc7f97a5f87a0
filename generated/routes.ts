// Generated from specs/ by scripts/generate. Do not edit.

import type { Api, Method, RouteNode } from './operation.js';

/** What precedes every path of an API. */
export const basePaths: Readonly<Record<Api, string>> = {
  client: '/edge/client/v1',
  fabric: '/fabric/v1',
  management: '/edge/management/v1',
  oidc: '/oidc',
};

/** Without a prototype, so that a segment such as `constructor` finds nothing. */
function node(
  operations: Partial<Record<Method, string>>, literals: Record<string, RouteNode>, parameter: RouteNode | null,
): RouteNode {
  const bare = Object.create(null) as Record<string, RouteNode>;
  return { literals: Object.assign(bare, literals), parameter, operations };
}

/** The paths of each API, segment by segment; a literal goes before a parameter. */
export const routes: Readonly<Record<Api, RouteNode>> = {
  client: node({ GET: 'listRoot' }, {
    '.well-known': node({}, {
      est: node({}, {
        cacerts: node({ GET: 'listWellKnownCas' }, {}, null),
      }, null),
    }, null),
    authenticate: node({ POST: 'authenticate' }, {
      mfa: node({ POST: 'authenticateMfa' }, {}, null),
    }, null),
    controllers: node({ GET: 'listControllers' }, {}, null),
    'current-api-session': node({ DELETE: 'deleteCurrentApiSession', GET: 'getCurrentAPISession' }, {
      certificates: node({ GET: 'listCurrentApiSessionCertificates', POST: 'createCurrentApiSessionCertificate' }, {}, node({ DELETE: 'deleteCurrentApiSessionCertificate', GET: 'detailCurrentApiSessionCertificate' }, {}, null)),
      'service-updates': node({ GET: 'listServiceUpdates' }, {}, null),
      'totp-token': node({ POST: 'createTotpToken' }, {}, null),
    }, null),
    'current-identity': node({ GET: 'getCurrentIdentity' }, {
      authenticators: node({ GET: 'listCurrentIdentityAuthenticators' }, {}, node({ GET: 'detailCurrentIdentityAuthenticator', PATCH: 'patchCurrentIdentityAuthenticator', PUT: 'updateCurrentIdentityAuthenticator' }, {
        extend: node({ POST: 'extendCurrentIdentityAuthenticator' }, {}, null),
        'extend-verify': node({ POST: 'extendVerifyCurrentIdentityAuthenticator' }, {}, null),
      }, null)),
      'edge-routers': node({ GET: 'getCurrentIdentityEdgeRouters' }, {}, null),
      mfa: node({ DELETE: 'deleteMfa', GET: 'detailMfa', POST: 'enrollMfa' }, {
        'qr-code': node({ GET: 'detailMfaQrCode' }, {}, null),
        'recovery-codes': node({ GET: 'detailMfaRecoveryCodes', POST: 'createMfaRecoveryCodes' }, {}, null),
        verify: node({ POST: 'verifyMfa' }, {}, null),
      }, null),
    }, null),
    enroll: node({ POST: 'enroll' }, {
      ca: node({ POST: 'enrollCa' }, {}, null),
      challenge: node({ POST: 'enrollmentChallenge' }, {}, null),
      erott: node({ POST: 'enrollErOtt' }, {}, null),
      extend: node({}, {
        router: node({ POST: 'extendRouterEnrollment' }, {}, null),
      }, null),
      jwks: node({ GET: 'getEnrollmentJwks' }, {}, null),
      ott: node({ POST: 'enrollOtt' }, {}, null),
      ottca: node({ POST: 'enrollOttCa' }, {}, null),
      token: node({ POST: 'enrollToken' }, {}, null),
      updb: node({ POST: 'enrollUpdb' }, {}, null),
    }, null),
    'enumerated-capabilities': node({ GET: 'listEnumeratedCapabilities' }, {}, null),
    'enumerated-router-capabilities': node({ GET: 'listEnumeratedRouterCapabilities' }, {}, null),
    'external-jwt-signers': node({ GET: 'listExternalJwtSigners' }, {}, null),
    'network-jwts': node({ GET: 'listNetworkJWTs' }, {}, null),
    'posture-response': node({ POST: 'createPostureResponse' }, {}, null),
    'posture-response-bulk': node({ POST: 'createPostureResponseBulk' }, {}, null),
    protocols: node({ GET: 'listProtocols' }, {}, null),
    services: node({ GET: 'listServices' }, {}, node({ DELETE: 'deleteService', GET: 'detailService', PATCH: 'patchService', PUT: 'updateService' }, {
      'edge-routers': node({ GET: 'listServiceEdgeRouters' }, {}, null),
      explain: node({ GET: 'explainService' }, {}, null),
      terminators: node({ GET: 'listServiceTerminators' }, {}, null),
    }, null)),
    sessions: node({ GET: 'listSessions', POST: 'createSession' }, {}, node({ DELETE: 'deleteSession', GET: 'detailSession' }, {}, null)),
    specs: node({ GET: 'listSpecs' }, {}, node({ GET: 'detailSpec' }, {
      spec: node({ GET: 'detailSpecBody' }, {}, null),
    }, null)),
    version: node({ GET: 'listVersion' }, {}, null),
  }, null),
  fabric: node({}, {
    circuits: node({ GET: 'listCircuits' }, {}, node({ DELETE: 'deleteCircuit', GET: 'detailCircuit' }, {}, null)),
    cluster: node({}, {
      'add-member': node({ POST: 'clusterMemberAdd' }, {}, null),
      'list-members': node({ GET: 'clusterListMembers' }, {}, null),
      'remove-member': node({ POST: 'clusterMemberRemove' }, {}, null),
      'transfer-leadership': node({ POST: 'clusterTransferLeadership' }, {}, null),
    }, null),
    database: node({ POST: 'createDatabaseSnapshot' }, {
      'check-data-integrity': node({ POST: 'checkDataIntegrity' }, {}, null),
      'data-integrity-results': node({ GET: 'dataIntegrityResults' }, {}, null),
      'fix-data-integrity': node({ POST: 'fixDataIntegrity' }, {}, null),
      snapshot: node({ POST: 'createDatabaseSnapshotWithPath' }, {}, null),
    }, null),
    inspections: node({ POST: 'inspect' }, {}, null),
    links: node({ GET: 'listLinks' }, {}, node({ DELETE: 'deleteLink', GET: 'detailLink', PATCH: 'patchLink' }, {}, null)),
    routers: node({ GET: 'listRouters', POST: 'createRouter' }, {}, node({ DELETE: 'deleteRouter', GET: 'detailRouter', PATCH: 'patchRouter', PUT: 'updateRouter' }, {
      terminators: node({ GET: 'listRouterTerminators' }, {}, null),
    }, null)),
    services: node({ GET: 'listServices', POST: 'createService' }, {}, node({ DELETE: 'deleteService', GET: 'detailService', PATCH: 'patchService', PUT: 'updateService' }, {
      terminators: node({ GET: 'listServiceTerminators' }, {}, null),
    }, null)),
    terminators: node({ GET: 'listTerminators', POST: 'createTerminator' }, {}, node({ DELETE: 'deleteTerminator', GET: 'detailTerminator', PATCH: 'patchTerminator', PUT: 'updateTerminator' }, {}, null)),
  }, null),
  management: node({ GET: 'listRoot' }, {
    '.well-known': node({}, {
      est: node({}, {
        cacerts: node({ GET: 'listWellKnownCas' }, {}, null),
      }, null),
    }, null),
    'api-sessions': node({ GET: 'listAPISessions' }, {}, node({ DELETE: 'deleteAPISessions', GET: 'detailAPISessions' }, {}, null)),
    audit: node({ GET: 'listAudit' }, {}, node({ GET: 'detailAudit' }, {}, null)),
    'auth-policies': node({ GET: 'listAuthPolicies', POST: 'createAuthPolicy' }, {}, node({ DELETE: 'deleteAuthPolicy', GET: 'detailAuthPolicy', PATCH: 'patchAuthPolicy', PUT: 'updateAuthPolicy' }, {}, null)),
    authenticate: node({ POST: 'authenticate' }, {
      mfa: node({ POST: 'authenticateMfa' }, {}, null),
    }, null),
    authenticators: node({ GET: 'listAuthenticators', POST: 'createAuthenticator' }, {}, node({ DELETE: 'deleteAuthenticator', GET: 'detailAuthenticator', PATCH: 'patchAuthenticator', PUT: 'updateAuthenticator' }, {
      're-enroll': node({ POST: 'reEnrollAuthenticator' }, {}, null),
      'request-extend': node({ POST: 'requestExtendAuthenticator' }, {}, null),
    }, null)),
    cas: node({ GET: 'listCas', POST: 'createCa' }, {}, node({ DELETE: 'deleteCa', GET: 'detailCa', PATCH: 'patchCa', PUT: 'updateCa' }, {
      jwt: node({ GET: 'getCaJwt' }, {}, null),
      verify: node({ POST: 'verifyCa' }, {}, null),
    }, null)),
    'config-types': node({ GET: 'listConfigTypes', POST: 'createConfigType' }, {}, node({ DELETE: 'deleteConfigType', GET: 'detailConfigType', PATCH: 'patchConfigType', PUT: 'updateConfigType' }, {
      configs: node({ GET: 'listConfigsForConfigType' }, {}, null),
    }, null)),
    configs: node({ GET: 'listConfigs', POST: 'createConfig' }, {}, node({ DELETE: 'deleteConfig', GET: 'detailConfig', PATCH: 'patchConfig', PUT: 'updateConfig' }, {
      services: node({ GET: 'listConfigServices' }, {}, null),
    }, null)),
    'controller-settings': node({ GET: 'listControllerSettings', POST: 'createControllerSetting' }, {}, node({ GET: 'detailControllerSetting' }, {
      effective: node({ DELETE: 'deleteControllerSetting', GET: 'detailControllerSettingEffective', PATCH: 'patchControllerSetting', PUT: 'updateControllerSetting' }, {}, null),
    }, null)),
    controllers: node({ GET: 'listControllers' }, {}, null),
    'current-api-session': node({ DELETE: 'deleteCurrentApiSession', GET: 'getCurrentAPISession' }, {
      'totp-token': node({ POST: 'createTotpToken' }, {}, null),
    }, null),
    'current-identity': node({ GET: 'getCurrentIdentity' }, {
      authenticators: node({ GET: 'listCurrentIdentityAuthenticators' }, {}, node({ GET: 'detailCurrentIdentityAuthenticator', PATCH: 'patchCurrentIdentityAuthenticator', PUT: 'updateCurrentIdentityAuthenticator' }, {
        extend: node({ POST: 'extendCurrentIdentityAuthenticator' }, {}, null),
        'extend-verify': node({ POST: 'extendVerifyCurrentIdentityAuthenticator' }, {}, null),
      }, null)),
      mfa: node({ DELETE: 'deleteMfa', GET: 'detailMfa', POST: 'enrollMfa' }, {
        'qr-code': node({ GET: 'detailMfaQrCode' }, {}, null),
        'recovery-codes': node({ GET: 'detailMfaRecoveryCodes', POST: 'createMfaRecoveryCodes' }, {}, null),
        verify: node({ POST: 'verifyMfa' }, {}, null),
      }, null),
    }, null),
    database: node({}, {
      'check-data-integrity': node({ POST: 'checkDataIntegrity' }, {}, null),
      'data-integrity-results': node({ GET: 'dataIntegrityResults' }, {}, null),
      'fix-data-integrity': node({ POST: 'fixDataIntegrity' }, {}, null),
      snapshot: node({ POST: 'createDatabaseSnapshot' }, {}, null),
    }, null),
    'edge-router-policies': node({ GET: 'listEdgeRouterPolicies', POST: 'createEdgeRouterPolicy' }, {}, node({ DELETE: 'deleteEdgeRouterPolicy', GET: 'detailEdgeRouterPolicy', PATCH: 'patchEdgeRouterPolicy', PUT: 'updateEdgeRouterPolicy' }, {
      'edge-routers': node({ GET: 'listEdgeRouterPolicyEdgeRouters' }, {}, null),
      identities: node({ GET: 'listEdgeRouterPolicyIdentities' }, {}, null),
    }, null)),
    'edge-router-role-attribute-usage': node({ GET: 'listEdgeRouterRoleAttributeUsage' }, {}, null),
    'edge-router-role-attributes': node({ GET: 'listEdgeRouterRoleAttributes' }, {}, null),
    'edge-routers': node({ GET: 'listEdgeRouters', POST: 'createEdgeRouter' }, {}, node({ DELETE: 'deleteEdgeRouter', GET: 'detailEdgeRouter', PATCH: 'patchEdgeRouter', PUT: 'updateEdgeRouter' }, {
      'edge-router-policies': node({ GET: 'listEdgeRouterEdgeRouterPolicies' }, {}, null),
      identities: node({ GET: 'listEdgeRouterIdentities' }, {}, null),
      're-enroll': node({ POST: 'reEnrollEdgeRouter' }, {}, null),
      'service-edge-router-policies': node({ GET: 'listEdgeRouterServiceEdgeRouterPolicies' }, {}, null),
      services: node({ GET: 'listEdgeRouterServices' }, {}, null),
    }, null)),
    enrollments: node({ GET: 'listEnrollments', POST: 'createEnrollment' }, {}, node({ DELETE: 'deleteEnrollment', GET: 'detailEnrollment' }, {
      refresh: node({ POST: 'refreshEnrollment' }, {}, null),
    }, null)),
    'enumerated-capabilities': node({ GET: 'listEnumeratedCapabilities' }, {}, null),
    'enumerated-router-capabilities': node({ GET: 'listEnumeratedRouterCapabilities' }, {}, null),
    events: node({ GET: 'streamEvents' }, {}, null),
    'external-jwt-signers': node({ GET: 'listExternalJwtSigners', POST: 'createExternalJwtSigner' }, {}, node({ DELETE: 'deleteExternalJwtSigner', GET: 'detailExternalJwtSigner', PATCH: 'patchExternalJwtSigner', PUT: 'updateExternalJwtSigner' }, {}, null)),
    identities: node({ GET: 'listIdentities', POST: 'createIdentity' }, {}, node({ DELETE: 'deleteIdentity', GET: 'detailIdentity', PATCH: 'patchIdentity', PUT: 'updateIdentity' }, {
      authenticators: node({ GET: 'getIdentityAuthenticators' }, {}, null),
      disable: node({ POST: 'disableIdentity' }, {}, null),
      'edge-router-policies': node({ GET: 'listIdentitysEdgeRouterPolicies' }, {}, null),
      'edge-routers': node({ GET: 'listIdentityEdgeRouters' }, {}, null),
      enable: node({ POST: 'enableIdentity' }, {}, null),
      enrollments: node({ GET: 'getIdentityEnrollments' }, {}, null),
      explain: node({}, {}, node({ GET: 'explainIdentityAccess' }, {}, null)),
      'failed-service-requests': node({ GET: 'getIdentityFailedServiceRequests' }, {}, null),
      mfa: node({ DELETE: 'removeIdentityMfa' }, {}, null),
      'policy-advice': node({}, {}, node({ GET: 'getIdentityPolicyAdvice' }, {}, null)),
      'posture-data': node({ GET: 'getIdentityPostureData' }, {}, null),
      'service-configs': node({ DELETE: 'disassociateIdentitysServiceConfigs', GET: 'listIdentitysServiceConfigs', POST: 'associateIdentitysServiceConfigs' }, {}, null),
      'service-policies': node({ GET: 'listIdentityServicePolicies' }, {}, null),
      services: node({ GET: 'listIdentityServices' }, {}, null),
      trace: node({ PUT: 'updateIdentityTracing' }, {}, null),
    }, null)),
    'identity-role-attribute-usage': node({ GET: 'listIdentityRoleAttributeUsage' }, {}, null),
    'identity-role-attributes': node({ GET: 'listIdentityRoleAttributes' }, {}, null),
    'identity-types': node({ GET: 'listIdentityTypes' }, {}, node({ GET: 'detailIdentityType' }, {}, null)),
    network: node({}, {
      access: node({ GET: 'detailNetworkAccess' }, {
        identities: node({ GET: 'listNetworkAccessIdentities' }, {}, null),
        services: node({ GET: 'listNetworkAccessServices' }, {}, null),
      }, null),
      overview: node({ GET: 'detailNetworkOverview' }, {}, null),
      unused: node({}, {
        identities: node({ GET: 'listUnusedIdentities' }, {}, null),
        services: node({ GET: 'listUnusedServices' }, {}, null),
      }, null),
      usage: node({ GET: 'detailNetworkUsage' }, {}, null),
    }, null),
    'network-jwts': node({ GET: 'listNetworkJWTs' }, {}, null),
    'posture-check-role-attribute-usage': node({ GET: 'listPostureCheckRoleAttributeUsage' }, {}, null),
    'posture-check-role-attributes': node({ GET: 'listPostureCheckRoleAttributes' }, {}, null),
    'posture-check-types': node({ GET: 'listPostureCheckTypes' }, {}, node({ GET: 'detailPostureCheckType' }, {}, null)),
    'posture-checks': node({ GET: 'listPostureChecks', POST: 'createPostureCheck' }, {}, node({ DELETE: 'deletePostureCheck', GET: 'detailPostureCheck', PATCH: 'patchPostureCheck', PUT: 'updatePostureCheck' }, {}, null)),
    revocations: node({ GET: 'listRevocations', POST: 'createRevocation' }, {}, node({ GET: 'detailRevocation' }, {}, null)),
    routers: node({ GET: 'listRouters', POST: 'createRouter' }, {}, node({ DELETE: 'deleteRouter', GET: 'detailRouter', PATCH: 'patchRouter', PUT: 'updateRouter' }, {}, null)),
    'service-edge-router-policies': node({ GET: 'listServiceEdgeRouterPolicies', POST: 'createServiceEdgeRouterPolicy' }, {}, node({ DELETE: 'deleteServiceEdgeRouterPolicy', GET: 'detailServiceEdgeRouterPolicy', PATCH: 'patchServiceEdgeRouterPolicy', PUT: 'updateServiceEdgeRouterPolicy' }, {
      'edge-routers': node({ GET: 'listServiceEdgeRouterPolicyEdgeRouters' }, {}, null),
      services: node({ GET: 'listServiceEdgeRouterPolicyServices' }, {}, null),
    }, null)),
    'service-policies': node({ GET: 'listServicePolicies', POST: 'createServicePolicy' }, {}, node({ DELETE: 'deleteServicePolicy', GET: 'detailServicePolicy', PATCH: 'patchServicePolicy', PUT: 'updateServicePolicy' }, {
      identities: node({ GET: 'listServicePolicyIdentities' }, {}, null),
      'posture-checks': node({ GET: 'listServicePolicyPostureChecks' }, {}, null),
      services: node({ GET: 'listServicePolicyServices' }, {}, null),
    }, null)),
    'service-role-attribute-usage': node({ GET: 'listServiceRoleAttributeUsage' }, {}, null),
    'service-role-attributes': node({ GET: 'listServiceRoleAttributes' }, {}, null),
    services: node({ GET: 'listServices', POST: 'createService' }, {}, node({ DELETE: 'deleteService', GET: 'detailService', PATCH: 'patchService', PUT: 'updateService' }, {
      configs: node({ GET: 'listServiceConfig' }, {}, null),
      'edge-routers': node({ GET: 'listServiceEdgeRouters' }, {}, null),
      identities: node({ GET: 'listServiceIdentities' }, {}, null),
      'service-edge-router-policies': node({ GET: 'listServiceServiceEdgeRouterPolicies' }, {}, null),
      'service-policies': node({ GET: 'listServiceServicePolicies' }, {}, null),
      terminators: node({ GET: 'listServiceTerminators' }, {}, null),
    }, null)),
    sessions: node({ GET: 'listSessions' }, {}, node({ DELETE: 'deleteSession', GET: 'detailSession' }, {
      'route-path': node({ GET: 'detailSessionRoutePath' }, {}, null),
    }, null)),
    specs: node({ GET: 'listSpecs' }, {}, node({ GET: 'detailSpec' }, {
      spec: node({ GET: 'detailSpecBody' }, {}, null),
    }, null)),
    summary: node({ GET: 'listSummary' }, {}, null),
    terminators: node({ GET: 'listTerminators', POST: 'createTerminator' }, {}, node({ DELETE: 'deleteTerminator', GET: 'detailTerminator', PATCH: 'patchTerminator', PUT: 'updateTerminator' }, {}, null)),
    'transit-routers': node({ GET: 'listTransitRouters', POST: 'createTransitRouter' }, {}, node({ DELETE: 'deleteTransitRouter', GET: 'detailTransitRouter', PATCH: 'patchTransitRouter', PUT: 'updateTransitRouter' }, {}, null)),
    version: node({ GET: 'listVersion' }, {}, null),
    webhooks: node({ GET: 'listWebhooks', POST: 'createWebhook' }, {}, node({ DELETE: 'deleteWebhook', GET: 'detailWebhook', PATCH: 'patchWebhook', PUT: 'updateWebhook' }, {
      'dead-letters': node({ GET: 'listWebhookDeadLetters' }, {}, null),
      redeliver: node({ POST: 'redeliverWebhook' }, {}, null),
    }, null)),
  }, null),
  oidc: node({}, {
    '.well-known': node({}, {
      'openid-configuration': node({ GET: 'detailConfiguration' }, {}, null),
    }, null),
    authorize: node({ GET: 'beginLogin', POST: 'beginLoginByPost' }, {
      callback: node({ GET: 'endLogin' }, {}, null),
    }, null),
    end_session: node({ GET: 'endSession', POST: 'endSessionByPost' }, {}, null),
    healthz: node({ GET: 'detailHealth' }, {}, null),
    keys: node({ GET: 'listKeys' }, {}, null),
    'logged-out': node({ GET: 'showLoggedOut' }, {}, null),
    login: node({}, {
      'auth-queries': node({ GET: 'listAuthQueries' }, {}, null),
      cert: node({ GET: 'showCertLogin', POST: 'loginByCert' }, {}, null),
      'ext-jwt': node({ GET: 'showExtJwtLogin', POST: 'loginByExtJwt' }, {}, null),
      password: node({ GET: 'showPasswordPage', POST: 'loginByPassword' }, {}, null),
      totp: node({ POST: 'loginByTotp' }, {
        enroll: node({ DELETE: 'removeTotp', POST: 'beginTotp' }, {
          verify: node({ POST: 'verifyTotp' }, {}, null),
        }, null),
      }, null),
      username: node({ GET: 'showUsernamePage', POST: 'loginByUsername' }, {}, null),
    }, null),
    oauth: node({}, {
      introspect: node({ POST: 'introspectToken' }, {}, null),
      revoke: node({ POST: 'revokeTokenAtOauth' }, {}, null),
      token: node({ POST: 'issueTokens' }, {}, null),
    }, null),
    ready: node({ GET: 'detailReadiness' }, {}, null),
    revoke: node({ POST: 'revokeToken' }, {}, null),
    userinfo: node({ GET: 'detailUserinfo', POST: 'detailUserinfoByPost' }, {}, null),
  }, null),
};
