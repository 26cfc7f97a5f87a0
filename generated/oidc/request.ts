// Generated from specs/ by scripts/generate. Do not edit.

/** The parameters of `authorize` as a form. */
export interface AuthorizeForm {
  /** The client, `openziti` or `native`. */
  client_id?: string | null;
  /** SHA-256 of the verifier, in base64url. */
  code_challenge?: string | null;
  /** How the challenge is made. */
  code_challenge_method?: string | null;
  /** Names or ids of the types of configs that services are shown with; repeated. */
  configTypes?: string[] | null;
  /** How the user logs in. */
  method?: string | null;
  /** Comes back in the id token. */
  nonce?: string | null;
  /** As in the query. */
  prompt?: string | null;
  /** Where the answer goes. */
  redirect_uri?: string | null;
  /** Always refused. */
  registration?: string | null;
  /** Always refused. */
  request?: string | null;
  /** Always refused. */
  request_uri?: string | null;
  /** How the answer comes. */
  response_mode?: string | null;
  /** What the answer is. */
  response_type?: string | null;
  /** Words with spaces between. */
  scope?: string | null;
  /** Comes back with the answer. */
  state?: string | null;
}

/** A code of the second factor. */
export interface CodeForm {
  /** The login, under its other name. */
  authRequestID?: string | null;
  /** A code of the authenticator app, or a recovery code. */
  code?: string | null;
  /** The login; may be in the query instead. */
  id?: string | null;
}

/** The environment of a client, in JSON. */
export type EnvForm = {
  /** Processor architecture. */
  arch?: string | null;
  /** Domain that the device belongs to. */
  domain?: string | null;
  /** Name of the host. */
  hostname?: string | null;
  /** Operating system. */
  os?: string | null;
  /** Release of the operating system. */
  osRelease?: string | null;
  /** Version of the operating system. */
  osVersion?: string | null;
} | null;

/** What is given for tokens. */
export interface GrantForm {
  /** The client, here or in `Authorization`. */
  client_id?: string | null;
  /** The code, for `authorization_code`. */
  code?: string | null;
  /** What the challenge was made of. */
  code_verifier?: string | null;
  /** A request for a certificate of the session. */
  csr_pem?: string | null;
  /** What is given. */
  grant_type: string;
  /** The redirect URI of the login once more. */
  redirect_uri?: string | null;
  /** The refresh token, for `refresh_token`. */
  refresh_token?: string | null;
  /** The type of token that is wanted: `urn:ietf:params:oauth:token-type:` and `access_token`, `refresh_token` or `id_token`. */
  requested_token_type?: string | null;
  /** Fewer scopes than the login has. */
  scope?: string | null;
  /** A token of the login, which is not used up, for `token-exchange`. */
  subject_token?: string | null;
  /** Its type. */
  subject_token_type?: string | null;
}

/** A login. */
export interface LoginForm {
  /** The login, under its other name. */
  authRequestID?: string | null;
  /** Names or ids of the types of configs that services are shown with; repeated. */
  configTypes?: string[] | null;
  /** A request for a certificate, which comes with the tokens. */
  csrPem?: string | null;
  /** Processor architecture. */
  envArch?: string | null;
  /** Domain that the device belongs to. */
  envDomain?: string | null;
  /** Name of the host. */
  envHostname?: string | null;
  envInfo?: EnvForm;
  /** Operating system. */
  envOs?: string | null;
  /** Release of the operating system. */
  envOsRelease?: string | null;
  /** Version of the operating system. */
  envOsVersion?: string | null;
  /** The login; may be in the query instead. */
  id?: string | null;
  /** Password of the user. */
  password?: string | null;
  /** Name of the application. */
  sdkAppId?: string | null;
  /** Version of the application. */
  sdkAppVersion?: string | null;
  /** Source branch of the SDK. */
  sdkBranch?: string | null;
  sdkInfo?: SdkForm;
  /** Source revision of the SDK. */
  sdkRevision?: string | null;
  /** Name of the SDK. */
  sdkType?: string | null;
  /** Version of the SDK. */
  sdkVersion?: string | null;
  /** Name of the user. */
  username?: string | null;
}

/** The parameters of `end_session` as a form. */
export interface LogoutForm {
  /** The client. */
  client_id?: string | null;
  /** Ignored. */
  id_token_hint?: string | null;
  /** Where to go on. */
  post_logout_redirect_uri?: string | null;
  /** Comes back. */
  state?: string | null;
}

/** The software of a client, in JSON. */
export type SdkForm = {
  /** Name of the application. */
  appId?: string | null;
  /** Version of the application. */
  appVersion?: string | null;
  /** Source branch of the SDK. */
  branch?: string | null;
  /** Source revision of the SDK. */
  revision?: string | null;
  /** Name of the SDK. */
  type?: string | null;
  /** Version of the SDK. */
  version?: string | null;
} | null;

/** A token. */
export interface TokenForm {
  /** The client, here or in `Authorization`; not needed to introspect. */
  client_id?: string | null;
  /** The token. */
  token: string;
  /** Not needed; ignored. */
  token_type_hint?: string | null;
}
