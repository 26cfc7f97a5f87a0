/** Service policies: role lists that decide who may dial or bind what. Reads show `@id` roles by present names. */
import type { Page, PolicyType, Semantic, ServicePolicy, ServicePolicyDraft } from '../domain/model.js';
import { notFound, raise } from '../domain/errors.js';
import type { Db } from './db.js';
import { NAMEABLE, display, namesOf, requireNamed } from './role-lists.js';
import type { Names } from './role-lists.js';
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
  identity_names: Names;
  service_names: Names;
  posture_check_names: Names;
}

const source: ListSource<Row, ServicePolicy> = {
  table: 'service_policies', symbols: servicePolicySymbols,
  columns: [...BASE_COLUMNS, 'name', 'type', 'semantic', 'identity_roles', 'service_roles', 'posture_check_roles'],
  extras: [namesOf('identities', 'identity_roles', 'identity_names'), namesOf('services', 'service_roles', 'service_names'),
    namesOf('posture_checks', 'posture_check_roles', 'posture_check_names')].join(', '),
  fromRow,
};

const DETAIL = detailSql(source);

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
  const requireReferences = async (draft: Changes<ServicePolicyDraft>) => {
    await requireNamed(db, 'identityRoles', NAMEABLE.identities, draft.identityRoles);
    await requireNamed(db, 'serviceRoles', NAMEABLE.services, draft.serviceRoles);
    await requireNamed(db, 'postureCheckRoles', NAMEABLE.postureChecks, draft.postureCheckRoles);
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
