/**
 * Fields of a kind of entity, and those that several kinds have. A file uses names for references; the API wants ids.
 * So each field says where it is in a request and in a response, and which part of it is a reference.
 */
import type { Json } from '../model.js';
import type { KindName } from './kind-names.js';

/** Kind that a file may refer to: controllers are no kind of their own, since each one registers itself. */
export type ReferenceTarget = KindName | 'controllers';

/**
 * How a value refers to others: one name, a list of names, role selectors (`@name`), an object with names for keys, or
 * a list of pairs of a service and a config.
 */
export type ReferenceForm = 'name' | 'names' | 'selectors' | 'keys' | 'pairs';

export interface Reference {
  /** Inside the field; empty for the field itself. */
  readonly path: readonly string[];
  readonly target: ReferenceTarget;
  readonly form: ReferenceForm;
  /** The id of what is meant when nothing is named. */
  readonly builtin?: string;
}

export interface KindField {
  /** Name in files. */
  readonly name: string;
  /** Name in the bodies of requests, if another. */
  readonly body?: string;
  /** Name in answers, if another. */
  readonly detail?: string;
  /** Default when the field is left out. The API requires a field that has none. */
  readonly fallback?: Json;
  /** A list whose order means nothing. */
  readonly isSet?: boolean;
  /** `fixed`: it never changes after the creation. `asked`: it is for the creation alone, and not kept. */
  readonly life?: 'fixed' | 'asked';
  /** It is no part of the entity's own requests. */
  readonly isApart?: boolean;
  /** It marks the one of its kind that every network has, whatever its name. */
  readonly isMark?: boolean;
  readonly references?: readonly Reference[];
}

export interface EntityKind {
  readonly name: KindName;
  /** One of them, for people. */
  readonly title: string;
  /** The definition in the spec of what makes one. */
  readonly definition: string;
  /** Operation ids of the management API. */
  readonly operations: {
    readonly list: string;
    readonly create: string;
    readonly update: string;
    readonly remove: string;
  };
  /** The field by which one is known. */
  readonly key: 'name' | 'controller';
  readonly fields: readonly KindField[];
}

export const TAGS: KindField = { name: 'tags', fallback: {} };
export const NAME: KindField = { name: 'name' };
export const ATTRIBUTES: KindField = { name: 'roleAttributes', fallback: [], isSet: true };
export const selectors = (name: string, target: KindName): KindField => ({
  name,
  fallback: [],
  isSet: true,
  references: [{ path: [], target, form: 'selectors' }],
});
export const CONFIGS: KindField = {
  name: 'configs',
  fallback: [],
  isSet: true,
  references: [{ path: [], target: 'configs', form: 'names' }],
};
export const ROUTER_FIELDS: readonly KindField[] = [
  NAME,
  { name: 'cost', fallback: 0 },
  { name: 'noTraversal', fallback: false },
  { name: 'disabled', fallback: false },
  { name: 'ctrlChanListeners', fallback: {} },
  CONFIGS,
];
export const hosting = (name: string): KindField => ({
  name,
  fallback: {},
  references: [{ path: [], target: 'services', form: 'keys' }],
});
export const operationsOf = (one: string, many: string) => ({
  list: `list${many}`,
  create: `create${one}`,
  update: `update${one}`,
  remove: `delete${one}`,
});
