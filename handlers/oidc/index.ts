/** Every endpoint of OpenID Connect, by its path below /oidc and its method. */
import { beginLogin, endLogin } from './authorize.js';
import { endSession, loggedOut, revoke } from './ends.js';
import type { OidcHandler } from './exchange.js';
import { configuration, healthy, keys, userinfo } from './information.js';
import { introspect } from './introspection.js';
import { authQueries, showLogin, takeLogin } from './login.js';
import { token } from './token.js';
import { beginTotp, removeTotp, takeCode, verifyTotp } from './totp.js';

export interface OidcEndpoint {
  readonly GET?: OidcHandler;
  readonly POST?: OidcHandler;
  readonly DELETE?: OidcHandler;
  /** How a login is tried here, for the audit record of refusals; '' where the request says it. */
  readonly login?: string;
}

export const ENDPOINTS: Readonly<Record<string, OidcEndpoint>> = {
  '.well-known/openid-configuration': { GET: configuration },
  'authorize': { GET: beginLogin, POST: beginLogin },
  'authorize/callback': { GET: endLogin },
  'login/username': { GET: showLogin('password'), POST: takeLogin('password'), login: 'password' },
  'login/password': { GET: showLogin('password'), POST: takeLogin('password'), login: 'password' },
  'login/cert': { GET: showLogin('cert'), POST: takeLogin('cert'), login: 'cert' },
  'login/ext-jwt': { GET: showLogin('ext-jwt'), POST: takeLogin('ext-jwt'), login: 'ext-jwt' },
  'login/totp': { POST: takeCode, login: 'totp' },
  'login/totp/enroll': { POST: beginTotp, DELETE: removeTotp, login: 'totp' },
  'login/totp/enroll/verify': { POST: verifyTotp, login: 'totp' },
  'login/auth-queries': { GET: authQueries },
  'oauth/token': { POST: token },
  'oauth/introspect': { POST: introspect },
  'oauth/revoke': { POST: revoke },
  'revoke': { POST: revoke },
  'keys': { GET: keys },
  'userinfo': { GET: userinfo, POST: userinfo },
  'end_session': { GET: endSession, POST: endSession },
  'logged-out': { GET: loggedOut },
  'healthz': { GET: healthy },
  'ready': { GET: healthy },
};
