/** Handlers of single sign-on, by operationId. */
import type { HandlerMap } from '../handler.js';
import { beginLogin, endLogin } from './authorize.js';
import { endSession, loggedOut, revoke } from './ends.js';
import { checked, provider } from './exchange.js';
import { configuration, healthy, keys, userinfo } from './information.js';
import { introspect } from './introspection.js';
import { authQueries, showLogin, takeLogin } from './login.js';
import { token } from './token.js';
import { beginTotp, removeTotp, takeCode, verifyTotp } from './totp.js';

export const oidcHandlers = {
  beginLogin: checked<'beginLogin'>(beginLogin),
  beginLoginByPost: checked<'beginLoginByPost'>(beginLogin),
  beginTotp: provider<'beginTotp'>(beginTotp),
  detailConfiguration: provider<'detailConfiguration'>(configuration),
  detailHealth: provider<'detailHealth'>(healthy),
  detailReadiness: provider<'detailReadiness'>(healthy),
  detailUserinfo: provider<'detailUserinfo'>(userinfo),
  detailUserinfoByPost: provider<'detailUserinfoByPost'>(userinfo),
  endLogin: provider<'endLogin'>(endLogin),
  endSession: provider<'endSession'>(endSession),
  endSessionByPost: provider<'endSessionByPost'>(endSession),
  introspectToken: provider<'introspectToken'>(introspect),
  issueTokens: provider<'issueTokens'>(token),
  listAuthQueries: provider<'listAuthQueries'>(authQueries),
  listKeys: provider<'listKeys'>(keys),
  loginByCert: provider<'loginByCert'>(takeLogin('cert')),
  loginByExtJwt: provider<'loginByExtJwt'>(takeLogin('ext-jwt')),
  loginByPassword: provider<'loginByPassword'>(takeLogin('password')),
  loginByTotp: provider<'loginByTotp'>(takeCode),
  loginByUsername: provider<'loginByUsername'>(takeLogin('password')),
  removeTotp: provider<'removeTotp'>(removeTotp),
  revokeToken: provider<'revokeToken'>(revoke),
  revokeTokenAtOauth: provider<'revokeTokenAtOauth'>(revoke),
  showCertLogin: provider<'showCertLogin'>(showLogin('cert')),
  showExtJwtLogin: provider<'showExtJwtLogin'>(showLogin('ext-jwt')),
  showLoggedOut: provider<'showLoggedOut'>(loggedOut),
  showPasswordPage: provider<'showPasswordPage'>(showLogin('password')),
  showUsernamePage: provider<'showUsernamePage'>(showLogin('password')),
  verifyTotp: provider<'verifyTotp'>(verifyTotp),
} satisfies HandlerMap<'oidc'>;
