/**
 * Edge router policies: which identities may use which edge routers. Those of tunneler routers belong to the system.
 */
import type { EdgeRouterPolicy, EdgeRouterPolicyDraft, Semantic } from '../../domain/model.js';
import { DomainError } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { flag, text, textArray } from '../query/fields.js';
import type { Lists } from '../query/lists.js';
import type { Changes } from '../query/table.js';
import { display } from './role-lists.js';
import { namesBehind, policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';
import { shortChange, slowRead } from '../postgres/statement.js';

type Roles = 'edgeRouterRoles' | 'identityRoles';
type Row = PolicyRow<Roles> & Pick<EdgeRouterPolicy, 'isSystem'>;

export const edgeRouterPolicy = entity<Row>(
  'edge_router_policies',
  {
    name: text().unique(),
    semantic: text<Semantic>(),
    isSystem: flag(),
    edgeRouterRoles: textArray(),
    identityRoles: textArray(),
    routerNames: namesBehind('edgeRouterRoles'),
    identityNames: namesBehind('identityRoles'),
  },
  { name: 'edgeRouterPolicy', collections: ['edge-router-policies'], versionedBy: 'updatedAt' },
);

const fromRow = ({ routerNames, identityNames, ...row }: Row): EdgeRouterPolicy => ({
  edgeRouterRolesDisplay: display(row.edgeRouterRoles, routerNames),
  identityRolesDisplay: display(row.identityRoles, identityNames),
  ...row,
});

const storeOn = policyStores<Row, EdgeRouterPolicy, Roles>({
  entity: edgeRouterPolicy,
  roles: ['edgeRouterRoles', 'identityRoles'],
  fromRow,
});

export interface EdgeRouterPolicyStore extends PolicyStore<EdgeRouterPolicy, EdgeRouterPolicyDraft, Roles> {
  /** @throws DomainError `notFound`, `notUpdatable` for one of the system, `invalidField` */
  update(id: string, changes: Changes<EdgeRouterPolicyDraft>): Promise<void>;
  /** @throws DomainError `notFound`, `notDeletable` for one of the system */
  remove(id: string): Promise<void>;
}

const KIND = slowRead<{ is_system: boolean }>(
  'edge-router-policy-kind',
  `SELECT is_system FROM ${edgeRouterPolicy.table} WHERE id = $1`,
);

const REMOVE_ORDINARY = shortChange(
  'edge-router-policy-remove-ordinary',
  { row: 0 },
  ({ returningActor }) => `DELETE FROM ${edgeRouterPolicy.table} WHERE id = $1 AND NOT is_system${returningActor}`,
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
      if ((await db.count(REMOVE_ORDINARY, [id])) === 1) return;
      await refuseSystem(id, 'notDeletable', 'delete');
      await store.remove(id);
    },
  };
}
