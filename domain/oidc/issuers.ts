/**
 * Names under which the provider answers: `https://<host>/oidc` with every host and port at which a controller of the
 * network is reached, and no other, so that no request chooses an issuer.
 */
import type { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { parseHost, parseHostPort } from '../pki/server-name.js';

export const PROVIDER_PATH = '/oidc';

export interface IssuerNames {
  /** Hosts as `parseHost` writes them. */
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

/** Hosts of a server certificate: all controllers show one with the names of all. Wildcards name no host. */
export function hostsOfCertificate({ subjectAltName: names = '' }: Pick<X509Certificate, 'subjectAltName'>): string[] {
  return names.split(', ').flatMap((name) => {
    const [, host] = /^(?:DNS|IP Address):(.+)$/.exec(name) ?? [];
    return host === undefined || host.includes('*') ? [] : [parseHost(host)];
  });
}

export class Issuers {
  readonly #issuers: ReadonlySet<string>;
  /** Issuers by the `Host` that nearly all clients write. */
  readonly #byHost: ReadonlyMap<string, string>;

  constructor({ hosts, ports }: IssuerNames) {
    const each = hosts.flatMap((host) => ports.map((port) => [nameAt(host, port), issuerAt(host, port)] as const));
    this.#issuers = new Set(each.map(([, issuer]) => issuer));
    this.#byHost = new Map(each);
  }

  has(issuer: string): boolean {
    return this.#issuers.has(issuer);
  }

  /** The issuer of a request by its `Host`; undefined for a host that is not this network's. */
  ofHost(host: string | undefined): string | undefined {
    if (host === undefined || host === '' || host.length > 300) return undefined;
    const known = this.#byHost.get(host);
    if (known !== undefined) return known;
    try {
      const hasPort = /:\d+$/.test(host) && !isIPv6(host);
      const { host: name, port } = parseHostPort(hasPort ? host : `${host}:443`);
      const issuer = issuerAt(name, port);
      return this.has(issuer) ? issuer : undefined;
    } catch {
      return undefined;
    }
  }
}

const issuerAt = (host: string, port: number): string => `https://${nameAt(host, port)}${PROVIDER_PATH}`;

const nameAt = (host: string, port: number): string =>
  `${isIPv6(host) ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}`;
