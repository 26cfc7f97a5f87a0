/** The whole `WWW-Authenticate` of each refusal, as the specs' users know them. */
export const NO_SESSION =
  'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",' +
  'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
export const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';
export const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';
