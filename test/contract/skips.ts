/**
 * Declared answers that Dredd does not provoke, one a line, each with its reason. `*` means every API or operation. The
 * suite fails when a line is no longer needed, and when an answer is skipped that no line names.
 */
import type { Api } from '../../generated/operation.js';

export interface Skip {
  readonly api: Api | '*';
  readonly operationId: string;
  /** Operations that are not meant, where `operationId` is `*`. */
  readonly except?: readonly string[];
  readonly status: number;
  /** Of the request; absent when all are meant. */
  readonly contentType?: string;
  readonly reason: string;
}

/** Ten wrong codes block the second factor of an identity. */
const GUESSABLE = ['authenticateMfa', 'verifyMfa', 'deleteMfa', 'createMfaRecoveryCodes', 'detailMfaRecoveryCodes'];

export const skips: readonly Skip[] = [
  { api: '*', operationId: '*', except: GUESSABLE, status: 429, reason: 'needs an overloaded controller' },
  { api: '*', operationId: '*', status: 503, reason: 'needs a controller without its database' },
  {
    api: '*',
    operationId: '*',
    status: 304,
    reason: 'Dredd asks for a content type, and there is no content: test/api/conditional-reads.test.ts gets them all',
  },
  {
    api: '*',
    operationId: 'detailMfaQrCode',
    status: 200,
    reason: 'an image, which Dredd takes for text; test/api/second-factor.test.ts reads it',
  },
  {
    api: '*',
    operationId: 'detailSpecBody',
    status: 200,
    reason: 'the schema describes the YAML text; asked for JSON, as Dredd does, the same comes as an object',
  },
  {
    api: '*',
    operationId: 'createTotpToken',
    status: 200,
    reason: 'needs a session of a login by OpenID Connect: test/api/oidc-information.test.ts',
  },
  { api: '*', operationId: 'createTotpToken', status: 404, reason: 'nothing is looked up' },
  {
    api: '*',
    operationId: 'createTotpToken',
    status: 409,
    reason: 'needs a session of a login by OpenID Connect: test/api/oidc-information.test.ts',
  },
  {
    api: 'client',
    operationId: 'enrollToken',
    status: 404,
    reason: 'a token of nobody known is 400, like any bad one',
  },
  {
    api: '*',
    operationId: 'extendCurrentIdentityAuthenticator',
    status: 200,
    reason: 'needs a connection that shows the present certificate, and Dredd shows none',
  },
  {
    api: '*',
    operationId: 'extendVerifyCurrentIdentityAuthenticator',
    status: 200,
    reason: 'needs a certificate that only such a connection can ask for',
  },
  {
    api: 'management',
    operationId: 'updateAuthenticator',
    status: 409,
    reason: 'whatever a change clashes with is answered 400',
  },
  {
    api: 'management',
    operationId: 'patchAuthenticator',
    status: 409,
    reason: 'whatever a change clashes with is answered 400',
  },
  {
    api: 'client',
    operationId: 'enroll',
    status: 409,
    contentType: 'application/x-pem-file',
    reason: 'nothing clashes with a new certificate',
  },
  {
    api: 'client',
    operationId: 'enroll',
    status: 409,
    contentType: 'application/pkcs7',
    reason: 'nothing clashes with a new certificate',
  },
  {
    api: 'client',
    operationId: 'enroll',
    status: 409,
    contentType: 'text/plain',
    reason: 'nothing clashes with a new certificate',
  },
  { api: 'client', operationId: 'enrollOtt', status: 409, reason: 'nothing clashes with a new certificate' },
  { api: 'client', operationId: 'enrollErOtt', status: 409, reason: 'nothing clashes with a new certificate' },
  {
    api: 'client',
    operationId: 'extendRouterEnrollment',
    status: 200,
    reason: 'needs a client certificate in the TLS handshake, and Dredd shows none',
  },
  {
    api: 'client',
    operationId: 'enrollCa',
    status: 200,
    reason: 'needs a TLS client certificate, which Dredd cannot show',
  },
  { api: 'client', operationId: 'enrollCa', status: 404, reason: 'nothing is looked up by a token or an id' },
  {
    api: 'client',
    operationId: 'enrollCa',
    status: 409,
    reason: 'needs a TLS client certificate, which Dredd cannot show',
  },
  {
    api: 'client',
    operationId: 'enrollOttCa',
    status: 200,
    reason: 'needs a TLS client certificate, which Dredd cannot show',
  },
  {
    api: 'client',
    operationId: 'enrollOttCa',
    status: 409,
    reason: 'needs a TLS client certificate, which Dredd cannot show',
  },
  {
    api: 'client',
    operationId: 'deleteCurrentApiSessionCertificate',
    status: 400,
    reason: 'no entity of this kind belongs to the controller itself',
  },
  { api: 'fabric', operationId: 'detailLink', status: 200, reason: 'needs routers that are connected' },
  { api: 'fabric', operationId: 'patchLink', status: 200, reason: 'needs routers that are connected' },
  { api: 'fabric', operationId: 'deleteLink', status: 200, reason: 'needs routers that are connected' },
  { api: 'fabric', operationId: 'detailCircuit', status: 200, reason: 'needs routers that are connected' },
  { api: 'fabric', operationId: 'deleteCircuit', status: 200, reason: 'needs routers that are connected' },
  { api: 'fabric', operationId: 'clusterMemberAdd', status: 200, reason: 'always refused' },
  { api: 'fabric', operationId: 'clusterMemberRemove', status: 200, reason: 'always refused' },
  { api: 'fabric', operationId: 'clusterTransferLeadership', status: 200, reason: 'always refused' },
  {
    api: 'oidc',
    operationId: 'loginByCert',
    status: 200,
    reason: 'needs a TLS client certificate: test/api/oidc-factors.test.ts',
  },
  {
    api: 'oidc',
    operationId: 'loginByCert',
    status: 302,
    reason: 'needs a TLS client certificate: test/api/oidc-certificates.test.ts',
  },
  { api: 'management', operationId: 'deleteControllerSetting', status: 409, reason: 'nothing depends on it' },
  {
    api: 'client',
    operationId: 'deleteSession',
    status: 400,
    reason: 'no entity of this kind belongs to the controller itself',
  },
  { api: '*', operationId: 'deleteSession', status: 409, reason: 'nothing depends on it' },
  { api: 'management', operationId: 'deleteTerminator', status: 409, reason: 'nothing depends on it' },
  {
    api: 'management',
    operationId: 'deleteIdentity',
    status: 409,
    reason: 'whatever depends on it is deleted along with it',
  },
  {
    api: 'management',
    operationId: 'deleteServicePolicy',
    status: 409,
    reason: 'whatever depends on it is deleted along with it',
  },
  { api: '*', operationId: 'deleteService', status: 409, reason: 'whatever depends on it is deleted along with it' },
  {
    api: 'management',
    operationId: 'deleteEdgeRouterPolicy',
    status: 409,
    reason: 'whatever depends on it is deleted along with it',
  },
  {
    api: 'management',
    operationId: 'deleteServiceEdgeRouterPolicy',
    status: 409,
    reason: 'whatever depends on it is deleted along with it',
  },
  {
    api: 'management',
    operationId: 'deleteEdgeRouter',
    status: 409,
    reason: 'whatever depends on it is deleted along with it',
  },
];

export interface Answered {
  readonly api: Api;
  readonly operationId: string;
  readonly status: number;
  readonly contentType: string;
}

export function skipsOf({ api, operationId, status, contentType }: Answered): Skip[] {
  return skips.filter(
    (skip) =>
      (skip.api === '*' || skip.api === api) &&
      (skip.operationId === operationId || (skip.operationId === '*' && skip.except?.includes(operationId) !== true)) &&
      skip.status === status &&
      (skip.contentType === undefined || skip.contentType === contentType),
  );
}
