/**
 * Entity tags: of texts that are sent again and again, and of details. A tag of a detail has two parts: the version of
 * what is stored, and a hash of the answer, which also shows what follows from elsewhere (who is online, names of what
 * is referred to, what the caller may do). `If-None-Match` compares both, `If-Match` only the version: whoever changes
 * an entity does not care who has come online since. The answer to a change has a tag of the version alone. Tags are
 * strong and name the text before it is compressed; who compresses an answer makes its tag weak (`W/`), which both
 * headers take for the same.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalidField } from '../../domain/errors.js';
import { collectionOf, versionOf } from '../../domain/entity-version.js';
import type { Precondition, Versioned, OnVersion } from '../../db/postgres/contracts.js';
import { versions } from '../../db/stores/entities.js';
import type { OperationSpec } from '../../generated/operation.js';

const entities = new WeakMap<OperationSpec, Versioned | null>();

/** Returns the entity of a detail, a change or a delete; undefined for all other operations. */
function entityOf(operation: OperationSpec): Versioned | undefined {
  const known = entities.get(operation);
  if (known !== undefined) return known ?? undefined;
  const entity = versions.get(collectionOf(operation.path) ?? '');
  entities.set(operation, entity ?? null);
  return entity;
}

/** Length of a hash: 132 bits. */
const CHARACTERS = 22;

function hashOf(text: string | Buffer): string {
  return hash('sha256', text, 'base64url').slice(0, CHARACTERS);
}

/** A strong tag of a text. */
export const tagOf = (text: string | Buffer): string => `"${hashOf(text)}"`;

/** Hashes of texts that live as long as this process: a handful. */
const ofConstants = new LRUCache<string | Buffer, string>({ max: 64 });

/** The same for a document, a page, a file: hashed once. */
export function tagOfConstant(text: string | Buffer): string {
  const known = ofConstants.get(text) ?? tagOf(text);
  ofConstants.set(text, known);
  return known;
}

/** Returns the tag of a JSON response. @param data  of its envelope. @param body  its text */
export function tagOfReply(operation: OperationSpec, data: unknown, body: string): string {
  const entity = entityOf(operation);
  if (entity === undefined) return tagOf(body);
  const { [entity.by]: version } = data as Readonly<Record<Versioned['by'], string>>;
  return `"${versionOf(new Date(version))}.${hashOf(body)}"`;
}

/** The version in which a change leaves its entity, for the answer's tag. */
export class ChangedVersion {
  #version: Date | undefined;

  constructor(
    readonly table: string,
    readonly id: string,
  ) {}

  readonly onVersion: OnVersion = (table, id, version) => {
    if (table === this.table && id === this.id) this.#version = version;
  };

  /**
   * Tag for `If-Match` of the next change. It equals no tag of a detail, so that a read which names it is answered in
   * full: what is stored is not what was sent. undefined while no statement has said what the version is.
   */
  get tag(): string | undefined {
    return this.#version && `"${versionOf(this.#version)}"`;
  }
}

/** undefined for an operation whose answer has no such tag. */
export function changedVersion(
  operation: OperationSpec,
  { id }: Readonly<Record<string, string>>,
): ChangedVersion | undefined {
  if (!operation.isTagged || operation.method === 'GET') return undefined;
  const entity = entityOf(operation);
  if (entity === undefined || id === undefined)
    throw new Error(`${operation.operationId} has no entity with a version`);
  return new ChangedVersion(entity.table, id);
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
 * Returns the precondition that `If-Match` sets; undefined when nothing has to be compared.
 * @throws DomainError `invalidField` for what is no list of entity tags
 */
export function preconditionOf(
  operation: OperationSpec,
  params: Readonly<Record<string, string>>,
  ifMatch: string | undefined,
): Precondition | undefined {
  if (ifMatch === undefined || !takesIfMatch(operation) || isAny(ifMatch)) return undefined;
  const entity = entityOf(operation);
  const { id } = params;
  if (entity === undefined || id === undefined) throw new Error(`${operation.operationId} has no entity to compare`);
  const tags = tagsIn(ifMatch);
  if (tags === undefined || tags.length === 0) throw malformed(ifMatch);
  const versions = new Set(tags.map((tag) => tag.split('.', 1)[0] ?? ''));
  return { entity, id, isDelete: operation.method === 'DELETE', versions };
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
