// Generated from specs/ by scripts/generate. Do not edit.

import type { NameTable } from '../operation.js';

/** The names that the objects of requests have, each with the entry of its value when that is an object. */
export const names: Readonly<Record<string, NameTable>> = {
  authorizeForm: { client_id: null, code_challenge: null, code_challenge_method: null, configTypes: null, method: null, nonce: null, prompt: null, redirect_uri: null, registration: null, request: null, request_uri: null, response_mode: null, response_type: null, scope: null, state: null },
  codeForm: { authRequestID: null, code: null, id: null },
  envForm: { arch: null, domain: null, hostname: null, os: null, osRelease: null, osVersion: null },
  grantForm: { client_id: null, code: null, code_verifier: null, csr_pem: null, grant_type: null, redirect_uri: null, refresh_token: null, requested_token_type: null, scope: null, subject_token: null, subject_token_type: null },
  loginForm: { authRequestID: null, configTypes: null, csrPem: null, envArch: null, envDomain: null, envHostname: null, envInfo: 'envForm', envOs: null, envOsRelease: null, envOsVersion: null, id: null, password: null, sdkAppId: null, sdkAppVersion: null, sdkBranch: null, sdkInfo: 'sdkForm', sdkRevision: null, sdkType: null, sdkVersion: null, username: null },
  logoutForm: { client_id: null, id_token_hint: null, post_logout_redirect_uri: null, state: null },
  sdkForm: { appId: null, appVersion: null, branch: null, revision: null, type: null, version: null },
  tokenForm: { client_id: null, token: null, token_type_hint: null },
};
