/**
 * Adds to a refusal what its caller may know: where an unknown id was given, who has a name, what uses an entity. It is
 * asked for after the refusal, so nothing that is served pays for it; whatever goes wrong here, the refusal stays.
 */
import { holderKind } from '../../db/stores/references.js';
import type { ReferenceStore } from '../../db/stores/references.js';
import { holds } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { DomainError } from '../../domain/errors.js';
import type { BoundInput } from '../sessions/binder.js';

type Refused = Pick<BoundInput, 'params' | 'query' | 'body'> & { readonly caller: Rights | undefined };

/** Members of a body that are looked at for a value. */
const MOST_LOOKED_AT = 10_000;
const SHOWN_CHARACTERS = 200;

export async function explainRefusal(
  error: unknown,
  request: Refused,
  stores: { readonly references: ReferenceStore },
): Promise<void> {
  if (!(error instanceof DomainError) || error.subject === undefined) return;
  const { subject } = error;
  try {
    if (subject.kind === 'missing') error.sentence ??= placeOf(subject.id, request);
    else if (subject.kind === 'taken') error.sentence ??= await holderOf(subject, request, stores.references);
    else await explainUse(error, subject, request, stores.references);
  } catch {
    // The database has gone meanwhile: the refusal says less.
  }
}

/** Says where an id was given, unless there is one place alone. */
function placeOf(id: string, { params, query, body }: Refused): string | undefined {
  const inPath = Object.entries(params as Readonly<Record<string, string>>);
  const inQuery = Object.entries(query as Readonly<Record<string, unknown>>);
  if (inPath.length < 2 && body === undefined && inQuery.length === 0) return undefined;
  const [inThePath] = inPath.find(([, value]) => value === id) ?? [];
  if (inThePath !== undefined) return `It was given as ${inThePath} in the path.`;
  const [inTheQuery] = inQuery.find(([, value]) => value === id) ?? [];
  if (inTheQuery !== undefined) return `It was given as ${inTheQuery} in the query.`;
  const path = pathTo(id, body);
  return path === undefined ? undefined : `It was given as ${path.join('.').slice(0, SHOWN_CHARACTERS)} in the body.`;
}

/** The first place of a text in a body, as a value or as a name. */
function pathTo(text: string, body: unknown): readonly string[] | undefined {
  let looked = 0;
  const find = (value: unknown, path: readonly string[]): readonly string[] | undefined => {
    looked += 1;
    if (value === text) return path;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, inner] of Object.entries(value)) {
      if (looked > MOST_LOOKED_AT) return undefined;
      if (name === text) return [...path, name];
      const found = find(inner, [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(body, []);
}

async function holderOf(
  { constraint, value }: { readonly constraint: string; readonly value: string },
  { caller }: Refused,
  references: ReferenceStore,
): Promise<string | undefined> {
  const kind = holderKind(constraint);
  if (kind === undefined || !mayRead(caller, kind)) return undefined;
  const id = await references.holder(constraint, value);
  return id === undefined ? undefined : `The ${kind} that has it is ${id}.`;
}

/** Names the users of an entity, or takes their ids out for who may not read them. */
async function explainUse(
  error: DomainError,
  { by, field }: { readonly by: string; readonly field: string },
  { params, caller }: Refused,
  references: ReferenceStore,
): Promise<void> {
  if (!mayRead(caller, by)) {
    error.field = error.field && { ...error.field, reason: error.field.reason.replace(/\[.*\]$/s, '[]'), value: '[]' };
    return;
  }
  const users = await references.users(field, String((params as { id?: unknown }).id));
  const [first] = users;
  if (first === undefined) return;
  const names = users.map(({ name }) => `"${name.slice(0, SHOWN_CHARACTERS)}"`).join(', ');
  const more = first.total - users.length;
  error.sentence = `It is used by ${names}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Permissions have names of their own for entities. */
function mayRead(caller: Rights | undefined, kind: string): boolean {
  const entity = kind === 'edgeRouter' ? 'router' : kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return caller !== undefined && holds(caller, `${entity}.read`);
}
