/**
 * The rule that says where in a certificate of a third party's CA the `externalId` of its identity is: whether it can
 * work, and what it finds.
 */
import type { X509Certificate } from 'node:crypto';
import { DomainError } from '../errors.js';
import type { ExternalIdClaim } from '../credentials.js';
import { decodeNames } from './x509.js';
import type { CertificateNames } from './x509.js';

const MATCHERS: Readonly<Record<ExternalIdClaim['location'], readonly ExternalIdClaim['matcher'][]>> = {
  COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
  SAN_URI: ['ALL', 'SCHEME'],
  SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
};

/** RFC 3986 section 3.1. */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const MAX_INDEX = 10_000;

/** The claim itself. @throws DomainError `badReference` with the reason why it cannot work */
export function requireWorkingClaim(claim: ExternalIdClaim): ExternalIdClaim {
  const reason = faultOf(claim);
  if (reason === undefined) return claim;
  const value = `location=${claim.location} matcher=${claim.matcher} parser=${claim.parser}`;
  const message = `the value '${value}' for 'externalIdClaim' is invalid: ${reason}`;
  throw new DomainError('badReference', { message, causeMessage: message });
}

function faultOf({
  location,
  matcher,
  matcherCriteria,
  parser,
  parserCriteria,
  index,
}: ExternalIdClaim): string | undefined {
  if (!MATCHERS[location].includes(matcher)) return `unsupported matcher [${matcher}] for location [${location}]`;
  if (matcher !== 'ALL' && matcherCriteria === '') return `invalid criteria [] for matcher [${matcher}]`;
  if (matcher === 'SCHEME' && !SCHEME.test(matcherCriteria))
    return `invalid criteria [${matcherCriteria}] for matcher [SCHEME]`;
  if (parser === 'SPLIT' && parserCriteria === '') return 'invalid criteria [] for parser [SPLIT]';
  if (!Number.isInteger(index) || index < 0 || index > MAX_INDEX)
    return `invalid index [${index}]: expected 0 to ${MAX_INDEX}`;
  return undefined;
}

/**
 * Finds the external id in a certificate: the names at the claim's location that match, without the prefix or suffix
 * that they matched by, each split where the claim says so; of these the one at its index.
 * @returns undefined when there is none, or one that is blank or has control characters
 */
export function externalIdOf(claim: ExternalIdClaim, certificate: Pick<X509Certificate, 'raw'>): string | undefined {
  const found = namesAt(claim.location, certificate.raw)
    .flatMap((name) => matchOf(claim, name) ?? [])
    .flatMap((name) => (claim.parser === 'SPLIT' ? name.split(claim.parserCriteria) : [name]))[claim.index];
  return found === undefined || found.trim() === '' || !found.isWellFormed() || /\p{Cc}/u.test(found)
    ? undefined
    : found;
}

function namesAt(location: ExternalIdClaim['location'], der: Buffer): readonly string[] {
  const names = namesOf(der);
  if (location === 'COMMON_NAME') return names.commonNames;
  return location === 'SAN_URI' ? names.uris : names.emails;
}

/** A certificate whose names cannot be read has none. */
function namesOf(der: Buffer): CertificateNames {
  try {
    return decodeNames(der);
  } catch {
    return { commonNames: [], uris: [], emails: [] };
  }
}

/** Returns a matching name, without the prefix or suffix that it matched by; undefined for any other name. */
function matchOf({ matcher, matcherCriteria }: ExternalIdClaim, name: string): string | undefined {
  switch (matcher) {
    case 'ALL':
      return name;
    case 'PREFIX':
      return name.startsWith(matcherCriteria) ? name.slice(matcherCriteria.length) : undefined;
    case 'SUFFIX':
      return name.endsWith(matcherCriteria) ? name.slice(0, -matcherCriteria.length) : undefined;
    case 'SCHEME':
      return name.toLowerCase().startsWith(`${matcherCriteria.toLowerCase()}:`) ? name : undefined;
  }
}
