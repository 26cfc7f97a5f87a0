/**
 * From a request's path to an operation. Empty segments do not count, so every odd spelling of a path (doubled or
 * trailing slashes) is the canonical path before anything else looks at it, authorization included.
 */
import { DomainError } from '../domain/errors.js';
import type { Api, Method, OperationSpec, RouteNode } from '../generated/operation.js';
import { operations } from '../generated/operations.js';
import { routes } from '../generated/routes.js';

export interface Target {
  readonly api: Api;
  readonly segments: readonly string[];
}

/** Roots that are not ours to treat as the client API's. */
const FOREIGN_ROOTS = new Set(['edge', 'fabric', 'oidc']);

/** Which API a path means; undefined for a path that belongs to none. */
export function targetOf(segments: readonly string[]): Target | undefined {
  const [first, second, third] = segments;
  if (first === 'edge') {
    if (third === 'v1' && (second === 'client' || second === 'management'))
      return { api: second, segments: segments.slice(3) };
    return second === 'v1' ? { api: 'client', segments: segments.slice(2) } : undefined;
  }
  if (first === '.well-known') return segments[1] === 'est' ? { api: 'client', segments } : undefined;
  return FOREIGN_ROOTS.has(first ?? '') ? undefined : { api: 'client', segments };
}

/**
 * A request target's path and query; the absolute form `https://host/path` (RFC 9112 section 3.2.2) counts as its path.
 */
export function splitTarget(url: string): { path: string; search: string } {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

/** A path without doubled or trailing slashes, for pages that are found by their whole path. */
export function canonicalPath(path: string): string {
  if (!path.includes('//') && !path.endsWith('/')) return path;
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

/**
 * Decoded segments of a path, empty ones left out.
 * @throws DomainError `routeUnknown` for a bad escape or a NUL, which no name has
 */
export function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (const part of path.split('/')) {
    if (part === '') continue;
    segments.push(part.includes('%') ? decode(part, path) : part);
  }
  return segments;
}

function decode(part: string, path: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    throw pathUnknown(path);
  }
  if (text.includes('\0')) throw pathUnknown(path);
  return text;
}

export function pathUnknown(path: string): DomainError {
  return new DomainError('routeUnknown', { causeMessage: `path ${path.slice(0, 200)} was not found` });
}

export interface Match {
  readonly operation: OperationSpec;
  readonly params: Readonly<Record<string, string>>;
}

/** @throws DomainError `routeUnknown`, `methodNotAllowed` */
export function matchOperation({ api, segments }: Target, method: string, path: string): Match {
  let node: RouteNode = routes[api];
  const values: string[] = [];
  for (const segment of segments) {
    const literal: RouteNode | undefined = node.literals[segment];
    if (literal !== undefined) {
      node = literal;
      continue;
    }
    if (node.parameter === null) throw pathUnknown(path);
    values.push(segment);
    node = node.parameter;
  }
  const operationId = node.operations[method as Method];
  if (operationId === undefined) {
    const allowed = Object.keys(node.operations);
    if (allowed.length === 0) throw pathUnknown(path);
    throw new DomainError('methodNotAllowed', {
      causeMessage: `method ${method} is not allowed, but [${allowed.join(',')}] are`,
      headers: { allow: allowed.join(', ') },
    });
  }
  const operation = (operations[api] as Readonly<Record<string, OperationSpec>>)[operationId];
  if (operation === undefined) throw new Error(`no operation ${api} ${operationId}`);
  const params: Record<string, string> = {};
  operation.pathParameters.forEach((name, index) => {
    params[name] = values[index] ?? '';
  });
  return { operation, params };
}
