/** What the cases act on: one controller, the entities that were made in it, and sessions to speak to it. */
import { basePaths } from '../../generated/routes.js';
import { bodyText, bodyType } from './api-client.js';
import type { ApiClient } from './api-client.js';
import type { Target } from './load.js';

export interface Known {
  readonly id: string;
}
export interface Named extends Known {
  readonly name: string;
}

export interface World {
  /** How the report calls it. */
  readonly label: string;
  readonly target: Target;
  /** Of the administrator. */
  readonly admin: ApiClient;
  readonly credentials: { readonly username: string; readonly password: string };
  /** Of an identity without rights of its own that may dial every service; it asked for configs of intercept.v1. */
  readonly client: ApiClient;
  readonly clientIdentity: {
    readonly id: string;
    readonly username: string;
    readonly password: string;
    readonly authenticatorId: string;
  };
  readonly identities: readonly Named[];
  readonly services: readonly Named[];
  readonly configs: readonly Named[];
  readonly policies: readonly Named[];
  readonly interceptTypeId: string;
  readonly edgeRouters: readonly Named[];
  readonly transitRouters: readonly Named[];
  readonly edgeRouterPolicies: readonly Named[];
  readonly serviceEdgeRouterPolicies: readonly Named[];
  readonly postureChecks: readonly Named[];
  /** It demands posture checks and selects no identity. */
  readonly checkedPolicy: Named;
  readonly terminators: readonly Known[];
  /** The client's own, one for each of some services. */
  readonly sessions: readonly Known[];
  /** Ids of what the changing cases made and have to remove, by kind. */
  readonly made: Map<string, string[]>;
}

/** Those of one kind, to add to and take from. */
export function madeOf({ made }: World, kind: string): string[] {
  const ids = made.get(kind) ?? [];
  made.set(kind, ids);
  return ids;
}

export type Speaker = 'admin' | 'client' | 'nobody';

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A body of JSON as it is, instead. */
  readonly text?: string;
  /** A session token; none for public operations. */
  readonly token?: string | undefined;
  /** A token of an external provider, or of a login by OpenID Connect. */
  readonly bearer?: string;
  /** Host of the provider of OpenID Connect, whose endpoints take forms. */
  readonly named?: string;
  /** Content codings that the answer may have. */
  readonly accepts?: string;
}

export const CLIENT = basePaths.client;
export const MANAGEMENT = basePaths.management;

export function tokenOf(world: World, speaker: Speaker): string | undefined {
  return speaker === 'nobody' ? undefined : world[speaker].token;
}

/** A whole HTTP/1.1 request. */
export function requestBytes(
  { target: { host, port } }: Pick<World, 'target'>,
  { method, path, body, text, token, bearer, named, accepts }: RequestParts,
): Buffer {
  const payload = text ?? (body === undefined ? '' : bodyText(body, named));
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${named ?? `${host}:${port}`}`,
    'accept: application/json',
    ...(accepts === undefined ? [] : [`accept-encoding: ${accepts}`]),
    ...(token === undefined ? [] : [`zt-session: ${token}`]),
    ...(bearer === undefined ? [] : [`authorization: Bearer ${bearer}`]),
    ...(payload === '' ? [] : [`content-type: ${bodyType(named)}`, `content-length: ${Buffer.byteLength(payload)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${payload}`);
}

/** At most `count` of them, evenly spread: enough that no cache of single rows answers everything. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T);
}
