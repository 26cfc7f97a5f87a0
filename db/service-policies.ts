/** Service policies: role lists that decide who may dial or bind what. Reads show `@id` roles by present names. */
import type { Page, PolicyType, RoleDisplay, Semantic, ServicePolicy, ServicePolicyDraft } from '../domain/model.js';
import { invalidField, notFound, raise } from '../domain/errors.js';
import { namedIds } from '../domain/policy/roles.js';
import type { Db } from './db.js';
import { BASE_COLUMNS, baseOf, detailSql, insert, json, remove, update } from './table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from './table.js';
import { servicePolicySymbols } from './symbols.js';

const SERVICE_POLICY = 'servicePolicy';

interface Row extends BaseRow {
  name: string;
  type: PolicyType;
  semantic: Semantic;
  identity_roles: string[];
  service_roles: string[];
  posture_check_roles: string[];
  identity_names: Record<string, string> | null;
  service_names: Record<string, string> | null;
  posture_check_names: Record<string, string> | null;
}

/** Names of the entities that a role list points to by `@id`, for the whole page at once. */
const namesOf = (table: string, column: string, as: string) =>
  `(SELECT json_object_agg(n.id, n.name) FROM ${table} n WHERE n.id IN (
     SELECT substr(r, 2) FROM unnest(t.${column}) r WHERE r LIKE '@%')) AS ${as}`;

const source: ListSource<Row, ServicePolicy> = {
  table: 'service_policies', symbols: servicePolicySymbols,
  columns: [...BASE_COLUMNS, 'name', 'type', 'semantic', 'identity_roles', 'service_roles', 'posture_check_roles'],
  extras: [namesOf('identities', 'identity_roles', 'identity_names'), namesOf('services', 'service_roles', 'service_names'),
    namesOf('posture_checks', 'posture_check_roles', 'posture_check_names')].join(', '),
  fromRow,
};

const DETAIL = detailSql(source);

function display(roles: readonly string[], names: Record<string, string> | null): RoleDisplay[] {
  return roles.map((role) => ({ role, name: role.startsWith('@') ? `@${names?.[role.slice(1)] ?? role.slice(1)}` : role }));
}

function fromRow(row: Row): ServicePolicy {
  return {
    name: row.name, type: row.type, semantic: row.semantic, identityRoles: row.identity_roles,
    serviceRoles: row.service_roles, postureCheckRoles: row.posture_check_roles,
    identityRolesDisplay: display(row.identity_roles, row.identity_names),
    serviceRolesDisplay: display(row.service_roles, row.service_names),
    postureCheckRolesDisplay: display(row.posture_check_roles, row.posture_check_names),
    ...baseOf(row),
  };
}

export interface ServicePolicyStore {
  get(id: string): Promise<ServicePolicy>;
  list(request: ListRequest): Promise<Page<ServicePolicy>>;
  /** @throws DomainError `invalidField` for an `@id` that names nobody */
  create(id: string, draft: ServicePolicyDraft): Promise<void>;
  update(id: string, changes: Changes<ServicePolicyDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function servicePolicyStore(db: Db, lists: Lists): ServicePolicyStore {
  /** Named entities are locked against deletion until this transaction ends, so that no role is left dangling. */
  const requireNamed = async (field: string, table: string, entities: string, roles: readonly string[] | undefined) => {
    const ids = namedIds(roles ?? []);
    if (ids.length === 0) return;
    const { rows } = await db.run<{ id: string }>(`named-${table}`, `SELECT id FROM ${table} WHERE id = ANY ($1) FOR KEY SHARE`, [ids]);
    const known = new Set(rows.map((row) => row.id));
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0) throw invalidField(field, `no ${entities} found with the given ids`, unknown);
  };
  const requireReferences = async (draft: Changes<ServicePolicyDraft>) => {
    await requireNamed('identityRoles', 'identities', 'identities', draft.identityRoles);
    await requireNamed('serviceRoles', 'services', 'services', draft.serviceRoles);
    await requireNamed('postureCheckRoles', 'posture_checks', 'postureChecks', draft.postureCheckRoles);
  };
  return {
    async get(id) {
      const { rows: [row] } = await db.read<Row>('service-policy-detail', DETAIL, [id]);
      return row ? fromRow(row) : raise(notFound(SERVICE_POLICY, id));
    },
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await requireReferences(draft);
      await insert(db, 'service_policies', {
        id, name: draft.name, type: draft.type, semantic: draft.semantic, identity_roles: draft.identityRoles,
        service_roles: draft.serviceRoles, posture_check_roles: draft.postureCheckRoles, tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      await requireReferences(changes);
      await update(db, 'service_policies', SERVICE_POLICY, id, {
        name: changes.name, type: changes.type, semantic: changes.semantic, identity_roles: changes.identityRoles,
        service_roles: changes.serviceRoles, posture_check_roles: changes.postureCheckRoles, tags: json(changes.tags),
      });
    },
    remove: (id) => remove(db, 'service_policies', SERVICE_POLICY, id),
  };
}
