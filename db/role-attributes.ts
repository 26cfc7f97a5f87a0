/** Role attributes in use: read from the counts that triggers keep, never by a look at every entity. */
import type { Page } from '../domain/model.js';
import type { Db } from './db.js';
import type { Lists, ListRequest } from './table.js';
import { wholeList } from './whole-list.js';
import { roleAttributeSymbols } from './symbols.js';

/** Kinds of entities with role attributes, by their tables. */
export type AttributedKind = 'identities' | 'services' | 'routers' | 'posture_checks';

export interface RoleAttributeStore {
  /** Distinct attributes of all entities of a kind, sorted by bytes; the whole set unless limited. */
  list(kind: AttributedKind, request: ListRequest): Promise<Page<string>>;
}

const IN_USE = 'SELECT c.attribute AS id FROM role_attribute_counts c WHERE c.kind = $1 GROUP BY c.attribute HAVING sum(c.uses) > 0';

export function roleAttributeStore(db: Db, lists: Lists): RoleAttributeStore {
  return {
    list: (kind, request) => wholeList<{ id: string }, string>(db, lists,
      { symbols: roleAttributeSymbols, name: 'role-attributes', sql: IN_USE, values: [kind], fromRow: ({ id }) => id }, request),
  };
}
