/**
 * Rules for the URIs that a login or a logout may redirect to. A code that is sent to such a URI opens a session, so no
 * other party may read it on its way, and the URI must name one host.
 */
import { invalidField } from '../errors.js';

const SCHEME = /^([a-z][a-z0-9+.-]*):/;
/** Schemes that a browser handles itself, or that reach no server. */
const NEVER = new Set([
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'javascript',
  'vbscript',
  'view-source',
  'ws',
  'wss',
]);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const ANY_PORT = /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\*(?=[/?]|$)/;

/** @throws DomainError `invalidField` unless it is one that may be allowed */
export function requireRedirectUri(field: string, uri: string): string {
  const fault = (reason: string) => invalidField(field, reason, uri);
  const scheme = SCHEME.exec(uri)?.[1];
  if (scheme === undefined) throw fault('must be a whole URI, with its scheme in lower case');
  if (/[\s\p{Cc}\\"<>^`{|}]/u.test(uri)) throw fault('must not have white space or characters that no URI has');
  if (uri.includes('#')) throw fault('must not have a fragment');
  if (NEVER.has(scheme)) throw fault(`the scheme ${scheme} is not allowed`);
  const plain = uri.replace(ANY_PORT, '$1:1');
  if (plain.includes('*')) throw fault('may have * in one place only: as the port of a loopback host');
  if (!URL.canParse(plain)) throw fault('must be a whole URI');
  const { username, password, hostname } = new URL(plain);
  if (username !== '' || password !== '') throw fault('must not name a user');
  if (scheme === 'http' && !LOOPBACK.has(hostname)) throw fault('must be https, except on a loopback host');
  return uri;
}
