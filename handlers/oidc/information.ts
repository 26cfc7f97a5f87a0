/** Documents of the provider, and what a token says of its user. */
import { SCOPES } from '../../domain/oidc/authorize-request.js';
import type * as Response from '../../generated/oidc/response.js';
import type { Caller } from '../reply.js';
import { jsonReply } from './exchange.js';
import type { OidcHandler } from './exchange.js';
import type { BareReply } from '../reply.js';

/** GET /.well-known/openid-configuration (OpenID Connect Discovery, RFC 8414): only what works is listed. */
export const configuration: OidcHandler<never, BareReply<200, Response.Configuration>> = async (
  { issuer },
  { loginProvider },
) =>
  jsonReply(200, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end_session`,
    jwks_uri: `${issuer}/keys`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [loginProvider.signer().algorithm],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_supported: ['sub', 'aud', 'exp', 'iat', 'iss', 'auth_time', 'nonce', 'amr', 'azp', 'at_hash', 'name'],
    ui_locales_supported: ['en'],
    openziti_endpoints: {
      password: `${issuer}/login/password`,
      cert: `${issuer}/login/cert`,
      ext_jwt: `${issuer}/login/ext-jwt`,
      totp: `${issuer}/login/totp`,
      totp_enroll: `${issuer}/login/totp/enroll`,
      totp_enroll_verify: `${issuer}/login/totp/enroll/verify`,
      auth_queries: `${issuer}/login/auth-queries`,
    },
  });

/** GET /keys: the key that serves TLS, under each name that it had. */
export const keys: OidcHandler<never, BareReply<200, Response.KeySet>> = async (_input, { enrollments }) =>
  jsonReply(200, { keys: enrollments.publicKeys() });

/** GET and POST /userinfo. */
export const userinfo = async ({ caller }: { readonly caller: Caller }): Promise<BareReply<200, Response.Userinfo>> =>
  jsonReply(200, { sub: caller.identityId, name: caller.identityName });

/** GET /healthz and /ready. */
export const healthy: OidcHandler<never, BareReply<200, Response.Health>> = async () =>
  jsonReply(200, { status: 'ok' });
