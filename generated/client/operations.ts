// Generated from specs/ by scripts/generate. Do not edit.

import type * as Request from './request.js';
import type * as Response from './response.js';

/** What each operation takes and may answer, by operationId. */
export interface Operations {
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
  /** Issue a certificate for the current API session */
  createCurrentApiSessionCertificate: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.CurrentApiSessionCertificateCreate;
    responses: {
      201: Response.CreateCurrentApiSessionCertificateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
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
  /** Report posture data */
  createPostureResponse: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.PostureResponseCreate;
    responses: {
      201: Response.PostureResponseEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Report several pieces of posture data */
  createPostureResponseBulk: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.CreatePostureResponseBulkBody;
    responses: {
      200: Response.PostureResponseEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a session */
  createSession: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.SessionCreate;
    responses: {
      201: Response.SessionCreateEnvelope;
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
  /** Revoke a certificate of the current API session */
  deleteCurrentApiSessionCertificate: {
    permission: 'own';
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
  /** Delete a session */
  deleteSession: {
    permission: 'own';
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
  /** Read a certificate of the current API session */
  detailCurrentApiSessionCertificate: {
    permission: 'own';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailCurrentApiSessionCertificateEnvelope;
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
  /** Read a service */
  detailService: {
    permission: 'own';
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
  /** Read a session */
  detailSession: {
    permission: 'own';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailSessionEnvelope;
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
  /** Enroll by any method */
  enroll: {
    permission: 'public';
    params: {};
    query: { method?: string; token?: string };
    headers: {};
    body: Request.GenericEnroll | string | undefined;
    responses: {
      200: Response.EnrollmentCertsEnvelope | string;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      410: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enroll with a certificate of a known authority */
  enrollCa: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enroll an edge router */
  enrollErOtt: {
    permission: 'public';
    params: {};
    query: { token?: string };
    headers: {};
    body: Request.ErOttEnrollmentRequest | undefined;
    responses: {
      200: Response.EnrollmentCertsEnvelope;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
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
  /** Enroll with a one-time token */
  enrollOtt: {
    permission: 'public';
    params: {};
    query: { token?: string };
    headers: {};
    body: Request.OttEnrollmentRequest | string | undefined;
    responses: {
      200: Response.EnrollmentCertsEnvelope | string;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enroll with a one-time token and a certificate */
  enrollOttCa: {
    permission: 'public';
    params: {};
    query: { token?: string };
    headers: {};
    body: Request.OttEnrollmentRequest | undefined;
    responses: {
      200: Response.EnrollmentCertsEnvelope;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enroll with an external JWT */
  enrollToken: {
    permission: 'public';
    params: {};
    query: {};
    headers: { Authorization: string; 'ziti-token-issuer-id'?: string };
    body: Request.TokenEnrollmentRequest;
    responses: {
      200: Response.EnrollmentCertsEnvelope;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      410: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Enroll with a username and password */
  enrollUpdb: {
    permission: 'public';
    params: {};
    query: { token: string };
    headers: {};
    body: Request.EnrollUpdbBody;
    responses: {
      200: Response.EnrollmentCertsEnvelope;
      400: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      409: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Have the controller sign a nonce */
  enrollmentChallenge: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: Request.NonceChallenge;
    responses: {
      200: Response.NonceSignature;
      400: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Explain why the caller reaches a service, or what stops it */
  explainService: {
    permission: 'own';
    params: { id: string };
    query: { type?: 'dial' | 'bind' };
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
  /** Renew a router's certificates */
  extendRouterEnrollment: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: Request.RouterExtendEnrollmentRequest;
    responses: {
      200: Response.EnrollmentCertsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
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
  /** List the edge routers that the caller may use */
  getCurrentIdentityEdgeRouters: {
    permission: 'own';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListCurrentIdentityEdgeRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Keys that sign enrollment tokens */
  getEnrollmentJwks: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Jwks;
      400: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List controllers */
  listControllers: {
    permission: 'own';
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
  /** List certificates of the current API session */
  listCurrentApiSessionCertificates: {
    permission: 'own';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListCurrentApiSessionCertificatesEnvelope;
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
    permission: 'public';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListClientExternalJwtSignersEnvelope;
      400: Response.ApiErrorEnvelope;
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
  /** Protocols and addresses of the controller */
  listProtocols: {
    permission: 'public';
    params: {};
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListProtocolsEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
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
  /** List the edge routers of a service */
  listServiceEdgeRouters: {
    permission: 'own';
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: { 'session-token'?: string };
    body: undefined;
    responses: {
      200: Response.ListServiceEdgeRoutersEnvelope;
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
    permission: 'own';
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListClientTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Time of the last change to the caller's services */
  listServiceUpdates: {
    permission: 'own';
    params: {};
    query: {};
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListCurrentApiSessionServiceUpdatesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List services */
  listServices: {
    permission: 'own';
    params: {};
    query: { configTypes?: string[]; filter?: string; limit?: number; offset?: number; roleFilter?: string[]; roleSemantic?: string; sort?: string };
    headers: { 'If-None-Match'?: string };
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      304: undefined;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List sessions */
  listSessions: {
    permission: 'own';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListSessionsEnvelope;
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
