/**
 * Small pieces of the wire's form that every resource uses: base fields, links, references, and what "given" means
 * in a request.
 */
import type { BaseEntity, NamedRef, Tags } from '../domain/model.js';
import { invalidField } from '../domain/errors.js';
import type { Links } from './handler.js';

const LINKS: Readonly<Record<string, readonly string[]>> = {
  'api-sessions': ['sessions'],
  'edge-router-policies': ['edge-routers', 'identities'],
  'edge-routers': ['edge-router-policies'],
  identities: ['authenticators', 'edge-router-policies', 'edge-routers', 'enrollments', 'failed-service-requests',
    'posture-data', 'service-configs', 'service-policies', 'services'],
  'service-edge-router-policies': ['edge-routers', 'services'],
  'service-policies': ['services', 'identities', 'posture-checks'],
  services: ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'],
  sessions: ['route-path'],
  specs: ['spec'],
};

/** `self` and the nested lists that entities of this collection have. */
export function linksOf(collection: string, id: string): Links {
  const self = `./${collection}/${id}`;
  const links: Links = { self: { href: self } };
  for (const nested of LINKS[collection] ?? []) links[nested] = { href: `${self}/${nested}` };
  return links;
}

export interface BaseFields {
  _links: Links;
  createdAt: string;
  id: string;
  tags: Tags;
  updatedAt: string;
}

/** Spread it last: a literal that goes on after a spread is built key by key, 20 us for a large one instead of 0.2. */
export function baseFields(entity: BaseEntity, links: Links): BaseFields {
  return { _links: links, createdAt: entity.createdAt.toISOString(), id: entity.id, tags: entity.tags, updatedAt: entity.updatedAt.toISOString() };
}

export function refTo(collection: string, target: NamedRef): { _links: Links; entity: string; id: string; name: string } {
  return { _links: linksOf(collection, target.id), entity: collection, id: target.id, name: target.name };
}

/** In a request `null` counts as not supplied. */
export function given<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Tags hold scalars; nested values are dropped. */
export function tagsFrom(tags: Readonly<Record<string, unknown>> | null | undefined): Tags {
  return givenTags(tags) ?? {};
}

export function givenTags(tags: Readonly<Record<string, unknown>> | null | undefined): Tags | undefined {
  if (tags === null || tags === undefined) return undefined;
  return Object.fromEntries(Object.entries(tags).filter((entry): entry is [string, Tags[string]] => typeof entry[1] !== 'object' || entry[1] === null));
}

/** @throws DomainError `invalidField` for an empty name */
export function requireName(name: string): string {
  if (name === '') throw invalidField('name', 'name is required', '');
  return name;
}

export function givenName(name: string | null | undefined): string | undefined {
  return name === null || name === undefined ? undefined : requireName(name);
}
