/**
 * Small pieces of the wire's form that every resource uses: base fields, links, references, and what "given" means
 * in a request.
 */
import type { CaRef } from '../domain/credentials.js';
import type { BaseEntity, IdentityRef, NamedRef, Tags } from '../domain/model.js';
import { invalidField } from '../domain/errors.js';
import type { Links } from './reply.js';

type LinksOf = (self: string) => Links;

const plain: LinksOf = (self) => ({ self: { href: self } });

/**
 * Literals: an object that gets its keys one by one takes five times as long, and links are half of what a list of
 * identities consists of.
 */
const LINKS: Readonly<Record<string, LinksOf>> = {
  'api-sessions': (self) => ({ self: { href: self }, sessions: { href: `${self}/sessions` } }),
  'edge-router-policies': (self) => ({
    'self': { href: self },
    'edge-routers': { href: `${self}/edge-routers` },
    'identities': { href: `${self}/identities` },
  }),
  'edge-routers': (self) => ({
    'self': { href: self },
    'edge-router-policies': { href: `${self}/edge-router-policies` },
  }),
  'service-edge-router-policies': (self) => ({
    'self': { href: self },
    'edge-routers': { href: `${self}/edge-routers` },
    'services': { href: `${self}/services` },
  }),
  'service-policies': (self) => ({
    'self': { href: self },
    'services': { href: `${self}/services` },
    'identities': { href: `${self}/identities` },
    'posture-checks': { href: `${self}/posture-checks` },
  }),
  'identities': (self) => ({
    'self': { href: self },
    'authenticators': { href: `${self}/authenticators` },
    'edge-router-policies': { href: `${self}/edge-router-policies` },
    'edge-routers': { href: `${self}/edge-routers` },
    'enrollments': { href: `${self}/enrollments` },
    'failed-service-requests': { href: `${self}/failed-service-requests` },
    'posture-data': { href: `${self}/posture-data` },
    'service-configs': { href: `${self}/service-configs` },
    'service-policies': { href: `${self}/service-policies` },
    'services': { href: `${self}/services` },
  }),
  'services': (self) => ({
    'self': { href: self },
    'configs': { href: `${self}/configs` },
    'service-edge-router-policies': { href: `${self}/service-edge-router-policies` },
    'service-policies': { href: `${self}/service-policies` },
    'terminators': { href: `${self}/terminators` },
  }),
  'sessions': (self) => ({ 'self': { href: self }, 'route-path': { href: `${self}/route-path` } }),
  'webhooks': (self) => ({ 'self': { href: self }, 'dead-letters': { href: `${self}/dead-letters` } }),
  'specs': (self) => ({ self: { href: self }, spec: { href: `${self}/spec` } }),
};

/** `self` and the nested lists that entities of this collection have. */
export function linksOf(collection: string, id: string): Links {
  return (LINKS[collection] ?? plain)(`./${collection}/${id}`);
}

/** Links of an identity, with that to its auth policy. */
export function identityLinks({ id, authPolicyId }: Pick<IdentityRef, 'id' | 'authPolicyId'>): Links {
  const links = linksOf('identities', id);
  links['auth-policies'] = { href: `./auth-policies/${authPolicyId}` };
  return links;
}

/** `verify` while that is to be done, `jwt` while it enrolls without a token. */
export function caLinks({ id, isVerified, isAutoCaEnrollmentEnabled }: Omit<CaRef, 'name'>): Links {
  const self = `./cas/${id}`;
  return {
    self: { href: self },
    ...(isVerified ? {} : { verify: { href: `${self}/verify` } }),
    ...(isAutoCaEnrollmentEnabled ? { jwt: { href: `${self}/jwt` } } : {}),
  };
}

const padded = (length: number) => Array.from({ length: 10 ** length }, (_, n) => String(n).padStart(length, '0'));
const TWO_DIGITS = padded(2);
const THREE_DIGITS = padded(3);

/** Formats like `toISOString`, in half the time: a list of 500 has a thousand times to format. */
export function isoTime(date: Date): string {
  const year = date.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return date.toISOString();
  const two = (n: number) => TWO_DIGITS[n] ?? '';
  const day = `${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day}T${time}.${THREE_DIGITS[date.getUTCMilliseconds()] ?? ''}Z`;
}

export const isoTimeOrNull = (date: Date | null): string | null => (date === null ? null : isoTime(date));

export interface BaseFields {
  _links: Links;
  createdAt: string;
  id: string;
  tags: Tags;
  updatedAt: string;
}

/** Spread it last: a literal that goes on after a spread is built key by key, 20 us for a large one instead of 0.2. */
export function baseFields(entity: BaseEntity, links: Links): BaseFields {
  return {
    _links: links,
    createdAt: isoTime(entity.createdAt),
    id: entity.id,
    tags: entity.tags,
    updatedAt: isoTime(entity.updatedAt),
  };
}

export function refTo(
  collection: string,
  target: NamedRef,
): { _links: Links; entity: string; id: string; name: string } {
  return { _links: linksOf(collection, target.id), entity: collection, id: target.id, name: target.name };
}

export function identityRef(identity: IdentityRef): ReturnType<typeof refTo> {
  return { _links: identityLinks(identity), entity: 'identities', id: identity.id, name: identity.name };
}

export function caRef(ca: CaRef): ReturnType<typeof refTo> {
  return { _links: caLinks(ca), entity: 'cas', id: ca.id, name: ca.name };
}

/** Turns `null`, which counts as not supplied in a request, into undefined. */
export function given<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Tags hold scalars; nested values are dropped. */
export function tagsFrom(tags: Readonly<Record<string, unknown>> | null | undefined): Tags {
  return givenTags(tags) ?? {};
}

export function givenTags(tags: Readonly<Record<string, unknown>> | null | undefined): Tags | undefined {
  if (tags === null || tags === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(tags).filter(
      (entry): entry is [string, Tags[string]] => typeof entry[1] !== 'object' || entry[1] === null,
    ),
  );
}

/** @throws DomainError `invalidField` for an empty name */
export function requireName(name: string): string {
  if (name === '') throw invalidField('name', 'name is required', '');
  return name;
}

export function givenName(name: string | null | undefined): string | undefined {
  return name === null || name === undefined ? undefined : requireName(name);
}

/**
 * The same answer, of which an integer of 64 bits is written by its digits, since a number of JavaScript may lose some.
 * `server/http/json.ts` knows the digits by a NUL before them, which nothing that is stored has.
 */
export function withDigits<T extends object>(answer: T, member: keyof T & string, digits: string): T {
  if (Number.isSafeInteger(Number(digits))) return answer;
  const toJSON = () => ({ ...answer, [member]: `\0${digits}` });
  return Object.defineProperty(answer, 'toJSON', { value: toJSON });
}
