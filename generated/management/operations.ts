// Generated from specs/ by scripts/generate. Do not edit.

import type * as Request from './request.js';
import type * as Response from './response.js';

/** What each operation takes and may answer, by operationId. */
export interface Operations {
  /** Assign service configs to an identity */
  associateIdentitysServiceConfigs: {
    permission: 'admin';
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
    permission: 'public';
    params: {};
    query: { method: 'password' | 'cert' | 'ext-jwt' };
    headers: { Authorization?: string };
    body: Request.Authenticate | undefined;
    responses: {
      200: Response.CurrentApiSessionDetailEnvelope;
      400: Response.ApiErrorEnvelope;
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
    permission: 'partial';
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an auth policy */
  createAuthPolicy: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create an edge router */
  createEdgeRouter: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.EdgeRouterCreate;
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
  /** Create an edge router policy */
  createEdgeRouterPolicy: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.ExternalJwtSignerCreate;
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
  /** Create an identity */
  createIdentity: {
    permission: 'admin';
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
    permission: 'own';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.RouterCreate;
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
  /** Create a service */
  createService: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.MfaCode;
    responses: {
      200: Response.TotpTokenEnvelope;
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
  /** Create a transit router */
  createTransitRouter: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.RouterCreate;
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
  /** Create a webhook */
  createWebhook: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.WebhookCreate;
    responses: {
      201: Response.CreateWebhookEnvelope;
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DataIntegrityCheckResultEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an API session */
  deleteAPISessions: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an auth policy */
  deleteAuthPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an authenticator */
  deleteAuthenticator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a certificate authority */
  deleteCa: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a config */
  deleteConfig: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a config type */
  deleteConfigType: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete controller settings */
  deleteControllerSetting: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Log out */
  deleteCurrentApiSession: {
    permission: 'partial';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an edge router */
  deleteEdgeRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an edge router policy */
  deleteEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an enrollment */
  deleteEnrollment: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an external JWT signer */
  deleteExternalJwtSigner: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete an identity */
  deleteIdentity: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Switch TOTP off */
  deleteMfa: {
    permission: 'partial';
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
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      403: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a router */
  deleteRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service */
  deleteService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service edge router policy */
  deleteServiceEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service policy */
  deleteServicePolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a session */
  deleteSession: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a terminator */
  deleteTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a transit router */
  deleteTransitRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a webhook */
  deleteWebhook: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an API session */
  detailAPISessions: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailApiSessionEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an audit record */
  detailAudit: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailAuditEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an auth policy */
  detailAuthPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailAuthPolicyEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an authenticator */
  detailAuthenticator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailAuthenticatorEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a certificate authority */
  detailCa: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailCaEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a config */
  detailConfig: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailConfigEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a config type */
  detailConfigType: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailConfigTypeEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read controller settings */
  detailControllerSetting: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailControllerSettingEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read the settings in effect for a controller */
  detailControllerSettingEffective: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailControllerSettingEffectiveEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read one of the caller's authenticators */
  detailCurrentIdentityAuthenticator: {
    permission: 'own';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailAuthenticatorEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an edge router */
  detailEdgeRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailedEdgeRouterEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an edge router policy */
  detailEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailEdgeRouterPolicyEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an enrollment */
  detailEnrollment: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailEnrollmentEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an external JWT signer */
  detailExternalJwtSigner: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailExternalJwtSignerEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an identity */
  detailIdentity: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailIdentityEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an identity type */
  detailIdentityType: {
    permission: 'own';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailIdentityTypeEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** State of the caller's TOTP enrollment */
  detailMfa: {
    permission: 'partial';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailMfaEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** TOTP secret as a QR code */
  detailMfaQrCode: {
    permission: 'partial';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Show the recovery codes */
  detailMfaRecoveryCodes: {
    permission: 'own';
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
  /** Show who reaches what */
  detailNetworkAccess: {
    permission: 'admin';
    params: {};
    query: { identityId?: string; nodes?: number; policyId?: string; q?: string; role?: string; serviceId?: string; state?: 'allowed' | 'blocked' | 'disabled' | 'posture' | 'unreachable' | 'unknown'; type?: 'Dial' | 'Bind' };
    headers: {};
    body: undefined;
    responses: {
      200: Response.NetworkAccessEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Show the state of the network at a glance */
  detailNetworkOverview: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.NetworkOverviewEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Show traffic and dials of the last hours */
  detailNetworkUsage: {
    permission: 'admin';
    params: {};
    query: { entityId?: string; hours?: number; kind?: 'service' | 'router' | 'link'; top?: number };
    headers: {};
    body: undefined;
    responses: {
      200: Response.NetworkUsageEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a posture check */
  detailPostureCheck: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailPostureCheckEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a posture check type */
  detailPostureCheckType: {
    permission: 'own';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailPostureCheckTypeEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a revocation */
  detailRevocation: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailRevocationEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a router */
  detailRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailRouterEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service */
  detailService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailServiceEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service edge router policy */
  detailServiceEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailServiceEdgePolicyEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service policy */
  detailServicePolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailServicePolicyEnvelop;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a session */
  detailSession: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailSessionManagementEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Path of a session through the network */
  detailSessionRoutePath: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSessionRoutePathEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read an entry of the API documents */
  detailSpec: {
    permission: 'public';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSpecEnvelope;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Download an API document */
  detailSpecBody: {
    permission: 'public';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Buffer;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a terminator */
  detailTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailTerminatorEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a transit router */
  detailTransitRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailRouterEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a webhook */
  detailWebhook: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.DetailWebhookEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Disable an identity */
  disableIdentity: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
  /** Start a TOTP enrollment */
  enrollMfa: {
    permission: 'partial';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Explain why an identity reaches a service, or what stops it */
  explainIdentityAccess: {
    permission: 'admin';
    params: { id: string; serviceId: string };
    query: { routerId?: string; type?: 'dial' | 'bind' };
    headers: {};
    body: undefined;
    responses: {
      200: Response.AccessExplanationEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Renew one of the caller's certificates */
  extendCurrentIdentityAuthenticator: {
    permission: 'own';
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
    permission: 'own';
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
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enrollment token of a certificate authority */
  getCaJwt: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** The caller's API session */
  getCurrentAPISession: {
    permission: 'partial';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.CurrentApiSessionDetailEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** The caller's identity */
  getCurrentIdentity: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.CurrentIdentityDetailEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the authenticators of an identity */
  getIdentityAuthenticators: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.FailedServiceRequestEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Explain whether an identity can reach a service */
  getIdentityPolicyAdvice: {
    permission: 'admin';
    params: { id: string; serviceId: string };
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.GetIdentityPolicyAdviceEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Posture data of an identity */
  getIdentityPostureData: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.PostureDataEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List API sessions */
  listAPISessions: {
    permission: 'admin';
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
  /** List audit records */
  listAudit: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListAuditEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List auth policies */
  listAuthPolicies: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'own';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
  /** List where the role attributes of edge routers are used */
  listEdgeRouterRoleAttributeUsage: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string; withIds?: boolean };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributeUsagesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of edge routers */
  listEdgeRouterRoleAttributes: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service edge router policies of an edge router */
  listEdgeRouterServiceEdgeRouterPolicies: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'public';
    params: {};
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListEnumeratedCapabilitiesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Names of all capabilities of routers */
  listEnumeratedRouterCapabilities: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListEnumeratedRouterCapabilitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List external JWT signers */
  listExternalJwtSigners: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
  /** List where the role attributes of identities are used */
  listIdentityRoleAttributeUsage: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string; withIds?: boolean };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributeUsagesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of identities */
  listIdentityRoleAttributes: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service policies of an identity */
  listIdentityServicePolicies: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'own';
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
    permission: 'admin';
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
    permission: 'admin';
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
  /** List identities that reach a service */
  listNetworkAccessIdentities: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; policyId?: string; roles?: string[]; serviceId: string; sort?: string; state?: 'allowed' | 'blocked' | 'disabled' | 'posture' | 'unreachable' | 'unknown'; type?: 'Dial' | 'Bind' };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListNetworkAccessReachedEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List services that an identity reaches */
  listNetworkAccessServices: {
    permission: 'admin';
    params: {};
    query: { filter?: string; identityId: string; limit?: number; offset?: number; policyId?: string; roles?: string[]; sort?: string; state?: 'allowed' | 'blocked' | 'disabled' | 'posture' | 'unreachable' | 'unknown'; type?: 'Dial' | 'Bind' };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListNetworkAccessReachedEnvelope;
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
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListNetworkJWTsEnvelope;
      400: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List where the role attributes of posture checks are used */
  listPostureCheckRoleAttributeUsage: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string; withIds?: boolean };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributeUsagesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of posture checks */
  listPostureCheckRoleAttributes: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List posture check types */
  listPostureCheckTypes: {
    permission: 'own';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'public';
    params: {};
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListVersionEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List routers */
  listRouters: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
  /** List where the role attributes of services are used */
  listServiceRoleAttributeUsage: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string; withIds?: boolean };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoleAttributeUsagesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the role attributes of services */
  listServiceRoleAttributes: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListRoleAttributesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the service edge router policies of a service */
  listServiceServiceEdgeRouterPolicies: {
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'admin';
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
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSpecsEnvelope;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Number of entities of each kind */
  listSummary: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSummaryCountsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List terminators */
  listTerminators: {
    permission: 'admin';
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
    permission: 'admin';
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
  /** List identities that nobody uses */
  listUnusedIdentities: {
    permission: 'admin';
    params: {};
    query: { days?: number; filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListUnusedIdentitiesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List services that nobody uses */
  listUnusedServices: {
    permission: 'admin';
    params: {};
    query: { days?: number; filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListUnusedServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Version and capabilities of the controller */
  listVersion: {
    permission: 'public';
    params: {};
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListVersionEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the dead letters of a webhook */
  listWebhookDeadLetters: {
    permission: 'admin';
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListWebhookDeadLettersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List webhooks */
  listWebhooks: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListWebhooksEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Certificates of the trusted authorities */
  listWellKnownCas: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an auth policy */
  patchAuthPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.AuthPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an authenticator */
  patchAuthenticator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.AuthenticatorPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a certificate authority */
  patchCa: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.CaPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a config */
  patchConfig: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ConfigPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a config type */
  patchConfigType: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ConfigTypePatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change controller settings */
  patchControllerSetting: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ControllerSettingPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change one of the caller's authenticators */
  patchCurrentIdentityAuthenticator: {
    permission: 'own';
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
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.EdgeRouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an edge router policy */
  patchEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.EdgeRouterPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an external JWT signer */
  patchExternalJwtSigner: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ExternalJwtSignerPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change an identity */
  patchIdentity: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.IdentityPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a posture check */
  patchPostureCheck: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.PostureCheckPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a router */
  patchRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.RouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service */
  patchService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServicePatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service edge router policy */
  patchServiceEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServiceEdgeRouterPolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service policy */
  patchServicePolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServicePolicyPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a terminator */
  patchTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.TerminatorPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a transit router */
  patchTransitRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.RouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a webhook */
  patchWebhook: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.WebhookPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Turn an authenticator back into an enrollment */
  reEnrollAuthenticator: {
    permission: 'admin';
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
    permission: 'admin';
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
  /** Send dead letters again */
  redeliverWebhook: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.WebhookRedeliver;
    responses: {
      200: Response.RedeliverWebhookEnvelope;
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
  /** Renew the token of an enrollment */
  refreshEnrollment: {
    permission: 'admin';
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
    permission: 'admin';
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
  /** Ask a client to renew its certificate */
  requestExtendAuthenticator: {
    permission: 'admin';
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
  /** Events as they happen */
  streamEvents: {
    permission: 'admin';
    params: {};
    query: { kinds?: string; lastEventId?: string; until?: 'now' };
    headers: { 'Last-Event-ID'?: string };
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an auth policy */
  updateAuthPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.AuthPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an authenticator */
  updateAuthenticator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.AuthenticatorUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a certificate authority */
  updateCa: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.CaUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a config */
  updateConfig: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ConfigUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a config type */
  updateConfigType: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ConfigTypeUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace controller settings */
  updateControllerSetting: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ControllerSettingUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace one of the caller's authenticators */
  updateCurrentIdentityAuthenticator: {
    permission: 'own';
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
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.EdgeRouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an edge router policy */
  updateEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.EdgeRouterPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an external JWT signer */
  updateExternalJwtSigner: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ExternalJwtSignerUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace an identity */
  updateIdentity: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.IdentityUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Switch tracing of an identity on or off */
  updateIdentityTracing: {
    permission: 'admin';
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
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.PostureCheckUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a router */
  updateRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.RouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service */
  updateService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServiceUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service edge router policy */
  updateServiceEdgeRouterPolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServiceEdgeRouterPolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service policy */
  updateServicePolicy: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.ServicePolicyUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a terminator */
  updateTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.TerminatorUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a transit router */
  updateTransitRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.RouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a webhook */
  updateWebhook: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: { 'If-Match'?: string };
    body: Request.WebhookUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      412: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Prove control of a certificate authority */
  verifyCa: {
    permission: 'admin';
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
    permission: 'partial';
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
