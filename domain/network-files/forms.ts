/**
 * One entity in its forms: as a file has it (by name, without what is usual), complete (by name, every field there), as
 * an answer of the API shows it and as a request says it (both by id).
 */
import type { Json, JsonObject } from '../model.js';
import { defaultAuthPolicy } from '../auth/auth-policy.js';
import { certificatesOf, toPem } from '../pki/pem.js';
import type { KindField, EntityKind, Reference, ReferenceTarget } from './kind-fields.js';
import { asSet, asText, isAlike, isObject } from './values.js';

/** @throws for what it does not know */
export type Translate = (target: ReferenceTarget, idOrName: string) => string;

/** Every field of the kind that is kept, by its name in files. `null` is no value. */
export function complete(kind: EntityKind, value: JsonObject): JsonObject {
  return Object.fromEntries(
    kind.fields.map((field): [string, Json] => {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      return [field.name, normal(field, given ?? field.fallback ?? null)];
    }),
  );
}

function normal(field: KindField, value: Json): Json {
  if (field.isSet === true && Array.isArray(value)) return asSet(value);
  if (typeof value !== 'string') return value;
  if (field.name === 'enrollment') return { [value]: true };
  return field.name === 'certPem' ? plainPem(value) : value;
}

/** Drops the text between the blocks. Blocks that are no certificates are left for the API to refuse. */
function plainPem(text: string): string {
  try {
    return certificatesOf(text)
      .map((der) => toPem('CERTIFICATE', der))
      .join('');
  } catch {
    return text;
  }
}

/** Returns the value as written to a file: without members that have their default. */
export function compact(kind: EntityKind, value: JsonObject): JsonObject {
  return Object.fromEntries(
    kind.fields
      .filter(({ name, fallback }) => fallback === undefined || !isAlike(value[name], fallback))
      .map(({ name }) => [name, value[name] ?? null]),
  );
}

/** Reads an entity from an answer of the API. @param nameOf  of an id */
export function fromDetail(kind: EntityKind, detail: JsonObject, nameOf: Translate): JsonObject {
  const value: JsonObject = {};
  for (const field of kind.fields) {
    const found = field.isMark === true ? isMarked(kind, detail) : detail[field.detail ?? field.name];
    if (found === undefined || found === null || field.life === 'asked') continue;
    value[field.name] = translated(field, found, nameOf, 'names');
  }
  return complete(kind, value);
}

const isMarked = ({ name }: EntityKind, { id, isDefaultAdmin }: JsonObject): boolean =>
  name === 'authPolicies' ? id === defaultAuthPolicy.id : isDefaultAdmin === true;

/**
 * A request that makes it, or one that makes an entity that exists be so.
 * @param idOf  of a name
 */
export function toBody(kind: EntityKind, value: JsonObject, idOf: Translate, isUpdate: boolean): JsonObject {
  const body: JsonObject = {};
  for (const field of kind.fields) {
    if (field.isApart === true || (isUpdate && field.life !== undefined && field.name !== 'typeId')) continue;
    const builtin = field.references?.[0]?.builtin;
    const present = value[field.name] ?? null;
    if (present === null) {
      if (builtin !== undefined) body[field.body ?? field.name] = builtin;
      continue;
    }
    body[field.body ?? field.name] = translated(field, present, idOf, 'ids');
  }
  return body;
}

function translated(field: KindField, value: Json, translate: Translate, to: 'names' | 'ids'): Json {
  let result = value;
  for (const reference of field.references ?? []) {
    if (to === 'names' && value === reference.builtin) return null;
    result = replacedAt(result, reference.path, (found) => mapReference(reference, found, translate));
  }
  return result;
}

/** The same with another value at a path, where there is one. */
export function replacedAt(value: Json, [name, ...rest]: readonly string[], map: (value: Json) => Json): Json {
  if (name === undefined) return map(value);
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: replacedAt(value[name] ?? null, rest, map) };
}

/** A value that is no reference is returned as it is: the schema of files, or the API, refuses it. */
function mapReference({ target, form }: Reference, value: Json, translate: Translate): Json {
  const one = (name: Json): Json => (typeof name === 'string' && name !== '' ? translate(target, name) : name);
  switch (form) {
    case 'name':
      return one(value);
    case 'names':
      return Array.isArray(value) ? value.map(one) : value;
    case 'selectors':
      return Array.isArray(value) ? value.map((role) => selector(role, one)) : value;
    case 'keys':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [translate(target, name), item]))
        : value;
    case 'pairs':
      return Array.isArray(value) ? value.map((pair) => pairOf(pair, translate)) : value;
  }
}

function selector(role: Json, one: (name: Json) => Json): Json {
  return typeof role === 'string' && role.startsWith('@') ? `@${asText(one(role.slice(1)))}` : role;
}

function pairOf(pair: Json, translate: Translate): Json {
  if (!isObject(pair)) return pair;
  const { service = '', config = '' } = pair;
  return {
    service: translate('services', asText(service)),
    config: translate('configs', asText(config)),
  };
}

/** A name that a value refers to, and where: the path begins with the field. */
export interface Mention {
  readonly target: ReferenceTarget;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

/** Everything that a complete value refers to by name. */
export function mentionsIn(kind: EntityKind, value: JsonObject): Mention[] {
  return kind.fields.flatMap((field) =>
    (field.references ?? []).flatMap((reference) => {
      let found: Json = value[field.name] ?? null;
      for (const name of reference.path) found = isObject(found) ? (found[name] ?? null) : null;
      return mentionsAt(reference, found, [field.name, ...reference.path]);
    }),
  );
}

function mentionsAt({ target, form }: Reference, value: Json, path: readonly (string | number)[]): Mention[] {
  if (typeof value === 'string') return value === '' ? [] : [{ target, name: value, path }];
  if (isObject(value)) {
    return form === 'keys' ? Object.keys(value).map((name) => ({ target, name, path: [...path, name] })) : [];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): Mention[] => {
    if (form === 'pairs' && isObject(item)) {
      return (['service', 'config'] as const).map((part) => ({
        target: part === 'service' ? 'services' : 'configs',
        name: asText(item[part] ?? ''),
        path: [...path, index, part],
      }));
    }
    if (typeof item !== 'string') return [];
    if (form === 'names') return [{ target, name: item, path: [...path, index] }];
    return item.startsWith('@') ? [{ target, name: item.slice(1), path: [...path, index] }] : [];
  });
}
