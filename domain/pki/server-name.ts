/** Names under which a controller is reached, and which its server certificate must carry. */
import { X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import type { AlternativeNames } from './certificate-writer.js';

export interface HostPort {
  /** Host as `parseHost` writes it, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** DNS names and IP addresses, each sorted. */
export type ServerNames = Required<Pick<AlternativeNames, 'dns' | 'ip'>>;

const ALWAYS = ['localhost', '127.0.0.1', '::1'];
const UNSPECIFIED = ['0.0.0.0', '::'];

/**
 * Reads `host:port`, `1.2.3.4:port` or `[v6]:port`.
 * @throws Error that names the text: it is a setting, not a secret
 */
export function parseHostPort(text: string): HostPort {
  const [, v6, name, digits] = /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535)
    throw new Error(`'${text}' is not of the form host:port, with IPv6 as [address]:port`);
  if (v6 !== undefined && !isIPv6(v6)) throw new Error(`'${v6}' is not an IPv6 address`);
  return { host: parseHost((v6 ?? name) as string), port };
}

/** Whether only this machine reaches it. @param host  as `parseHost` writes it */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `host:port` as in URLs, with brackets around IPv6. */
export function formatHostPort({ host, port }: HostPort): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * The one form of a host, in which names and addresses are compared and put into certificates: a DNS name in lower case
 * and punycode without a last dot, or an IP address in its shortest form. An IPv4 address written as IPv6
 * (`::ffff:1.2.3.4`, RFC 4291 section 2.5.5.2) becomes IPv4: Go takes a certificate for the one as a certificate for
 * the other, OpenSSL and Node do not.
 * @throws Error for what is neither an IP address nor a DNS name (RFC 1123 section 2.1); an address with a zone is
 * neither
 */
export function parseHost(text: string): string {
  if (text.includes('%')) throw new Error(`'${text}' has a zone: other machines cannot use such an address`);
  if (isIPv6(text)) return unmapped(new URL(`http://[${text}]`).hostname.slice(1, -1));
  if (isIP(text)) return text;
  // Anything else would be taken for another part of a URL and silently left out.
  const hasOnlyNameCharacters = /^[\p{L}\p{M}\p{N}._-]+$/u.test(text);
  const name = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  const labels = name.split('.');
  const isName =
    hasOnlyNameCharacters && name.length <= 253 && labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label));
  // A last label of digits only would be taken for an address, by browsers and by the URL standard.
  if (!isName || /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) as string))
    throw new Error(`'${text}' is neither a host name nor an IP address`);
  return name;
}

/** @param address  IPv6 in its shortest form */
function unmapped(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return [high, low]
    .flatMap((group) => {
      const value = parseInt(group, 16);
      return [value >> 8, value & 0xff];
    })
    .join('.');
}

/**
 * The names of a server certificate: what is advertised, what is listened on (unless that is every address), any
 * others, and always this machine itself. Each once, sorted.
 * @param input.advertise  `host:port`
 * @param input.listen  `address:port`
 * @param input.others  host names and addresses
 */
export function serverNames(input: { advertise: string; listen?: string; others?: readonly string[] }): ServerNames {
  const hosts = [
    parseHostPort(input.advertise).host,
    ...(input.listen === undefined ? [] : [parseHostPort(input.listen).host]),
    ...(input.others ?? []).map(parseHost),
    ...ALWAYS,
  ].filter((host) => !UNSPECIFIED.includes(host));
  const each = [...new Set(hosts)].sort();
  return { dns: each.filter((host) => !isIP(host)), ip: each.filter((host) => isIP(host)) };
}

/** True when a certificate carries all these names, so that it need not be issued again. Wildcards do not count. */
export function coversNames(certPem: string, names: Pick<AlternativeNames, 'dns' | 'ip'>): boolean {
  const certificate = new X509Certificate(certPem);
  return (
    (names.dns ?? []).every(
      (name) => certificate.checkHost(name, { wildcards: false, subject: 'never' }) !== undefined,
    ) && (names.ip ?? []).every((address) => certificate.checkIP(address) !== undefined)
  );
}
