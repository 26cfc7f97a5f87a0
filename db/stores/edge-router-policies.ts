/**
 * Edge router policies: which identities may use which edge routers. Those of tunneler routers belong to the system.
 */
import type { EdgeRouterPolicy, EdgeRouterPolicyDraft } from '../../domain/model.js';
import { DomainError } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { display } from './role-lists.js';
import type { Names } from './role-lists.js';
import { policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';
import { edgeRouterPolicySymbols } from './symbols.js';
import { baseOf } from '../query/table.js';
import type { Changes, Lists } from '../query/table.js';
import { slowRead } from '../postgres/statement.js';

const TABLE = 'edge_router_policies';

interface Row extends PolicyRow {
  is_system: boolean;
  edge_router_roles: string[];
  identity_roles: string[];
  router_names: Names;
  identity_names: Names;
}

function fromRow(row: Row): EdgeRouterPolicy {
  return {
    name: row.name,
    semantic: row.semantic,
    isSystem: row.is_system,
    edgeRouterRoles: row.edge_router_roles,
    identityRoles: row.identity_roles,
    edgeRouterRolesDisplay: display(row.edge_router_roles, row.router_names),
    identityRolesDisplay: display(row.identity_roles, row.identity_names),
    ...baseOf(row),
  };
}

const storeOn = policyStores({
  table: TABLE,
  entity: 'edgeRouterPolicy',
  symbols: edgeRouterPolicySymbols,
  columns: ['is_system'],
  roles: ['edgeRouterRoles', 'identityRoles'],
  fromRow,
});

export interface EdgeRouterPolicyStore extends PolicyStore<
  EdgeRouterPolicy,
  EdgeRouterPolicyDraft,
  'edgeRouterRoles' | 'identityRoles'
> {
  /** @throws DomainError `notFound`, `notUpdatable` for one of the system, `invalidField` */
  update(id: string, changes: Changes<EdgeRouterPolicyDraft>): Promise<void>;
  /** @throws DomainError `notFound`, `notDeletable` for one of the system */
  remove(id: string): Promise<void>;
}

const KIND = slowRead<{ is_system: boolean }>(
  'edge-router-policy-kind',
  `SELECT is_system FROM ${TABLE} WHERE id = $1`,
);

export function edgeRouterPolicyStore(db: Db, lists: Lists): EdgeRouterPolicyStore {
  const store = storeOn(db, lists);
  /** Whether a policy is the system's never changes. */
  const refuseSystem = async (id: string, kind: 'notDeletable' | 'notUpdatable', verb: 'delete' | 'update') => {
    const row = await db.one(KIND, [id]);
    if (row?.is_system === true)
      throw new DomainError(kind, {
        causeMessage: `cannot ${verb} system edgeRouterPolicy in a non-system context (id=${id})`,
      });
  };
  return {
    ...store,
    async update(id, changes) {
      await refuseSystem(id, 'notUpdatable', 'update');
      await store.update(id, changes);
    },
    async remove(id) {
      await refuseSystem(id, 'notDeletable', 'delete');
      await store.remove(id);
    },
  };
}
