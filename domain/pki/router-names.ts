/**
 * Host names and addresses under which a router may be reached. A router says so itself, in the request for its server
 * certificate, and whoever holds an enrollment token writes that request: a name that is a controller's would let it
 * pass for the controller.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { DomainError } from '../errors.js';
import type { SigningRequest } from './csr.js';
import { parseHost, parseHostPort } from './server-name.js';
import type { ServerNames } from './server-name.js';

/** Limit of names and addresses together. */
const MAX_NAMES = 20;
/** Limit of one host name. */
const MAX_NAME_CHARS = 253;

/** Names that a router gets of those that it asks for. */
export interface RouterNames extends ServerNames {
  /** Wishes that are not granted, as they came: printable, of at most 253 characters, each once, sorted. */
  readonly leftOut: readonly string[];
  /** Host names and addresses of controllers among them, as `parseHost` writes them. */
  readonly ofControllers: readonly string[];
}

/**
 * The wishes of a request that are granted: each once, as `parseHost` writes it, sorted. Wildcards, names that are no
 * host names, `0.0.0.0`, `::`, IPv6 addresses that hold an IPv4 address and names in `reserved` are left out. Loopback
 * names are granted always: they lead to the machine of whoever uses them.
 * @param reserved  host names and addresses of the controllers, as `parseHost` writes them
 * @throws DomainError `csrInvalid` for more than 20 wishes
 */
export function routerServerNames({ dns, ip }: SigningRequest['names'], reserved: ReadonlySet<string>): RouterNames {
  if (dns.length + ip.length > MAX_NAMES) {
    const causeMessage = `the request asks for more than ${MAX_NAMES} names and addresses`;
    throw new DomainError('csrInvalid', { causeMessage, logReason: causeMessage });
  }
  const isFree = (host: string) => isLoopback(host) || (!reserved.has(host) && !holdsIpv4(host));
  const grants = (wish: string, isAddress: boolean) =>
    plainHost(wish).filter((host) => isFree(host) && isAddress === (isIP(host) !== 0));
  const all = (wishes: readonly string[], isAddress: boolean) =>
    sorted(wishes.flatMap((wish) => grants(wish, isAddress)));
  const leftOut = [
    ...dns.filter((wish) => grants(wish, false).length === 0),
    ...ip.filter((wish) => grants(wish, true).length === 0),
  ];
  return {
    dns: all(dns, false),
    ip: all(ip, true),
    leftOut: sorted(leftOut.map(printable)),
    ofControllers: sorted(leftOut.flatMap(plainHost).filter((host) => reserved.has(host) && !isLoopback(host))),
  };
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
/** Printable form, for people and the database. */
const printable = (wish: string): string => wish.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NAME_CHARS);

const UNSPECIFIED = new Set(['0.0.0.0', '::']);

/** A loopback address leads to a process of the client's own machine, and no certificate can prove whose it is. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * IPv6 addresses that lead to the IPv4 address they hold, as the beginnings of their 32 digits. Whoever connects to a
 * controller through one of them must not meet a router that has a certificate for it, and which controllers are
 * reached so cannot be known.
 */
const HOLDING_IPV4 = [
  /^0{24}/, // IPv4-compatible, ::a.b.c.d (RFC 4291 section 2.5.5.1)
  /^0{16}ffff0000/, // IPv4-translated, ::ffff:0:a.b.c.d (RFC 2765)
  /^0064ff9b0{16}/, // NAT64, 64:ff9b::/96 (RFC 6052)
  /^0064ff9b0001/, // NAT64 of one site, 64:ff9b:1::/48 (RFC 8215)
  /^2002/, // 6to4 (RFC 3056)
  /^20010000/, // Teredo (RFC 4380)
  /^.{16}0[02]005efe/, // ISATAP, under any prefix (RFC 5214 section 6.1)
];

function holdsIpv4(host: string): boolean {
  if (isIP(host) !== 6) return false;
  const digits = ipv6Digits(host);
  return HOLDING_IPV4.some((beginning) => beginning.test(digits));
}

/** All 32 hex digits of an IPv6 address in its shortest form. */
function ipv6Digits(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
    .map((group) => group.padStart(4, '0'))
    .join('');
}

function plainHost(text: string): string[] {
  try {
    const host = parseHost(text);
    return UNSPECIFIED.has(host) ? [] : [host];
  } catch {
    return [];
  }
}

/**
 * The names that only controllers have: what each advertises, and what its certificate carries. Loopback names are
 * free to all.
 * @param advertised  `host:port` of each controller
 * @param certPems  the certificate of each controller
 */
export function controllerHosts(advertised: readonly string[], certPems: readonly string[]): ReadonlySet<string> {
  return new Set([
    ...[...advertised.map((address) => parseHostPort(address).host), ...certPems.flatMap(alternativeNames)].filter(
      (host) => !isLoopback(host),
    ),
  ]);
}

/** DNS names and IP addresses of a certificate of ours. */
function alternativeNames(certPem: string): string[] {
  const text = new X509Certificate(certPem).subjectAltName ?? '';
  return text.split(', ').flatMap((entry) => plainHost(/^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? ''));
}
