/** Failures in the words of OAuth 2.0: what the endpoints under /oidc answer with, or redirect with. */

/** Codes of RFC 6749 (4.1.2.1, 5.2), OpenID Connect Core (3.1.2.6) and RFC 8693. */
export type OauthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'login_required'
  | 'interaction_required'
  | 'temporarily_unavailable'
  | 'server_error';

/** The description is text of ours and repeats nothing that was sent. */
export class OauthFault extends Error {
  constructor(
    readonly error: OauthError,
    readonly description: string,
    readonly status = 400,
  ) {
    super(`${error}: ${description}`);
    this.name = 'OauthFault';
  }
}
