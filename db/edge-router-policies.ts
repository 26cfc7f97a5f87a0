/** Edge router policies: which identities may use which edge routers. Those of tunneler routers belong to the system. */
import type { EdgeRouterPolicy, EdgeRouterPolicyDraft, Page, Semantic } from '../domain/model.js';
import { DomainError, notFound, raise } from '../domain/errors.js';
import type { Db } from './db.js';
import { NAMEABLE, display, namesOf, requireNamed } from './role-lists.js';
import type { Names } from './role-lists.js';
import { BASE_COLUMNS, baseOf, detailSql, insert, json, remove, update } from './table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from './table.js';
import { edgeRouterPolicySymbols } from './symbols.js';

const TABLE = 'edge_router_policies';
const EDGE_ROUTER_POLICY = 'edgeRouterPolicy';

interface Row extends BaseRow {
  name: string;
  semantic: Semantic;
  is_system: boolean;
  edge_router_roles: string[];
  identity_roles: string[];
  router_names: Names;
  identity_names: Names;
}

const source: ListSource<Row, EdgeRouterPolicy> = {
  table: TABLE, symbols: edgeRouterPolicySymbols,
  columns: [...BASE_COLUMNS, 'name', 'semantic', 'is_system', 'edge_router_roles', 'identity_roles'],
  extras: `${namesOf('routers', 'edge_router_roles', 'router_names')}, ${namesOf('identities', 'identity_roles', 'identity_names')}`,
  fromRow,
};

const DETAIL = detailSql(source);

function fromRow(row: Row): EdgeRouterPolicy {
  return {
    name: row.name, semantic: row.semantic, isSystem: row.is_system, edgeRouterRoles: row.edge_router_roles, identityRoles: row.identity_roles,
    edgeRouterRolesDisplay: display(row.edge_router_roles, row.router_names),
    identityRolesDisplay: display(row.identity_roles, row.identity_names),
    ...baseOf(row),
  };
}

export interface EdgeRouterPolicyStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<EdgeRouterPolicy>;
  list(request: ListRequest): Promise<Page<EdgeRouterPolicy>>;
  /** @throws DomainError `invalidField` for an `@id` that names nobody */
  create(id: string, draft: EdgeRouterPolicyDraft): Promise<void>;
  /** @throws DomainError `notFound`, `notUpdatable` for one of the system, `invalidField` */
  update(id: string, changes: Changes<EdgeRouterPolicyDraft>): Promise<void>;
  /** @throws DomainError `notFound`, `notDeletable` for one of the system */
  remove(id: string): Promise<void>;
}

export function edgeRouterPolicyStore(db: Db, lists: Lists): EdgeRouterPolicyStore {
  const requireReferences = async (draft: Changes<EdgeRouterPolicyDraft>) => {
    await requireNamed(db, 'edgeRouterRoles', NAMEABLE.edgeRouters, draft.edgeRouterRoles);
    await requireNamed(db, 'identityRoles', NAMEABLE.identities, draft.identityRoles);
  };
  /** Whether a policy is the system's never changes. */
  const refuseSystem = async (id: string, kind: 'notDeletable' | 'notUpdatable', verb: 'delete' | 'update') => {
    const { rows: [row] } = await db.run<{ is_system: boolean }>('edge-router-policy-kind', `SELECT is_system FROM ${TABLE} WHERE id = $1`, [id]);
    if (row?.is_system === true) throw new DomainError(kind, { causeMessage: `cannot ${verb} system edgeRouterPolicy in a non-system context (id=${id})` });
  };
  return {
    async get(id) {
      const { rows: [row] } = await db.read<Row>('edge-router-policy-detail', DETAIL, [id]);
      return row ? fromRow(row) : raise(notFound(EDGE_ROUTER_POLICY, id));
    },
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await requireReferences(draft);
      await insert(db, TABLE, {
        id, name: draft.name, semantic: draft.semantic, edge_router_roles: draft.edgeRouterRoles, identity_roles: draft.identityRoles,
        tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      await refuseSystem(id, 'notUpdatable', 'update');
      await requireReferences(changes);
      await update(db, TABLE, EDGE_ROUTER_POLICY, id, {
        name: changes.name, semantic: changes.semantic, edge_router_roles: changes.edgeRouterRoles, identity_roles: changes.identityRoles,
        tags: json(changes.tags),
      });
    },
    async remove(id) {
      await refuseSystem(id, 'notDeletable', 'delete');
      await remove(db, TABLE, EDGE_ROUTER_POLICY, id);
    },
  };
}
