/**
 * Name constraints (RFC 5280 sections 4.2.1.10 and 6.1.4): what a CA may name in the certificates below it. DNS names,
 * e-mail addresses, URIs, addresses and directory names are understood; a constraint on anything else refuses every
 * certificate that has such a name.
 */
import { isIP } from 'node:net';
import type { Certificate } from './certificate.js';
import { extensionIds, isSelfIssued } from './certificate-checks.js';
import { ChainFault } from './chain-fault.js';
import { elementsOf, inside, tags, type Element } from './der.js';
import { isWithinDirectory, isEmptyName, emailsOf } from './directory-names.js';

/** Tags of GeneralName. */
const EMAIL = 0x81;
const DNS = 0x82;
const DIRECTORY = 0xa4;
const URI = 0x86;
const IP = 0x87;
/** All of them: what has another tag would be overlooked. */
const FORMS = [0xa0, EMAIL, DNS, 0xa3, DIRECTORY, 0xa5, URI, IP, 0x88];
/** Limit of comparisons for one certificate: names times constraints. */
const MAX_COMPARISONS = 10_000;

interface Constraints {
  readonly permitted: readonly Element[];
  readonly excluded: readonly Element[];
}

/**
 * @param issuer  on top of the path; without constraints everything is permitted
 * @param path  the leaf first; what a CA issued to itself is exempt, unless it is the leaf
 * @throws ChainFault, or DerFault
 */
export function requirePermittedNames(issuer: Certificate, path: readonly Certificate[]): void {
  const extension = issuer.extensions.get(extensionIds.nameConstraints);
  if (!extension) return;
  const constraints = readConstraints(extension.value);
  path.forEach((certificate, index) => {
    if (index === 0 || !isSelfIssued(certificate)) requirePermitted(constraints, namesOf(certificate));
  });
}

function readConstraints(value: Buffer): Constraints {
  const reader = inside(value, tags.sequence);
  const [permitted, excluded] = [reader.optional(0xa0), reader.optional(0xa1)];
  reader.end();
  return { permitted: basesOf(permitted), excluded: basesOf(excluded) };
}

/** The names at the top of subtrees; distances, which no CA uses, are not understood. */
function basesOf(subtrees: Element | undefined): Element[] {
  if (!subtrees) return [];
  return elementsOf(subtrees.content).map(({ raw }) => {
    const reader = inside(raw, tags.sequence);
    const base = reader.next();
    if (!reader.isAtEnd) throw new ChainFault('a name constraint with a distance');
    return ofForm(base);
  });
}

function ofForm(name: Element): Element {
  if (!FORMS.includes(name.tag)) throw new ChainFault('a name of no kind that there is');
  return name;
}

function namesOf(certificate: Certificate): Element[] {
  const extension = certificate.extensions.get(extensionIds.alternativeNames);
  const names = extension ? elementsOf(inside(extension.value, tags.sequence).rest()).map(ofForm) : [];
  // Addresses in the subject count only where there are none in their proper place (RFC 5280 section 4.2.1.10).
  const emails = names.some(({ tag }) => tag === EMAIL)
    ? []
    : emailsOf(certificate.subject).map((content) => ({ tag: EMAIL, content, raw: content }));
  const subject = isEmptyName(certificate.subject)
    ? []
    : [{ tag: DIRECTORY, content: certificate.subject, raw: certificate.subject }];
  return [...names, ...emails, ...subject];
}

function requirePermitted({ permitted, excluded }: Constraints, names: readonly Element[]): void {
  if (names.length * (permitted.length + excluded.length) > MAX_COMPARISONS)
    throw new ChainFault('too many names to hold against name constraints');
  for (const name of names) {
    const [allowed, forbidden] = [permitted, excluded].map((bases) => bases.filter(({ tag }) => tag === name.tag)) as [
      Element[],
      Element[],
    ];
    if (allowed.length === 0 && forbidden.length === 0) continue;
    const isWithin = matcherOf(name);
    if (forbidden.some((base) => isWithin(base.content, 'excluded')))
      throw new ChainFault('a name that its issuer may not give is in a certificate');
    if (allowed.length > 0 && !allowed.some((base) => isWithin(base.content, 'permitted'))) {
      throw new ChainFault('a name outside of those that its issuer may give is in a certificate');
    }
  }
}

/** Matches names; in doubt a name is excluded, and is not permitted. */
type Matcher = (base: Buffer, list: 'permitted' | 'excluded') => boolean;

/** @throws ChainFault for names that cannot be compared */
function matcherOf({ tag, content }: Element): Matcher {
  switch (tag) {
    case DNS:
      return dnsMatcher(hostOf(content.toString('latin1'), true));
    case EMAIL:
      return emailMatcher(content.toString('latin1'));
    case URI:
      return uriMatcher(content.toString('latin1'));
    case IP:
      return ipMatcher(content);
    case DIRECTORY:
      return (base) => isWithinDirectory(content, base);
    default:
      throw new ChainFault('a name of a kind whose constraints are not understood here');
  }
}

/** Lower case. @throws ChainFault for what is no host name */
function hostOf(text: string, mayBeWildcard = false): string {
  const host = text.toLowerCase();
  const bare = mayBeWildcard && host.startsWith('*.') ? host.slice(2) : host;
  if (
    host.length > 253 ||
    !/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/.test(bare)
  ) {
    throw new ChainFault('a name that cannot be held against name constraints');
  }
  return host;
}

/** A base with a leading dot has only names below it; an empty one has all. */
function baseOf(base: Buffer): { domain: string; isOnlyBelow: boolean } {
  const text = base.toString('latin1').toLowerCase();
  const isOnlyBelow = text.startsWith('.');
  const domain = isOnlyBelow ? text.slice(1) : text;
  return { domain: domain === '' ? '' : hostOf(domain), isOnlyBelow };
}

const isBelow = (host: string, domain: string): boolean => host.endsWith(`.${domain}`);

function dnsMatcher(host: string): Matcher {
  return (base, list) => {
    const { domain, isOnlyBelow } = baseOf(base);
    if (domain === '' || isBelow(host, domain) || (!isOnlyBelow && host === domain)) return true;
    // A wildcard covers names that may be excluded though it is not itself.
    return list === 'excluded' && host.startsWith('*.') && isBelow(domain, host.slice(2));
  };
}

/** A base is a mailbox, a host, or with a leading dot everything below a domain. */
function emailMatcher(address: string): Matcher {
  const [, mailbox = '', domainPart = ''] = /^([^\s"@<>()]+)@([^@]+)$/.exec(address) ?? [];
  const host = hostOf(domainPart);
  return (base, list) => {
    const text = base.toString('latin1');
    if (!text.includes('@')) return isHostWithin(host, base);
    const [, wantedMailbox = '', wantedHost = ''] = /^([^@]*)@([^@]*)$/.exec(text) ?? [];
    const isSame =
      list === 'excluded' ? wantedMailbox.toLowerCase() === mailbox.toLowerCase() : wantedMailbox === mailbox;
    return isSame && wantedHost.toLowerCase() === host;
  };
}

/** @throws ChainFault for a URI whose authority is no host name (RFC 5280 section 4.2.1.10) */
function uriMatcher(uri: string): Matcher {
  const [, authority = ''] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._~!$&'()*+,;=:%-]*@)?([a-z0-9._-]+)(?::\d*)?(?:[/?#]|$)/i.exec(uri) ?? [];
  const host = hostOf(authority);
  if (isIP(host)) throw new ChainFault('a name that cannot be held against name constraints');
  return (base) => isHostWithin(host, base);
}

/** Unlike DNS names, a host is that host alone. */
function isHostWithin(host: string, base: Buffer): boolean {
  const { domain, isOnlyBelow } = baseOf(base);
  return domain === '' || (isOnlyBelow ? isBelow(host, domain) : host === domain);
}

const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');

function ipMatcher(address: Buffer): Matcher {
  const isMapped = address.length === 16 && address.subarray(0, 12).equals(MAPPED);
  if ((address.length !== 4 && address.length !== 16) || isMapped)
    throw new ChainFault('a name that cannot be held against name constraints');
  return (base) => {
    if (base.length !== 8 && base.length !== 32) throw new ChainFault('a malformed name constraint');
    const half = base.length / 2;
    return (
      half === address.length &&
      address.every((byte, index) => ((byte ^ (base[index] ?? 0)) & (base[half + index] ?? 0)) === 0)
    );
  };
}
