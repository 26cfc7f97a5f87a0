// Generated from specs/ by scripts/generate. Do not edit.

import type * as Request from './request.js';
import type * as Response from './response.js';

/** What each operation takes and may answer, by operationId. */
export interface Operations {
  /** Begin a login */
  beginLogin: {
    permission: 'public';
    params: {};
    query: { client_id?: string; code_challenge?: string; code_challenge_method?: string; configTypes?: string[]; method?: string; nonce?: string; prompt?: string; redirect_uri?: string; registration?: string; request?: string; request_uri?: string; response_mode?: string; response_type?: string; scope?: string; state?: string };
    headers: {};
    body: undefined;
    responses: {
      302: undefined;
      400: Response.OauthError;
      429: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Begin a login by a form */
  beginLoginByPost: {
    permission: 'public';
    params: {};
    query: { client_id?: string; code_challenge?: string; code_challenge_method?: string; configTypes?: string[]; method?: string; nonce?: string; prompt?: string; redirect_uri?: string; registration?: string; request?: string; request_uri?: string; response_mode?: string; response_type?: string; scope?: string; state?: string };
    headers: {};
    body: Request.AuthorizeForm | undefined;
    responses: {
      302: undefined;
      400: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Begin to enroll an authenticator app */
  beginTotp: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.CodeForm | undefined;
    responses: {
      201: Response.TotpEnrollment;
      400: Response.LoginError;
      401: Response.LoginError;
      409: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** What the provider offers */
  detailConfiguration: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Configuration;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Whether the provider answers */
  detailHealth: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Health;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Whether the provider answers, under its other name */
  detailReadiness: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Health;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Who the user is */
  detailUserinfo: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Userinfo;
      400: Response.OauthError;
      401: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Who the user is, by POST */
  detailUserinfoByPost: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Userinfo;
      400: Response.OauthError;
      401: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** End a login with a code */
  endLogin: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      302: undefined;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log a browser out */
  endSession: {
    permission: 'public';
    params: {};
    query: { client_id?: string; id_token_hint?: string; post_logout_redirect_uri?: string; state?: string };
    headers: {};
    body: undefined;
    responses: {
      302: undefined;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log a browser out by a form */
  endSessionByPost: {
    permission: 'public';
    params: {};
    query: { client_id?: string; id_token_hint?: string; post_logout_redirect_uri?: string; state?: string };
    headers: {};
    body: Request.LogoutForm | undefined;
    responses: {
      302: undefined;
      400: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** What a token is */
  introspectToken: {
    permission: 'own';
    params: {};
    query: {};
    headers: {};
    body: Request.TokenForm;
    responses: {
      200: Response.Introspection;
      400: Response.OauthError;
      401: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Get tokens */
  issueTokens: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: Request.GrantForm;
    responses: {
      200: Response.Tokens;
      400: Response.OauthError;
      401: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** What a login still owes */
  listAuthQueries: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.OwedFactors;
      400: Response.LoginError;
      401: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** The keys that sign tokens */
  listKeys: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.KeySet;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log in by certificate */
  loginByCert: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.LoginForm | undefined;
    responses: {
      200: Response.OwedFactors | string;
      302: undefined;
      400: Response.LoginError;
      401: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log in by token */
  loginByExtJwt: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.LoginForm | undefined;
    responses: {
      200: Response.OwedFactors | string;
      302: undefined;
      400: Response.LoginError;
      401: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log in by password */
  loginByPassword: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.LoginForm | undefined;
    responses: {
      200: Response.OwedFactors | string;
      302: undefined;
      400: Response.LoginError;
      401: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Give a code of the second factor */
  loginByTotp: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.CodeForm | undefined;
    responses: {
      302: undefined;
      400: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Log in by username */
  loginByUsername: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.LoginForm | undefined;
    responses: {
      200: Response.OwedFactors | string;
      302: undefined;
      400: Response.LoginError;
      401: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Remove an authenticator app */
  removeTotp: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.CodeForm | undefined;
    responses: {
      200: Response.Nothing;
      400: Response.LoginError;
      401: Response.LoginError;
      404: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** End a token */
  revokeToken: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: Request.TokenForm;
    responses: {
      200: undefined;
      400: Response.OauthError;
      401: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** End a token, under its other path */
  revokeTokenAtOauth: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: Request.TokenForm;
    responses: {
      200: undefined;
      400: Response.OauthError;
      401: Response.OauthError;
      413: Response.LoginError;
      415: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Where to log in by certificate */
  showCertLogin: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.LoginError;
      401: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Where to log in by a token */
  showExtJwtLogin: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.LoginError;
      401: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Page after a logout */
  showLoggedOut: {
    permission: 'public';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.OauthError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Page for a password, under its other name */
  showPasswordPage: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.LoginError;
      401: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Page for username and password */
  showUsernamePage: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Buffer;
      400: Response.LoginError;
      401: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
  /** Finish enrolling an authenticator app */
  verifyTotp: {
    permission: 'public';
    params: {};
    query: { authRequestID?: string; id?: string };
    headers: {};
    body: Request.CodeForm | undefined;
    responses: {
      200: Response.OwedFactors | string;
      302: undefined;
      400: Response.LoginError;
      401: Response.LoginError;
      404: Response.LoginError;
      413: Response.LoginError;
      415: Response.LoginError;
      429: Response.LoginError;
      503: Response.LoginError;
      default: Response.LoginError;
    };
  };
}
