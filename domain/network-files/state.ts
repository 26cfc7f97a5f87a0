/** State of a network, by name. */
import type { Json, JsonObject } from '../model.js';
import { GLOBAL_SETTINGS } from '../administration.js';
import { builtinConfigTypes } from '../config/builtin-types.js';
import { compact, complete, fromDetail } from './forms.js';
import type { Translate } from './forms.js';
import { KIND_NAMES } from './kind-names.js';
import { KINDS } from './kinds.js';
import type { KindName } from './kind-names.js';
import type { EntityKind, ReferenceTarget } from './kind-fields.js';
import { asText, byText, isAlike } from './values.js';

export interface KnownEntity {
  readonly id: string;
  readonly name: string;
  /** Complete, by name. */
  readonly value: JsonObject;
  /** Why it cannot be deleted; undefined when it can. */
  readonly keptBecause?: string;
  /** Every network has it just so: no one needs to know that it is kept. */
  readonly isUsual?: boolean;
}

/** Responses of the API for each kind, and the controllers. */
export type Details = Readonly<Record<ReferenceTarget, readonly JsonObject[]>>;

export interface State {
  readonly byName: Readonly<Record<KindName, ReadonlyMap<string, KnownEntity>>>;
  /** The one that every network has, of the kinds that have one. */
  readonly marked: ReadonlyMap<KindName, KnownEntity>;
  readonly idOf: (target: ReferenceTarget, name: string) => string | undefined;
}

export interface ReadBy {
  /** The identity that reads. */
  readonly ownId?: string | undefined;
  /** It is a network of the existing controller, which words the types that every network has in another way. */
  readonly isExisting?: boolean;
}

/** Members of details that decide about an entity, beside the fields of its kind. */
const FACTS = ['id', 'name', 'isSystem', 'isDefaultAdmin', 'isTunnelerEnabled'];

/** Keeps of each detail of a kind what `networkState` needs, a fifth of it: there may be a million of them. */
export function partOfState({ fields }: EntityKind): (detail: JsonObject) => JsonObject {
  const names = [...FACTS, ...fields.map((field) => field.detail ?? field.name)];
  return (detail) => {
    const part: JsonObject = {};
    for (const name of names) if (detail[name] !== undefined) part[name] = detail[name];
    return part;
  };
}

/** @throws Error for a reference to what is not there: the network has changed while it was read */
export function networkState(details: Details, { ownId, isExisting = false }: ReadBy = {}): State {
  const names = namesIn(details);
  const nameOf: Translate = (target, id) => {
    const name = names.get(target)?.get(id);
    if (name === undefined) throw new Error('The network was changed while it was read. Run the command again.');
    return name;
  };
  const owned = new Set(details.edgeRouters.filter((router) => router['isTunnelerEnabled'] === true).map(idOf));
  const marked = new Map<KindName, KnownEntity>();
  const byName = Object.fromEntries(
    KIND_NAMES.map((kindName) => {
      const kind = KINDS[kindName];
      const known = new Map<string, KnownEntity>();
      for (const detail of details[kindName]) {
        if (detail['isSystem'] === true) continue;
        if (kindName === 'transitRouters' && names.get('edgeRouters')?.has(idOf(detail)) === true) continue;
        const value = fromDetail(kind, detail, nameOf);
        const name = asText(value[kind.key]);
        const isMarked = kind.fields.some((field) => field.isMark === true && value[field.name] === true);
        const isOwn = kindName === 'identities' && idOf(detail) === ownId;
        const own = isOwn ? 'you are logged in as it' : undefined;
        const reason = keptBecause(kindName, detail, isMarked, owned) ?? own;
        const item = {
          id: idOf(detail),
          name,
          value,
          ...(reason === undefined ? {} : { keptBecause: reason }),
          isUsual: kindName === 'configTypes' && (isExisting ? BUILTIN_TYPES.has(name) : isBuiltinType(value)),
        };
        known.set(name, item);
        if (isMarked) marked.set(kindName, item);
      }
      return [kindName, known];
    }),
  ) as unknown as Record<KindName, Map<string, KnownEntity>>;
  const ids = new Map(
    [...names].map(([target, byId]) => [target, new Map([...byId].map(([id, name]) => [name, id]))] as const),
  );
  return { byName, marked, idOf: (target, name) => ids.get(target)?.get(name) };
}

const idOf = ({ id }: JsonObject): string => asText(id);

function namesIn(details: Details): Map<ReferenceTarget, Map<string, string>> {
  const names = new Map(
    Object.entries(details).map(([target, items]) => [
      target as ReferenceTarget,
      new Map(items.map((item) => [idOf(item), asText(item['name'])])),
    ]),
  );
  names.get('controllers')?.set(GLOBAL_SETTINGS, GLOBAL_SETTINGS);
  return names;
}

const BUILTIN_TYPES = new Map(builtinConfigTypes.map((type) => [type.name, type]));

function keptBecause(
  kind: KindName,
  detail: JsonObject,
  isMarked: boolean,
  owned: ReadonlySet<string>,
): string | undefined {
  if (kind === 'identities' && isMarked) return 'the default administrator';
  if (kind === 'identities' && owned.has(idOf(detail))) return 'of the router with this name, and goes with it';
  if (kind === 'authPolicies' && isMarked) return 'the policy of identities that name no other';
  if (kind === 'configTypes' && BUILTIN_TYPES.has(asText(detail['name']))) return 'a type that every network has';
  return undefined;
}

/** Every network has them already. */
const isBuiltinType = (value: JsonObject): boolean => {
  const name = asText(value['name']);
  const type = BUILTIN_TYPES.get(name);
  if (type === undefined) return false;
  return isAlike(value, complete(KINDS.configTypes, { name, schema: type.schema, target: type.target }));
};

/** All of it as files have it: kinds in the order in which they depend, entities in the order of their names. */
export function contentOf(state: State, only: ReadonlySet<KindName> | undefined): Map<KindName, Json[]> {
  const wanted = KIND_NAMES.filter((name) => only === undefined || only.has(name));
  return new Map(
    wanted.map((name) => {
      const items = [...state.byName[name].values()].filter(({ isUsual }) => isUsual !== true);
      return [name, items.sort((a, b) => byText(a.name, b.name)).map(({ value }) => compact(KINDS[name], value))];
    }),
  );
}
