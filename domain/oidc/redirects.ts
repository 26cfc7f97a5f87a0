/**
 * Addresses that a login may redirect to: exactly as they are registered, but for the port of a loopback host
 * (RFC 9700 section 4.1.3, RFC 8252 section 7.3). Texts are compared, not parsed URLs: two parsers may read one text
 * differently.
 */

/** A loopback host, its port, and the rest. */
const LOOPBACK =
  /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::(\*|\d{1,5}))?((?:[/?][\x21\x24-\x5b\x5d\x5f\x61-\x7a\x7e]*)?)$/;

/** Registered unless the settings name others. Programs listen on a loopback port, or stop at its prefix. */
export const DEFAULT_REDIRECT_URIS: readonly string[] = [
  'openziti://auth/callback',
  'https://127.0.0.1:*/auth/callback',
  'http://127.0.0.1:*/auth/callback',
  'https://localhost:*/auth/callback',
  'http://localhost:*/auth/callback',
];

/** The same for the page after a logout. */
export const DEFAULT_LOGOUT_URIS: readonly string[] = DEFAULT_REDIRECT_URIS.map((uri) =>
  uri.replace(/callback$/, 'logout'),
);

/** @param registered  as `requireRedirectUri` takes them */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return registered.includes(uri) ? !uri.includes('*') : registered.some((each) => isSameButPort(uri, each));
}

function isSameButPort(uri: string, registered: string): boolean {
  const [, host, port = '', rest] = LOOPBACK.exec(uri) ?? [];
  const [, registeredHost, , registeredRest] = LOOPBACK.exec(registered) ?? [];
  return (
    host !== undefined && host === registeredHost && rest === registeredRest && port !== '*' && Number(port) < 65_536
  );
}

/** Adds parameters behind those that the URI has; values that are undefined are left out. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  if (added.length === 0) return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${added.join('&')}`;
}
