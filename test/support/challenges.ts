/** The whole `WWW-Authenticate` of each refusal, as the specs' users know them. */
export const NO_SESSION =
  'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",' +
  'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
export const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';
export const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';
/** The same of single sign-on, by RFC 6750. */
export const NO_ACCESS_TOKEN = 'Bearer error="invalid_request", error_description="access token missing"';
export const BAD_ACCESS_TOKEN = 'Bearer error="invalid_token", error_description="the access token is good no longer"';
