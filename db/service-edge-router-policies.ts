/** Service edge router policies: which services may be reached through which edge routers. */
import type { Page, Semantic, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyDraft } from '../domain/model.js';
import { notFound, raise } from '../domain/errors.js';
import type { Db } from './db.js';
import { NAMEABLE, display, namesOf, requireNamed } from './role-lists.js';
import type { Names } from './role-lists.js';
import { BASE_COLUMNS, baseOf, detailSql, insert, json, remove, update } from './table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from './table.js';
import { serviceEdgeRouterPolicySymbols } from './symbols.js';

const TABLE = 'service_edge_router_policies';
const SERVICE_EDGE_ROUTER_POLICY = 'serviceEdgeRouterPolicy';

interface Row extends BaseRow {
  name: string;
  semantic: Semantic;
  edge_router_roles: string[];
  service_roles: string[];
  router_names: Names;
  service_names: Names;
}

const source: ListSource<Row, ServiceEdgeRouterPolicy> = {
  table: TABLE, symbols: serviceEdgeRouterPolicySymbols,
  columns: [...BASE_COLUMNS, 'name', 'semantic', 'edge_router_roles', 'service_roles'],
  extras: `${namesOf('routers', 'edge_router_roles', 'router_names')}, ${namesOf('services', 'service_roles', 'service_names')}`,
  fromRow,
};

const DETAIL = detailSql(source);

function fromRow(row: Row): ServiceEdgeRouterPolicy {
  return {
    name: row.name, semantic: row.semantic, edgeRouterRoles: row.edge_router_roles, serviceRoles: row.service_roles,
    edgeRouterRolesDisplay: display(row.edge_router_roles, row.router_names),
    serviceRolesDisplay: display(row.service_roles, row.service_names),
    ...baseOf(row),
  };
}

export interface ServiceEdgeRouterPolicyStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ServiceEdgeRouterPolicy>;
  list(request: ListRequest): Promise<Page<ServiceEdgeRouterPolicy>>;
  /** @throws DomainError `invalidField` for an `@id` that names nobody */
  create(id: string, draft: ServiceEdgeRouterPolicyDraft): Promise<void>;
  update(id: string, changes: Changes<ServiceEdgeRouterPolicyDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function serviceEdgeRouterPolicyStore(db: Db, lists: Lists): ServiceEdgeRouterPolicyStore {
  const requireReferences = async (draft: Changes<ServiceEdgeRouterPolicyDraft>) => {
    await requireNamed(db, 'edgeRouterRoles', NAMEABLE.edgeRouters, draft.edgeRouterRoles);
    await requireNamed(db, 'serviceRoles', NAMEABLE.services, draft.serviceRoles);
  };
  return {
    async get(id) {
      const { rows: [row] } = await db.read<Row>('service-edge-router-policy-detail', DETAIL, [id]);
      return row ? fromRow(row) : raise(notFound(SERVICE_EDGE_ROUTER_POLICY, id));
    },
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await requireReferences(draft);
      await insert(db, TABLE, {
        id, name: draft.name, semantic: draft.semantic, edge_router_roles: draft.edgeRouterRoles, service_roles: draft.serviceRoles,
        tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      await requireReferences(changes);
      await update(db, TABLE, SERVICE_EDGE_ROUTER_POLICY, id, {
        name: changes.name, semantic: changes.semantic, edge_router_roles: changes.edgeRouterRoles, service_roles: changes.serviceRoles,
        tags: json(changes.tags),
      });
    },
    remove: (id) => remove(db, TABLE, SERVICE_EDGE_ROUTER_POLICY, id),
  };
}
