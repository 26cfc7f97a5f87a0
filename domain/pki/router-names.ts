/**
 * Under which host names and addresses a router may be reached. A router says so itself, in the request for its server
 * certificate, and whoever holds an enrollment token writes that request: a name that is a controller's would let it
 * pass for the controller.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { DomainError } from '../errors.js';
import type { SigningRequest } from './csr.js';
import { parseHost, parseHostPort } from './server-name.js';
import type { ServerNames } from './server-name.js';

/** Of names and addresses together. */
const MAX_NAMES = 20;

/**
 * The wishes of a request that are granted: each once, in lower case and punycode, sorted. Wildcards, names that are
 * no host names, `0.0.0.0`, `::` and names in `reserved` are left out, because routers ask for whatever their machine is called
 * and must not fail for it.
 * @param reserved  host names and addresses of the controllers, as `parseHost` writes them
 * @throws DomainError `csrInvalid` for more than 20 wishes
 */
export function routerServerNames({ dns, ip }: SigningRequest['names'], reserved: ReadonlySet<string>): ServerNames {
  if (dns.length + ip.length > MAX_NAMES) {
    throw new DomainError('csrInvalid', { causeMessage: `the request asks for more than ${MAX_NAMES} names and addresses` });
  }
  const granted = (wishes: readonly string[]) => [...new Set(wishes.flatMap(plainHost))].filter((host) => !reserved.has(host)).sort();
  return { dns: granted(dns).filter((host) => isIP(host) === 0), ip: granted(ip).filter((host) => isIP(host) !== 0) };
}

const UNSPECIFIED = new Set(['0.0.0.0', '::']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

function plainHost(text: string): string[] {
  try {
    const host = parseHost(text);
    return UNSPECIFIED.has(host) ? [] : [host];
  } catch {
    return [];
  }
}

/**
 * The names that only controllers have: what each advertises, and what its certificate carries. Every controller's
 * certificate carries the loopback names; those are anybody's, unless one of them is what a controller advertises.
 * @param advertised  `host:port` of each controller
 * @param certPems  the certificate of each controller
 */
export function controllerHosts(advertised: readonly string[], certPems: readonly string[]): ReadonlySet<string> {
  return new Set([
    ...advertised.map((address) => parseHostPort(address).host),
    ...certPems.flatMap(alternativeNames).filter((host) => !LOOPBACK.has(host)),
  ]);
}

/** DNS names and IP addresses of a certificate of ours. */
function alternativeNames(certPem: string): string[] {
  const text = new X509Certificate(certPem).subjectAltName ?? '';
  return text.split(', ').flatMap((entry) => plainHost(/^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? ''));
}
