/** Settings of logins by OpenID Connect. Part of the table in config.ts; docs/authentication.md has their use. */
import { requireRedirectUri } from '../../domain/auth/redirect-uri.js';
import { parseHost } from '../../domain/pki/server-name.js';
import { duration, listSetting, parseFlag, parseText, setting } from './setting-kinds.js';

const DAY_SECONDS = 86_400;
const redirectUri = (value: unknown): string => requireRedirectUri('redirect URI', parseText(value));

export const OIDC = {
  oidcEnabled: setting(
    'oidc.enabled',
    'EDGE_OIDC_ENABLED',
    parseFlag,
    true,
    'Whether users can log in by OpenID Connect at /oidc. The same on all controllers.',
  ),
  oidcAccessToken: setting(
    'edge.oidc.accessTokenDuration',
    'EDGE_OIDC_ACCESS_TOKEN',
    duration(60, DAY_SECONDS),
    1800,
    'How long an access token is good.',
  ),
  oidcIdToken: setting(
    'edge.oidc.idTokenDuration',
    'EDGE_OIDC_ID_TOKEN',
    duration(60, DAY_SECONDS),
    1800,
    'How long an id token is good.',
  ),
  oidcRefreshToken: setting(
    'edge.oidc.refreshTokenDuration',
    'EDGE_OIDC_REFRESH_TOKEN',
    duration(120, 365 * DAY_SECONDS),
    DAY_SECONDS,
    'How long a refresh token is good: a client that does nothing for so long must log in again.',
  ),
  oidcSession: setting(
    'oidc.sessionDuration',
    'EDGE_OIDC_SESSION',
    duration(120, 365 * DAY_SECONDS),
    30 * DAY_SECONDS,
    'How long tokens that come of one login can be refreshed, whatever the client does.',
  ),
  oidcHosts: setting(
    'oidc.hosts',
    'EDGE_OIDC_HOSTS',
    listSetting((value) => parseHost(parseText(value))),
    [] as readonly string[],
    'Host names at which users log in, besides those of the server certificate and of the advertised addresses: what ' +
      'only a wildcard of the certificate names must be listed. The same on all controllers.',
  ),
  oidcRedirectUris: setting(
    'oidc.redirectURIs',
    'EDGE_OIDC_REDIRECT_URIS',
    listSetting(redirectUri),
    [] as readonly string[],
    'Addresses that a login may return to, exactly as clients send them, but for the port of a loopback host; unset: ' +
      '/auth/callback on loopback hosts, of the scheme openziti, and at the advertised address.',
  ),
  oidcLogoutUris: setting(
    'oidc.postLogoutURIs',
    'EDGE_OIDC_POST_LOGOUT_URIS',
    listSetting(redirectUri),
    [] as readonly string[],
    'The same for a logout; unset: /auth/logout at the same places.',
  ),
};
