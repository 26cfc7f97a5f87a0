/** Role attributes in use: read from the counts that triggers keep, never by a look at every entity. */
import type { Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import type { Bind } from '../filter/index.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { wholeList } from '../query/whole-list.js';
import { roleAttributeSymbols } from './symbols.js';
import { read } from '../postgres/statement.js';

/** Kinds of entities with role attributes, by their tables. */
export type AttributedKind = 'identities' | 'services' | 'routers' | 'posture_checks';

export interface RoleAttributeStore {
  /** Distinct attributes of all entities of a kind, sorted by bytes; the whole set unless limited. */
  list(kind: AttributedKind, request: ListRequest): Promise<Page<string>>;
  /**
   * Moves when an attribute of that kind comes into use or goes out of it, and so with every list. It is not announced:
   * transactions that announce commit one after another, and this one is spread over slots so that writers do not wait.
   */
  epoch(kind: AttributedKind): Promise<number>;
}

const inUse = (kind: AttributedKind) => (bind: Bind) =>
  `SELECT DISTINCT c.attribute AS id FROM role_attribute_counts c WHERE c.kind = ${bind(kind)} AND c.uses > 0`;
const EPOCH = read<{ epoch: number }>(
  'role-attribute-epoch',
  'SELECT coalesce(sum(epoch), 0)::bigint AS epoch FROM role_attribute_epochs WHERE kind = $1',
);

export function roleAttributeStore(db: Db, lists: Lists): RoleAttributeStore {
  return {
    list: (kind, request) =>
      wholeList<{ id: string }, string>(
        db,
        lists,
        // Not prepared: most are of one kind, which a plan for any kind does not expect.
        { symbols: roleAttributeSymbols, name: null, sql: inUse(kind), fromRow: ({ id }) => id },
        request,
      ),
    async epoch(kind) {
      const row = await db.one(EPOCH, [kind]);
      return row?.epoch ?? 0;
    },
  };
}
