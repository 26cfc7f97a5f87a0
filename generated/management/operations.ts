// Generated from specs/ (sha256 8a3ad2977719820343859e2bfc3926e2b61243377ccf9a30bfd017abf262fb8a) by scripts/generate. Do not edit.

import type * as Request from './request.js';
import type * as Response from './response.js';

/** What each operation takes and may answer, by operationId. */
export interface Operations {
  /** Assign service configs to an identity */
  associateIdentitysServiceConfigs: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceConfigsAssignList;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Log in and open an API session */
  authenticate: {
    params: {};
    query: { method: 'password' | 'cert' | 'ext-jwt' };
    headers: { Authorization?: string };
    body: Request.Authenticate | undefined;
    responses: {
      200: Response.CurrentApiSessionDetailEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Answer the TOTP query of a session */
  authenticateMfa: {
    params: {};
    query: {};
    headers: {};
    body: Request.MfaCode;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Start a data integrity check */
  checkDataIntegrity: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an auth policy */
  createAuthPolicy: {
    params: {};
    query: {};
    headers: {};
    body: Request.AuthPolicyCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an authenticator */
  createAuthenticator: {
    params: {};
    query: {};
    headers: {};
    body: Request.AuthenticatorCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a certificate authority */
  createCa: {
    params: {};
    query: {};
    headers: {};
    body: Request.CaCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a config */
  createConfig: {
    params: {};
    query: {};
    headers: {};
    body: Request.ConfigCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a config type */
  createConfigType: {
    params: {};
    query: {};
    headers: {};
    body: Request.ConfigTypeCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create controller settings */
  createControllerSetting: {
    params: {};
    query: {};
    headers: {};
    body: Request.ControllerSettingCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Take a snapshot of the database */
  createDatabaseSnapshot: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an edge router */
  createEdgeRouter: {
    params: {};
    query: {};
    headers: {};
    body: Request.EdgeRouterCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an edge router policy */
  createEdgeRouterPolicy: {
    params: {};
    query: {};
    headers: {};
    body: Request.EdgeRouterPolicyCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an enrollment */
  createEnrollment: {
    params: {};
    query: {};
    headers: {};
    body: Request.EnrollmentCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an external JWT signer */
  createExternalJwtSigner: {
    params: {};
    query: {};
    headers: {};
    body: Request.ExternalJwtSignerCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an identity */
  createIdentity: {
    params: {};
    query: {};
    headers: {};
    body: Request.IdentityCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace the recovery codes */
  createMfaRecoveryCodes: {
    params: {};
    query: {};
    headers: {};
    body: Request.MfaCode;
    responses: {
      200: Response.DetailMfaRecoveryCodesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a posture check */
  createPostureCheck: {
    params: {};
    query: {};
    headers: {};
    body: Request.PostureCheckCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a revocation */
  createRevocation: {
    params: {};
    query: {};
    headers: {};
    body: Request.RevocationCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a router */
  createRouter: {
    params: {};
    query: {};
    headers: {};
    body: Request.RouterCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a service */
  createService: {
    params: {};
    query: {};
    headers: {};
    body: Request.ServiceCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a service edge router policy */
  createServiceEdgeRouterPolicy: {
    params: {};
    query: {};
    headers: {};
    body: Request.ServiceEdgeRouterPolicyCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a service policy */
  createServicePolicy: {
    params: {};
    query: {};
    headers: {};
    body: Request.ServicePolicyCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a terminator */
  createTerminator: {
    params: {};
    query: {};
    headers: {};
    body: Request.TerminatorCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Exchange a TOTP code for a token */
  createTotpToken: {
    params: {};
    query: {};
    headers: {};
    body: Request.MfaCode;
    responses: {
      200: Response.TotpTokenEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a transit router */
  createTransitRouter: {
    params: {};
    query: {};
    headers: {};
    body: Request.RouterCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Results of the data integrity check */
  dataIntegrityResults: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DataIntegrityCheckResultEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an API session */
  deleteAPISessions: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an auth policy */
  deleteAuthPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an authenticator */
  deleteAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a certificate authority */
  deleteCa: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a config */
  deleteConfig: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a config type */
  deleteConfigType: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete controller settings */
  deleteControllerSetting: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Log out */
  deleteCurrentApiSession: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an edge router */
  deleteEdgeRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an edge router policy */
  deleteEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an enrollment */
  deleteEnrollment: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an external JWT signer */
  deleteExternalJwtSigner: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an identity */
  deleteIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Switch TOTP off */
  deleteMfa: {
    params: {};
    query: {};
    headers: { 'mfa-validation-code'?: string };
    body: Request.MfaCode | undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a posture check */
  deletePostureCheck: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a router */
  deleteRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service */
  deleteService: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service edge router policy */
  deleteServiceEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service policy */
  deleteServicePolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a session */
  deleteSession: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a terminator */
  deleteTerminator: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a transit router */
  deleteTransitRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an API session */
  detailAPISessions: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailApiSessionEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an auth policy */
  detailAuthPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailAuthPolicyEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an authenticator */
  detailAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailAuthenticatorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a certificate authority */
  detailCa: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailCaEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a config */
  detailConfig: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailConfigEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a config type */
  detailConfigType: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailConfigTypeEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read controller settings */
  detailControllerSetting: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailControllerSettingEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read the settings in effect for a controller */
  detailControllerSettingEffective: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailControllerSettingEffectiveEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read one of the caller's authenticators */
  detailCurrentIdentityAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailAuthenticatorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an edge router */
  detailEdgeRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailedEdgeRouterEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an edge router policy */
  detailEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailEdgeRouterPolicyEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an enrollment */
  detailEnrollment: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailEnrollmentEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an external JWT signer */
  detailExternalJwtSigner: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailExternalJwtSignerEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an identity */
  detailIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailIdentityEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an identity type */
  detailIdentityType: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailIdentityTypeEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** State of the caller's TOTP enrollment */
  detailMfa: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailMfaEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** TOTP secret as a QR code */
  detailMfaQrCode: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Show the recovery codes */
  detailMfaRecoveryCodes: {
    params: {};
    query: {};
    headers: { 'mfa-validation-code'?: string };
    body: Request.MfaCode | undefined;
    responses: {
      200: Response.DetailMfaRecoveryCodesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a posture check */
  detailPostureCheck: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailPostureCheckEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a posture check type */
  detailPostureCheckType: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailPostureCheckTypeEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a revocation */
  detailRevocation: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailRevocationEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a router */
  detailRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailRouterEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service */
  detailService: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailServiceEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service edge router policy */
  detailServiceEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailServiceEdgePolicyEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service policy */
  detailServicePolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailServicePolicyEnvelop;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a session */
  detailSession: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSessionManagementEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Path of a session through the network */
  detailSessionRoutePath: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSessionRoutePathEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an entry of the API documents */
  detailSpec: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSpecEnvelope;
      404: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Download an API document */
  detailSpecBody: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      404: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a terminator */
  detailTerminator: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailTerminatorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a transit router */
  detailTransitRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailRouterEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Disable an identity */
  disableIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.DisableParams;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Remove service configs from an identity */
  disassociateIdentitysServiceConfigs: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceConfigsAssignList | undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enable an identity */
  enableIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Start a TOTP enrollment */
  enrollMfa: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      201: Response.CreateEnvelope;
      401: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Renew one of the caller's certificates */
  extendCurrentIdentityAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.IdentityExtendEnrollmentRequest;
    responses: {
      200: Response.IdentityExtendEnrollmentEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Confirm a renewed certificate */
  extendVerifyCurrentIdentityAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.IdentityExtendValidateEnrollmentRequest;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Start a data integrity check that repairs */
  fixDataIntegrity: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enrollment token of a certificate authority */
  getCaJwt: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: string;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** The caller's API session */
  getCurrentAPISession: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.CurrentApiSessionDetailEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** The caller's identity */
  getCurrentIdentity: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.CurrentIdentityDetailEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the authenticators of an identity */
  getIdentityAuthenticators: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListAuthenticatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the enrollments of an identity */
  getIdentityEnrollments: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEnrollmentsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Service requests of an identity that failed lately */
  getIdentityFailedServiceRequests: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.FailedServiceRequestEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Explain whether an identity can reach a service */
  getIdentityPolicyAdvice: {
    params: { id: string; serviceId: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.GetIdentityPolicyAdviceEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Posture data of an identity */
  getIdentityPostureData: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.PostureDataEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List API sessions */
  listAPISessions: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListApiSessionsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List auth policies */
  listAuthPolicies: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListAuthPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List authenticators */
  listAuthenticators: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListAuthenticatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List certificate authorities */
  listCas: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListCasEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the services of a config */
  listConfigServices: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List config types */
  listConfigTypes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListConfigTypesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List configs */
  listConfigs: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListConfigsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the configs of a config type */
  listConfigsForConfigType: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListConfigsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List settings of controllers */
  listControllerSettings: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListControllerSettingEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List controllers */
  listControllers: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListControllersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the caller's authenticators */
  listCurrentIdentityAuthenticators: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListAuthenticatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge router policies of an edge router */
  listEdgeRouterEdgeRouterPolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the identities of an edge router */
  listEdgeRouterIdentities: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List edge router policies */
  listEdgeRouterPolicies: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge routers of an edge router policy */
  listEdgeRouterPolicyEdgeRouters: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the identities of an edge router policy */
  listEdgeRouterPolicyIdentities: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of edge routers */
  listEdgeRouterRoleAttributes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service edge router policies of an edge router */
  listEdgeRouterServiceEdgeRouterPolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServiceEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the services of an edge router */
  listEdgeRouterServices: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List edge routers */
  listEdgeRouters: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; roleFilter?: string[]; roleSemantic?: string; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List outstanding enrollments */
  listEnrollments: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEnrollmentsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Names of all capabilities */
  listEnumeratedCapabilities: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEnumeratedCapabilitiesEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List external JWT signers */
  listExternalJwtSigners: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListExternalJwtSignersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List identities */
  listIdentities: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; roleFilter?: string[]; roleSemantic?: string; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge routers of an identity */
  listIdentityEdgeRouters: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of identities */
  listIdentityRoleAttributes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service policies of an identity */
  listIdentityServicePolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicePoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the services of an identity */
  listIdentityServices: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; policyType?: 'dial' | 'bind'; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List identity types */
  listIdentityTypes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentityTypesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge router policies of an identity */
  listIdentitysEdgeRouterPolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service configs of an identity */
  listIdentitysServiceConfigs: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServiceConfigsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Tokens that describe the network */
  listNetworkJWTs: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListNetworkJWTsEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of posture checks */
  listPostureCheckRoleAttributes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List posture check types */
  listPostureCheckTypes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListPostureCheckTypesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List posture checks */
  listPostureChecks: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; roleFilter?: string[]; roleSemantic?: string; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListPostureCheckEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List revocations */
  listRevocations: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRevocationsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Version of the controller, at the root of the API */
  listRoot: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListVersionEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List routers */
  listRouters: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the configs of a service */
  listServiceConfig: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListConfigsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List service edge router policies */
  listServiceEdgeRouterPolicies: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServiceEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge routers of a service edge router policy */
  listServiceEdgeRouterPolicyEdgeRouters: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the services of a service edge router policy */
  listServiceEdgeRouterPolicyServices: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the edge routers of a service */
  listServiceEdgeRouters: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the identities of a service */
  listServiceIdentities: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; policyType?: 'dial' | 'bind'; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List service policies */
  listServicePolicies: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicePoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the identities of a service policy */
  listServicePolicyIdentities: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the posture checks of a service policy */
  listServicePolicyPostureChecks: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListPostureCheckEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the services of a service policy */
  listServicePolicyServices: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of services */
  listServiceRoleAttributes: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service edge router policies of a service */
  listServiceServiceEdgeRouterPolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServiceEdgeRouterPoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service policies of a service */
  listServiceServicePolicies: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicePoliciesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the terminators of a service */
  listServiceTerminators: {
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List services */
  listServices: {
    params: {};
    query: { asIdentity?: string; configTypes?: string[]; filter?: string; limit?: number; offset?: number; roleFilter?: string[]; roleSemantic?: string; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List sessions */
  listSessions: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSessionsManagementEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the API documents */
  listSpecs: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSpecsEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Number of entities of each kind */
  listSummary: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSummaryCountsEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List terminators */
  listTerminators: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List transit routers */
  listTransitRouters: {
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Version and capabilities of the controller */
  listVersion: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListVersionEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Certificates of the trusted authorities */
  listWellKnownCas: {
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: string;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an auth policy */
  patchAuthPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an authenticator */
  patchAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthenticatorPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a certificate authority */
  patchCa: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.CaPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a config */
  patchConfig: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ConfigPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a config type */
  patchConfigType: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ConfigTypePatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change controller settings */
  patchControllerSetting: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ControllerSettingPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change one of the caller's authenticators */
  patchCurrentIdentityAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthenticatorPatchWithCurrent;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an edge router */
  patchEdgeRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.EdgeRouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an edge router policy */
  patchEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.EdgeRouterPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an external JWT signer */
  patchExternalJwtSigner: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ExternalJwtSignerPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an identity */
  patchIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.IdentityPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a posture check */
  patchPostureCheck: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.PostureCheckPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a router */
  patchRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service */
  patchService: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServicePatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service edge router policy */
  patchServiceEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceEdgeRouterPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service policy */
  patchServicePolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServicePolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a terminator */
  patchTerminator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.TerminatorPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a transit router */
  patchTransitRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Turn an authenticator back into an enrollment */
  reEnrollAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ReEnroll;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Return an edge router to enrollment */
  reEnrollEdgeRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Renew the token of an enrollment */
  refreshEnrollment: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.EnrollmentRefresh;
    responses: {
      200: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Remove the TOTP enrollment of an identity */
  removeIdentityMfa: {
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Ask a client to renew its certificate */
  requestExtendAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RequestExtendAuthenticator;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an auth policy */
  updateAuthPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an authenticator */
  updateAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthenticatorUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a certificate authority */
  updateCa: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.CaUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a config */
  updateConfig: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ConfigUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a config type */
  updateConfigType: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ConfigTypeUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace controller settings */
  updateControllerSetting: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ControllerSettingUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace one of the caller's authenticators */
  updateCurrentIdentityAuthenticator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.AuthenticatorUpdateWithCurrent;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an edge router */
  updateEdgeRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.EdgeRouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an edge router policy */
  updateEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.EdgeRouterPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an external JWT signer */
  updateExternalJwtSigner: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ExternalJwtSignerUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an identity */
  updateIdentity: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.IdentityUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Switch tracing of an identity on or off */
  updateIdentityTracing: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.TraceSpec;
    responses: {
      200: Response.TraceDetailEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a posture check */
  updatePostureCheck: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.PostureCheckUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a router */
  updateRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service */
  updateService: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service edge router policy */
  updateServiceEdgeRouterPolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceEdgeRouterPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service policy */
  updateServicePolicy: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServicePolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a terminator */
  updateTerminator: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.TerminatorUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a transit router */
  updateTransitRouter: {
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Prove control of a certificate authority */
  verifyCa: {
    params: { id: string };
    query: {};
    headers: {};
    body: string;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Complete the TOTP enrollment */
  verifyMfa: {
    params: {};
    query: {};
    headers: {};
    body: Request.MfaCode;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
}
