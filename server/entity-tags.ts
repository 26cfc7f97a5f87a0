/**
 * Entity tags: of texts that are sent again and again, and of details. A tag of a detail has two parts: the version of
 * what is stored, and a hash of the answer, which also shows what follows from elsewhere (who is online, names of what
 * is referred to, what the caller may do). `If-None-Match` compares both, `If-Match` only the version: whoever changes
 * an entity does not care who has come online since. Tags are strong and name the text before it is compressed; who
 * compresses an answer makes its tag weak (`W/`), which both headers take for the same.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalidField } from '../domain/errors.js';
import { versionOf } from '../domain/entity-version.js';
import type { Precondition } from '../db/precondition.js';
import type { OperationSpec } from '../generated/operation.js';

interface Kind {
  readonly table: string;
  /** As errors name one. */
  readonly entity: string;
  /** When it was made, for what has nothing that can be set: it moves with the activity of its user. */
  readonly isConstant?: true;
}

/** What is stored of each collection whose entities can be changed or deleted by their ids. */
const KINDS: Readonly<Record<string, Kind>> = {
  'api-sessions': { table: 'api_sessions', entity: 'apiSession', isConstant: true },
  'auth-policies': { table: 'auth_policies', entity: 'authPolicy' },
  'authenticators': { table: 'authenticators', entity: 'authenticator' },
  'cas': { table: 'cas', entity: 'ca' },
  'config-types': { table: 'config_types', entity: 'configType' },
  'configs': { table: 'configs', entity: 'config' },
  'controller-settings': { table: 'controller_settings', entity: 'controllerSetting' },
  'edge-router-policies': { table: 'edge_router_policies', entity: 'edgeRouterPolicy' },
  'edge-routers': { table: 'routers', entity: 'router' },
  'enrollments': { table: 'enrollments', entity: 'enrollment' },
  'external-jwt-signers': { table: 'external_jwt_signers', entity: 'externalJwtSigner' },
  'identities': { table: 'identities', entity: 'identity' },
  'posture-checks': { table: 'posture_checks', entity: 'postureCheck' },
  'routers': { table: 'routers', entity: 'router' },
  'service-edge-router-policies': { table: 'service_edge_router_policies', entity: 'serviceEdgeRouterPolicy' },
  'service-policies': { table: 'service_policies', entity: 'servicePolicy' },
  'services': { table: 'services', entity: 'service' },
  'sessions': { table: 'sessions', entity: 'session' },
  'terminators': { table: 'terminators', entity: 'terminator' },
  'transit-routers': { table: 'routers', entity: 'router' },
};

/** Those in which every change has to move `updated_at`. */
export const tablesOfEntities: readonly string[] = Object.values(KINDS)
  .filter(({ isConstant }) => isConstant !== true)
  .map(({ table }) => table);

const kinds = new WeakMap<OperationSpec, Kind | null>();

/** What a detail, a change or a delete is about; undefined for all other operations. */
function kindOf(operation: OperationSpec): Kind | undefined {
  const known = kinds.get(operation);
  if (known !== undefined) return known ?? undefined;
  const [, collection = ''] = /^\/([a-z-]+)\/\{id\}(?:\/effective)?$/.exec(operation.path) ?? [];
  const kind = KINDS[collection];
  kinds.set(operation, kind ?? null);
  return kind;
}

const CHARACTERS = 22;

/** A strong tag of a text, 132 bits of SHA-256. */
function hashOf(text: string | Buffer): string {
  return hash('sha256', text, 'base64url').slice(0, CHARACTERS);
}

export const tagOf = (text: string | Buffer): string => `"${hashOf(text)}"`;

/** Of texts that live as long as this process: a handful. */
const ofConstants = new LRUCache<string | Buffer, string>({ max: 64 });

/** The same for a document, a page, a file: hashed once. */
export function tagOfConstant(text: string | Buffer): string {
  const known = ofConstants.get(text) ?? tagOf(text);
  ofConstants.set(text, known);
  return known;
}

/** Of an answer in JSON. @param data  of its envelope. @param body  its text */
export function tagOfAnswer(operation: OperationSpec, data: unknown, body: string): string {
  const kind = kindOf(operation);
  if (kind === undefined) return tagOf(body);
  const { createdAt, updatedAt } = data as { createdAt: string; updatedAt: string };
  return `"${versionOf(new Date(kind.isConstant === true ? createdAt : updatedAt))}.${hashOf(body)}"`;
}

/** Tags of a header, without `W/` and quotes; undefined when it is no list of them. */
function tagsIn(header: string): string[] | undefined {
  const tags: string[] = [];
  const item = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(,|$)/y;
  for (;;) {
    const match = item.exec(header);
    if (match === null) return undefined;
    const [, tag, separator] = match;
    if (tag !== undefined) tags.push(tag);
    if (separator === '') return tags;
  }
}

const isAny = (header: string): boolean => header.trim() === '*';

/** Whether the answer with this tag is one that the caller has. What is no list of tags names none. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return isAny(ifNoneMatch) || tagsIn(ifNoneMatch)?.includes(tag.slice(1, -1)) === true;
}

/**
 * What `If-Match` asks of a request; undefined when nothing has to be compared.
 * @throws DomainError `invalidField` for what is no list of entity tags
 */
export function preconditionOf(
  operation: OperationSpec,
  params: Readonly<Record<string, string>>,
  ifMatch: string | undefined,
): Precondition | undefined {
  if (ifMatch === undefined || !takesIfMatch(operation) || isAny(ifMatch)) return undefined;
  const kind = kindOf(operation);
  const { id } = params;
  if (kind === undefined || id === undefined) throw new Error(`${operation.operationId} has no entity to compare`);
  const tags = tagsIn(ifMatch);
  if (tags === undefined || tags.length === 0) throw malformed(ifMatch);
  return {
    table: kind.table,
    column: kind.isConstant === true ? 'created_at' : 'updated_at',
    entity: kind.entity,
    id,
    isDelete: operation.method === 'DELETE',
    versions: new Set(tags.map((tag) => tag.split('.', 1)[0] ?? '')),
  };
}

const takesIfMatch = ({ parameters }: OperationSpec): boolean =>
  parameters.some(({ name, in: place }) => place === 'header' && name === 'If-Match');

const SHOWN = 100;

function malformed(header: string): Error {
  return invalidField(
    'If-Match',
    'If-Match in header must be * or entity tags in double quotes, separated by commas, as the ETag of a detail has ' +
      'them: "mi9x3k2a.Zm9v"',
    header.slice(0, SHOWN),
    'If-Match in header',
  );
}
