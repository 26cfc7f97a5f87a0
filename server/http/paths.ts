/**
 * Finds the operation of a request's path. Empty segments do not count, so every odd spelling of a path (doubled or
 * trailing slashes) is the canonical path before anything else looks at it, authorization included.
 */
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import type { Api, Method, OperationSpec, RouteNode } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { routes } from '../../generated/routes.js';

export interface ApiPath {
  readonly api: Api;
  readonly segments: readonly string[];
}

/** Finds the API of a path; undefined for a path that belongs to none. */
export function targetOf(segments: readonly string[]): ApiPath | undefined {
  const [first, second, third] = segments;
  if (first === 'fabric') return second === 'v1' ? { api: 'fabric', segments: segments.slice(2) } : undefined;
  if (first === 'oidc') return { api: 'oidc', segments: segments.slice(1) };
  if (first === 'edge') {
    if (third === 'v1' && (second === 'client' || second === 'management'))
      return { api: second, segments: segments.slice(3) };
    return second === 'v1' ? { api: 'client', segments: segments.slice(2) } : undefined;
  }
  if (first === '.well-known') return segments[1] === 'est' ? { api: 'client', segments } : undefined;
  return { api: 'client', segments };
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

/** @param allow  the header */
export function methodNotAllowed(method: string, known: readonly string[], allow: string): DomainError {
  return new DomainError('methodNotAllowed', {
    causeMessage: `method ${method} is not allowed, but [${known.join(',')}] are`,
    headers: { allow },
  });
}

/** HEAD is handled as GET, without the body. */
export const isRead = ({ method }: Pick<IncomingMessage, 'method'>): boolean => method === 'GET' || method === 'HEAD';

export interface Match {
  readonly operation: OperationSpec;
  readonly params: Readonly<Record<string, string>>;
}

/** The node of a path, and the values of its parameters. @throws DomainError `routeUnknown` */
function nodeOf({ api, segments }: ApiPath, path: string): { node: RouteNode; values: readonly string[] } {
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
  return { node, values };
}

/**
 * Returns the methods of a path in the form of `Allow`: HEAD wherever GET is, OPTIONS always; empty for an unknown
 * path.
 */
function allowOf({ operations: byMethod }: RouteNode): string {
  const methods = Object.keys(byMethod);
  return methods.length === 0
    ? ''
    : [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/** Methods of paths that are no operation of an API: they are only read. */
export const PAGE_ALLOWS = 'GET, HEAD, OPTIONS';

/** Returns the methods of a path of the APIs in the form of `Allow`; '' for an unknown path. */
export function allowedAt(path: string): string {
  try {
    const target = targetOf(segmentsOf(path));
    return target === undefined ? '' : allowOf(nodeOf(target, path).node);
  } catch (error) {
    if (error instanceof DomainError) return '';
    throw error;
  }
}

/**
 * The operation that answers; of HEAD it is that of GET, whose answer is sent without its body.
 * @throws DomainError `routeUnknown`, `methodNotAllowed`
 */
export function matchOperation(target: ApiPath, method: string, path: string): Match {
  const { node, values } = nodeOf(target, path);
  const operationId = node.operations[(method === 'HEAD' ? 'GET' : method) as Method];
  if (operationId === undefined) {
    const known = Object.keys(node.operations);
    if (known.length === 0) throw pathUnknown(path);
    throw methodNotAllowed(method, known, allowOf(node));
  }
  const { api } = target;
  const operation = (operations[api] as Readonly<Record<string, OperationSpec>>)[operationId];
  if (operation === undefined) throw new Error(`no operation ${api} ${operationId}`);
  const params: Record<string, string> = {};
  operation.pathParameters.forEach((name, index) => {
    params[name] = values[index] ?? '';
  });
  return { operation, params };
}
