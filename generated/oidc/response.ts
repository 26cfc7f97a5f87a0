// Generated from specs/ by scripts/generate. Do not edit.

/** Metadata of the provider. */
export interface Configuration {
  /** Where logins begin. */
  authorization_endpoint: string;
  /** The answer has `iss` (RFC 9207). */
  authorization_response_iss_parameter_supported?: boolean | undefined;
  /** Claims of id tokens. */
  claims_supported?: readonly string[] | undefined;
  /** Methods of PKCE. */
  code_challenge_methods_supported?: readonly string[] | undefined;
  /** Where browsers log out. */
  end_session_endpoint?: string | undefined;
  /** What is given for tokens. */
  grant_types_supported?: readonly string[] | undefined;
  /** Algorithm of the signing key. */
  id_token_signing_alg_values_supported?: readonly string[] | undefined;
  /** Where tokens are explained. */
  introspection_endpoint?: string | undefined;
  /** The issuer of this host. */
  issuer: string;
  /** Where the keys are. */
  jwks_uri: string;
  openziti_endpoints: LoginEndpoints;
  /** Requests are not taken as tokens. */
  request_parameter_supported?: boolean | undefined;
  /** Requests are not fetched. */
  request_uri_parameter_supported?: boolean | undefined;
  /** How answers come. */
  response_modes_supported?: readonly string[] | undefined;
  /** What answers are. */
  response_types_supported: readonly string[];
  /** Where tokens end. */
  revocation_endpoint?: string | undefined;
  /** Clients are public. */
  revocation_endpoint_auth_methods_supported?: readonly string[] | undefined;
  /** Scopes that mean something. */
  scopes_supported?: readonly string[] | undefined;
  /** Everyone sees the same `sub`. */
  subject_types_supported?: readonly string[] | undefined;
  /** Where tokens are given. */
  token_endpoint: string;
  /** Clients are public. */
  token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  /** Languages of the pages. */
  ui_locales_supported?: readonly string[] | undefined;
  /** Where users are described. */
  userinfo_endpoint?: string | undefined;
}

/** Health of the provider. */
export interface Health {
  /** Always `ok`. */
  status: 'ok';
}

/** What a token is; without further members when it is not active. */
export interface Introspection {
  /** Whether it is good. */
  active: boolean;
  /** The client. */
  aud?: readonly string[] | undefined;
  /** The client. */
  client_id?: string | undefined;
  /** End, in seconds since 1970. */
  exp?: number | undefined;
  /** Issue, in seconds since 1970. */
  iat?: number | undefined;
  /** The issuer. */
  iss?: string | undefined;
  /** Id of the token. */
  jti?: string | undefined;
  /** Scopes of the login. */
  scope?: string | undefined;
  /** Id of the identity. */
  sub?: string | undefined;
  /** `Bearer` of an access token; a refresh token has none. */
  token_type?: string | undefined;
  /** Name of the identity. */
  username?: string | undefined;
}

/** A public key (RFC 7517). */
export interface Key {
  /** Algorithm. */
  alg: string;
  /** Curve. */
  crv?: string | undefined;
  /** Exponent of an RSA key. */
  e?: string | undefined;
  /** Name of the key. */
  kid: string;
  /** Kind of the key. */
  kty: string;
  /** Modulus of an RSA key. */
  n?: string | undefined;
  /** What it is for. */
  use: 'sig';
  /** First coordinate. */
  x?: string | undefined;
  /** Its certificate. */
  x5c?: readonly string[] | undefined;
  /** Second coordinate. */
  y?: string | undefined;
}

/** Keys. */
export interface KeySet {
  /** The key that serves TLS, under each name that it had. */
  keys: readonly Key[];
}

/** Where the steps of a login are. */
export interface LoginEndpoints {
  /** What is owed. */
  auth_queries: string;
  /** Login by certificate. */
  cert: string;
  /** Login by a token. */
  ext_jwt: string;
  /** Login by password. */
  password: string;
  /** Codes of the second factor. */
  totp: string;
  /** Begin of an enrollment. */
  totp_enroll: string;
  /** End of an enrollment. */
  totp_enroll_verify: string;
}

/** A failure of a login, or of the controller. */
export interface LoginError {
  cause?: LoginErrorCause | undefined;
  /** What went wrong, for programs. */
  code: string;
  /** What went wrong, for people. */
  message: string;
}

/** Why it failed: a field and the rule that it breaks, or another error. */
export interface LoginErrorCause {
  /** Kind of the cause. */
  code?: string | undefined;
  /** Further facts. */
  data?: Record<string, unknown> | undefined;
  /** Name of the parameter. */
  field?: string | undefined;
  /** The cause in words. */
  message?: string | undefined;
  /** The rule that the parameter breaks. */
  reason?: string | undefined;
  /** The value that was given, as text. */
  value?: string | undefined;
}

/** An object without members. */
export type Nothing = Record<string, unknown>;

/** A failure in the words of RFC 6749. */
export interface OauthError {
  /** What went wrong, for programs. */
  error: 'access_denied' | 'interaction_required' | 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'invalid_scope' | 'invalid_token' | 'login_required' | 'server_error' | 'temporarily_unavailable' | 'unauthorized_client' | 'unsupported_grant_type' | 'unsupported_response_type';
  /** What went wrong, for whoever builds the program. */
  error_description?: string | undefined;
}

/** A second factor that a login still owes. */
export interface OwedFactor {
  /** Client id to use at the provider, for `EXT-JWT`. */
  clientId?: string | null | undefined;
  /** Characters that a code consists of. */
  format?: 'numeric' | 'alpha' | 'alphaNumeric' | undefined;
  /** HTTP method to answer with. */
  httpMethod?: string | undefined;
  /** Where to answer, relative to the root of the controller, or where to get a token for `EXT-JWT`. */
  httpUrl: string;
  /** Id of the signer, for `EXT-JWT`. */
  id?: string | undefined;
  /** True when the identity has an authenticator app; else it is to be enrolled first. */
  isTotpEnrolled?: boolean | undefined;
  /** Most characters of a code. */
  maxLength?: number | undefined;
  /** Fewest characters of a code. */
  minLength?: number | undefined;
  /** Who checks the answer, the controller itself or an external provider. */
  provider: 'ziti' | 'url';
  /** Scopes to ask the provider for. */
  scopes?: readonly string[] | null | undefined;
  /** What is owed. */
  typeId: 'TOTP' | 'EXT-JWT';
}

/** The second factors that are open. */
export interface OwedFactors {
  /** One for each; null when there is none. */
  authQueries: readonly OwedFactor[] | null;
}

/** Tokens of a login. */
export interface Tokens {
  /** The access token; or, of an exchange for it, the token that was asked for. */
  access_token: string;
  /** Seconds until the access token ends. */
  expires_in?: number | undefined;
  /** The id token, with the scope `openid`. */
  id_token?: string | undefined;
  /** Type of `access_token`, of an exchange. */
  issued_token_type?: string | undefined;
  /** The refresh token, with the scope `offline_access`. */
  refresh_token?: string | undefined;
  /** Scopes of the tokens. */
  scope?: string | undefined;
  /** The certificate that was asked for, and its chain, PEM. */
  session_cert?: string | undefined;
  /** `Bearer`; `N_A` of what is no access token. */
  token_type: 'Bearer' | 'N_A';
}

/** An authenticator app that is being set up. */
export interface TotpEnrollment {
  /** Always null. */
  _links?: Record<string, unknown> | null | undefined;
  /** Time of the enrollment. */
  createdAt: string;
  /** Id of the second factor. */
  id: string;
  /** False until a code is given. */
  isVerified: boolean;
  /** What the app reads, usually as a QR code. */
  provisioningUrl: string;
  /** Each may be used once in the place of a code. */
  recoveryCodes: readonly string[];
  /** Time of the last change. */
  updatedAt: string;
}

/** A user. */
export interface Userinfo {
  /** Name of the identity. */
  name: string;
  /** Id of the identity. */
  sub: string;
}
