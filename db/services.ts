/**
 * Services, plain or as one identity sees them. The view adds what the caller's policies grant and the data of the
 * config types it asked for; which services a view covers is the scope's business (access-view.ts).
 */
import type { JsonObject, Page, Service, ServiceDraft, ServiceView } from '../domain/model.js';
import { invalidField, notFound, raise } from '../domain/errors.js';
import { permissionsFor } from '../domain/policy/access.js';
import type { Grant } from '../domain/policy/access.js';
import type { Db } from './db.js';
import { BASE_COLUMNS, baseOf, detailSql, insert, json, remove, update } from './table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource, Scope } from './table.js';
import { serviceSymbols } from './symbols.js';
import { withRoleFilter } from './identities.js';
import type { RoleFilter } from './identities.js';

const SERVICE = 'service';

interface Row extends BaseRow {
  name: string;
  encryption_required: boolean;
  terminator_strategy: string;
  max_idle_time_millis: number;
  role_attributes: string[];
  configs: string[];
}
interface ViewRow extends Row { config: Record<string, JsonObject> | null }

const COLUMNS = [...BASE_COLUMNS, 'name', 'encryption_required', 'terminator_strategy', 'max_idle_time_millis', 'role_attributes'] as const;
const CONFIG_IDS = 'ARRAY (SELECT sc.config_id FROM service_configs sc WHERE sc.service_id = t.id ORDER BY 1) AS configs';

function fromRow(row: Row): Service {
  return {
    name: row.name, encryptionRequired: row.encryption_required, terminatorStrategy: row.terminator_strategy,
    maxIdleTimeMillis: row.max_idle_time_millis, roleAttributes: row.role_attributes, configs: row.configs,
    ...baseOf(row),
  };
}

const plain: ListSource<Row, Service> = { table: 'services', symbols: serviceSymbols, columns: COLUMNS, extras: CONFIG_IDS, fromRow };
const DETAIL = detailSql(plain);

/** Data by type name; `param` is the asked type ids, or `{all}`. */
const configData = (param: string) => `(SELECT json_object_agg(ct.name, c.data ORDER BY ct.name) FROM service_configs sc
  JOIN configs c ON c.id = sc.config_id JOIN config_types ct ON ct.id = c.config_type_id
  WHERE sc.service_id = t.id AND (sc.config_type_id = ANY (${param}::text[]) OR ${param}::text[] = '{all}')) AS config`;

const viewColumns = { table: 'services', symbols: serviceSymbols, columns: COLUMNS };
const VIEW_EXTRAS = `${CONFIG_IDS}, ${configData('$1')}`;
const VIEW_DETAIL = detailSql<ViewRow, ServiceView>({ ...viewColumns, extras: `${CONFIG_IDS}, ${configData('$2')}`, fromRow: () => raise(new Error('unused')) });

/** Whose eyes: the grants of an identity and the config types it asked for. */
export interface Viewer {
  readonly grants: readonly Grant[];
  readonly configTypes: readonly string[];
}

const viewFrom = (viewer: Viewer) => (row: ViewRow): ServiceView => {
  const service = fromRow(row);
  return { config: row.config ?? {}, ...permissionsFor(viewer.grants, service), ...service };
};

export interface ServiceStore {
  get(id: string): Promise<Service>;
  /** The page as `viewer` sees it, of the services that `scope` covers (placeholders from `$2`). */
  listViews(request: ListRequest & RoleFilter, viewer: Viewer): Promise<Page<ServiceView>>;
  findView(id: string, viewer: Viewer): Promise<ServiceView | undefined>;
  create(id: string, draft: ServiceDraft): Promise<void>;
  /** Changes what is given. `configs` replaces the whole set. */
  update(id: string, changes: Changes<ServiceDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Scopes for views count from `$2`: `$1` is the viewer's config types. */
function withConfigTypes(request: ListRequest & RoleFilter, viewer: Viewer): ListRequest & RoleFilter {
  const { name, where, values }: Scope = request.scope ?? { name: '', where: '', values: [] };
  return { ...request, scope: { name: `view-${name}`, where, values: [viewer.configTypes, ...values] } };
}

export function serviceStore(db: Db, lists: Lists): ServiceStore {
  const writeConfigs = async (id: string, configs: readonly string[]) => {
    await db.run('service-configs-clear', 'DELETE FROM service_configs WHERE service_id = $1', [id]);
    if (configs.length === 0) return;
    const ids = [...new Set(configs)];
    const { rows } = await db.run<{ id: string; name: string; type_id: string; type_name: string }>('service-configs-lock',
      `SELECT c.id, c.name, ct.id AS type_id, ct.name AS type_name FROM configs c
       JOIN config_types ct ON ct.id = c.config_type_id WHERE c.id = ANY ($1) ORDER BY c.id FOR KEY SHARE OF c`, [ids]);
    const missing = ids.find((configId) => !rows.some((row) => row.id === configId));
    if (missing !== undefined) throw notFound('config', missing);
    refuseSameType(rows, configs);
    await db.run('service-configs-write', `INSERT INTO service_configs (service_id, config_id, config_type_id)
      SELECT $1, c.id, c.config_type_id FROM configs c WHERE c.id = ANY ($2)`, [id, ids]);
  };
  return {
    async get(id) {
      const { rows: [row] } = await db.read<Row>('service-detail', DETAIL, [id]);
      return row ? fromRow(row) : raise(notFound(SERVICE, id));
    },
    listViews: (request, viewer) => lists.page<ViewRow, ServiceView>(db,
      { ...viewColumns, extras: VIEW_EXTRAS, fromRow: viewFrom(viewer) },
      withRoleFilter(withConfigTypes(request, viewer))),
    async findView(id, viewer) {
      const { rows: [row] } = await db.read<ViewRow>('service-view', VIEW_DETAIL, [id, viewer.configTypes]);
      return row && viewFrom(viewer)(row);
    },
    async create(id, draft) {
      await insert(db, 'services', {
        id, name: draft.name, encryption_required: draft.encryptionRequired, terminator_strategy: draft.terminatorStrategy,
        max_idle_time_millis: draft.maxIdleTimeMillis, role_attributes: draft.roleAttributes, tags: json(draft.tags),
      });
      if (draft.configs.length > 0) await writeConfigs(id, draft.configs);
    },
    async update(id, changes) {
      await update(db, 'services', SERVICE, id, {
        name: changes.name, encryption_required: changes.encryptionRequired, terminator_strategy: changes.terminatorStrategy,
        max_idle_time_millis: changes.maxIdleTimeMillis, role_attributes: changes.roleAttributes, tags: json(changes.tags),
      }, changes.configs !== undefined);
      if (changes.configs !== undefined) await writeConfigs(id, changes.configs);
    },
    remove: (id) => remove(db, 'services', SERVICE, id),
  };
}

function refuseSameType(rows: readonly { name: string; type_id: string; type_name: string }[], configs: readonly string[]): void {
  for (const [index, row] of rows.entries()) {
    const other = rows.slice(0, index).find((earlier) => earlier.type_id === row.type_id);
    if (other !== undefined) {
      throw invalidField('configs', `duplicate configs named ${other.name} and ${row.name} found for config type ${row.type_name}. `
        + 'Only one config of a given typed is allowed per service ', configs);
    }
  }
}

/** Services that carry a config. Counts from `$2`, as scopes of views do. */
export const servicesWithConfig = (configId: string): Scope => ({
  name: 'with-config', where: 't.id IN (SELECT service_id FROM service_configs WHERE config_id = $2)', values: [configId],
});
