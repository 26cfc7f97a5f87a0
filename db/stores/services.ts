/**
 * Services, plain or as one identity sees them. The view adds what the caller's policies grant and the data of the
 * config types it asked for.
 */
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { JsonObject, Page, Service, ServiceDraft, ServiceView } from '../../domain/model.js';
import { permissionsFor } from '../../domain/policy/access.js';
import type { Grant } from '../../domain/policy/access.js';
import { configIdsOf, holdConfigs, writeConfigs } from './config-lists.js';
import { inTransaction } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, json, mapPage, remove, update } from '../query/table.js';
import type { BaseRow, Changes, ForClient, Lists, ListRequest, ListSource } from '../query/table.js';
import { clientServiceSymbols } from './client-symbols.js';
import type { RoleFilter } from '../filter/index.js';
import { everything, inAll, requested, rowsWhere } from '../query/scopes.js';
import type { Selection } from '../query/scopes.js';
import { serviceSymbols } from './symbols.js';

const SERVICE = 'service';

interface Row extends BaseRow {
  name: string;
  encryption_required: boolean;
  terminator_strategy: Strategy;
  max_idle_time_millis: number;
  role_attributes: string[];
  configs: string[];
}
interface ViewRow extends Row {
  config: Record<string, JsonObject> | null;
}

const COLUMNS = [
  ...BASE_COLUMNS,
  'name',
  'encryption_required',
  'terminator_strategy',
  'max_idle_time_millis',
  'role_attributes',
] as const;
const CONFIG_IDS = configIdsOf('services');

function fromRow(row: Row): Service {
  return {
    name: row.name,
    encryptionRequired: row.encryption_required,
    terminatorStrategy: row.terminator_strategy,
    maxIdleTimeMillis: row.max_idle_time_millis,
    roleAttributes: row.role_attributes,
    configs: row.configs,
    ...baseOf(row),
  };
}

const plain: ListSource<Row, Service> = {
  table: 'services',
  symbols: serviceSymbols,
  columns: COLUMNS,
  extras: CONFIG_IDS,
  fromRow,
};
const DETAIL = detailSql(plain);

/**
 * Data by type name; `types` is the asked type ids, or `{all}`. A config that the identity has for the service takes
 * the place of the service's own of that type, or is added to them.
 */
const configData = (types: string, identity: string) => {
  const isAsked = (alias: string) => `(${alias}.config_type_id = ANY (${types}::text[]) OR ${types}::text[] = '{all}')`;
  const own = (alias: string) =>
    `identity_service_configs ${alias} WHERE ${alias}.identity_id = ${identity}::text AND ${alias}.service_id = t.id`;
  return `(SELECT json_object_agg(ct.name, c.data ORDER BY ct.name) FROM (
    SELECT sc.config_id FROM service_configs sc WHERE sc.service_id = t.id AND ${isAsked('sc')}
      AND NOT EXISTS (SELECT FROM ${own('o')} AND o.config_type_id = sc.config_type_id)
    UNION ALL SELECT o.config_id FROM ${own('o')} AND ${isAsked('o')}) used
  JOIN configs c ON c.id = used.config_id JOIN config_types ct ON ct.id = c.config_type_id) AS config`;
};

const VIEW_DETAIL = detailSql({ ...plain, extras: `${CONFIG_IDS}, ${configData('$2', '$3')}` });

/** The services as rows; what of them a viewer sees is worked out once its grants are there. */
const viewSource = ({ configTypes, identityId }: Viewer, isForClient = false): ListSource<ViewRow, ViewRow> => ({
  ...plain,
  symbols: isForClient ? clientServiceSymbols : serviceSymbols,
  readerExtras: { name: 'config', sql: (bind) => configData(bind(configTypes), bind(identityId)) },
  fromRow: (row) => row,
});

/** Who sees the services: an identity, its grants and the config types it asked for. */
export interface Viewer {
  readonly identityId: string;
  /** Called once, so that what is not known yet is read together with the services and not before them. */
  readonly grants: () => Promise<readonly Grant[]>;
  readonly configTypes: readonly string[];
}

const viewFrom =
  (grants: readonly Grant[]) =>
  (row: ViewRow): ServiceView => {
    const service = fromRow(row);
    return { config: row.config ?? {}, ...permissionsFor(grants, service), ...service };
  };

export interface ServiceListRequest extends ListRequest, RoleFilter, Selection, ForClient {
  /** Only services that carry this config. */
  readonly withConfig?: string;
}

const carrying = (configId: string) =>
  rowsWhere(
    'carrying',
    (bind) => `t.id IN (SELECT service_id FROM service_configs WHERE config_id = ${bind(configId)})`,
  );

const scopeOf = ({ withConfig, ...request }: ServiceListRequest) =>
  inAll(withConfig === undefined ? everything : carrying(withConfig), requested(request));

export interface ServiceStore {
  get(id: string): Promise<Service>;
  /** The page as `viewer` sees it. */
  listViews(request: ServiceListRequest, viewer: Viewer): Promise<Page<ServiceView>>;
  findView(id: string, viewer: Viewer): Promise<ServiceView | undefined>;
  create(id: string, draft: ServiceDraft): Promise<void>;
  /** Changes what is given. `configs` replaces the whole set. */
  update(id: string, changes: Changes<ServiceDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Changes a service and the set of its configs. A change that gives no set is a transaction by itself. */
function withConfigs(
  db: Db,
  id: string,
  configs: readonly string[] | undefined,
  change: (db: Db) => Promise<void>,
): Promise<void> {
  if (configs === undefined) return change(db);
  return inTransaction(db, async (tx) => {
    const held = await holdConfigs(tx, 'services', configs);
    await change(tx);
    await writeConfigs(tx, 'services', id, held);
  });
}

export function serviceStore(db: Db, lists: Lists): ServiceStore {
  return {
    get: (id) => getOne(db, SERVICE, ['service-detail', DETAIL], [id], fromRow),
    async listViews(request, viewer) {
      const source = viewSource(viewer, request.isForClient);
      const [grants, page] = await Promise.all([viewer.grants(), lists.page(db, source, request, scopeOf(request))]);
      return mapPage(page, viewFrom(grants));
    },
    async findView(id, viewer) {
      const [
        grants,
        {
          rows: [row],
        },
      ] = await Promise.all([
        viewer.grants(),
        db.read<ViewRow>('service-view', VIEW_DETAIL, [id, viewer.configTypes, viewer.identityId]),
      ]);
      return row && viewFrom(grants)(row);
    },
    create: (id, draft) =>
      withConfigs(db, id, draft.configs.length === 0 ? undefined : draft.configs, (on) =>
        insert(on, 'services', {
          id,
          name: draft.name,
          encryption_required: draft.encryptionRequired,
          terminator_strategy: draft.terminatorStrategy,
          max_idle_time_millis: draft.maxIdleTimeMillis,
          role_attributes: draft.roleAttributes,
          tags: json(draft.tags),
        }),
      ),
    update: (id, changes) =>
      withConfigs(db, id, changes.configs, (on) =>
        update(
          on,
          'services',
          SERVICE,
          id,
          {
            name: changes.name,
            encryption_required: changes.encryptionRequired,
            terminator_strategy: changes.terminatorStrategy,
            max_idle_time_millis: changes.maxIdleTimeMillis,
            role_attributes: changes.roleAttributes,
            tags: json(changes.tags),
          },
          changes.configs !== undefined,
        ),
      ),
    remove: (id) => remove(db, 'services', SERVICE, id),
  };
}
