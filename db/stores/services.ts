/**
 * Services, plain or as one identity sees them. The view adds what the caller's policies grant and the data of the
 * config types it asked for.
 */
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { Page, Service, ServiceDraft, ServiceView } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import { permissionsFor } from '../../domain/policy/access.js';
import type { Grant } from '../../domain/policy/access.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { configIdsOf, lockConfigs, WITHOUT_CONFIGS, writeConfigs } from './config-lists.js';
import { inTransaction } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { asItIs, entity } from '../query/entity.js';
import { expression, flag, integer, linked, text, textArray } from '../query/fields.js';
import { mapPage } from '../query/lists.js';
import { detailSql } from '../query/table.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource, ReaderExtras } from '../query/table.js';
import type { RoleFilter } from '../filter/index.js';
import { everything, inAll, requested, rowsWhere } from '../query/scopes.js';
import type { Selection } from '../query/scopes.js';
import { config } from './configs.js';
import { read } from '../postgres/statement.js';

export const service = entity<Service>(
  'services',
  {
    name: text().unique().forClients(),
    encryptionRequired: flag().forClients(),
    terminatorStrategy: text<Strategy>().forClients(),
    maxIdleTimeMillis: integer().forClients(),
    roleAttributes: textArray().forClients(),
    configs: expression<readonly string[]>(configIdsOf('services'))
      .filteredBy(
        linked(
          () => config.symbols,
          'config.read',
          `configs {alias} JOIN service_configs {alias}_link
      ON {alias}_link.config_id = {alias}.id AND {alias}_link.service_id = t.id`,
        ),
      )
      .forClients(),
  },
  { name: 'service', collections: ['services'], versionedBy: 'updatedAt' },
);
const selectable = service.partOf('selectable', ['roleAttributes']);

/** A service with the data of its configs by the names of their types. */
type ViewRow = Service & Pick<ServiceView, 'config'>;

/**
 * Data by type name; `types` is the asked type ids, or `{all}`. A config that the identity has for the service takes
 * the place of the service's own of that type, or is added to them.
 */
const configData = (types: string, identity: string) => {
  const isAsked = (alias: string) => `(${alias}.config_type_id = ANY (${types}::text[]) OR ${types}::text[] = '{all}')`;
  const own = (alias: string) =>
    `identity_service_configs ${alias} WHERE ${alias}.identity_id = ${identity}::text AND ${alias}.service_id = t.id`;
  return `coalesce((SELECT json_object_agg(ct.name, c.data ORDER BY ct.name) FROM (
    SELECT sc.config_id FROM service_configs sc WHERE sc.service_id = t.id AND ${isAsked('sc')}
      AND NOT EXISTS (SELECT FROM ${own('o')} AND o.config_type_id = sc.config_type_id)
    UNION ALL SELECT o.config_id FROM ${own('o')} AND ${isAsked('o')}) used
  JOIN configs c ON c.id = used.config_id JOIN config_types ct ON ct.id = c.config_type_id), '{}') AS config`;
};

/** The same where no types are asked for. A CASE in one text for both would have PostgreSQL plan it each time. */
const NO_CONFIG_DATA = "'{}'::json AS config";

const detailWith = (config: string) =>
  detailSql({ ...service.source, extras: `${service.source.extras ?? ''}, ${config}` });
const VIEW_DETAIL = read<ViewRow>('service-view', detailWith(NO_CONFIG_DATA));
const VIEW_DETAIL_WITH_CONFIG = read<ViewRow>('service-view-with-config', detailWith(configData('$2', '$3')));

/** The services as rows; what of them a viewer sees is worked out once its grants are there. */
const VIEWS: ListSource<ViewRow, ViewRow> = { ...service.source, fromRow: asItIs };
const CLIENT_VIEWS: ListSource<ViewRow, ViewRow> = { ...service.clientSource, fromRow: asItIs };

const configFor = ({ configTypes, identityId }: Viewer): ReaderExtras =>
  configTypes.length === 0
    ? { name: 'no-config', sql: () => NO_CONFIG_DATA }
    : { name: 'config', sql: (bind) => configData(bind(configTypes), bind(identityId)) };

/** The one who sees the services: an identity, its grants and the config types it asked for. */
export interface Viewer {
  readonly identityId: string;
  /** Called once, so that what is not known yet is read together with the services and not before them. */
  readonly grants: () => Promise<readonly Grant[]>;
  readonly configTypes: readonly string[];
}

/** The row itself becomes the view: a copy by two spreads takes 8 us, and this a tenth of one. */
const viewFrom =
  (grants: readonly Grant[]) =>
  (row: ViewRow): ServiceView =>
    Object.assign(row, permissionsFor(grants, row));

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
  /** Members of a stored service that clients see. */
  readonly clientMembers: readonly (keyof Service)[];
  get(id: string): Promise<Service>;
  /** All that policies need to know of one. @throws DomainError `notFound` */
  selectable(id: string): Promise<Selectable>;
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
    const locked = await lockConfigs(tx, 'services', configs);
    await change(tx);
    await writeConfigs(tx, 'services', id, locked);
  });
}

export function serviceStore(db: Db, lists: Lists): ServiceStore {
  return {
    clientMembers: service.clientMembers,
    get: (id) => service.get(db, id),
    selectable: (id) => selectable(db, id),
    async listViews(request, viewer) {
      const source = request.isForClient === true ? CLIENT_VIEWS : VIEWS;
      const [grants, page] = await Promise.all([
        viewer.grants(),
        lists.page(db, source, request, scopeOf(request), configFor(viewer)),
      ]);
      return mapPage(page, viewFrom(grants));
    },
    async findView(id, { configTypes, identityId, grants: readGrants }) {
      const found =
        configTypes.length === 0
          ? db.one(VIEW_DETAIL, [id])
          : db.one(VIEW_DETAIL_WITH_CONFIG, [id, configTypes, identityId]);
      const [grants, row] = await Promise.all([readGrants(), found]);
      return row && viewFrom(grants)(row);
    },
    create: (id, draft) =>
      withConfigs(db, id, draft.configs.length === 0 ? undefined : draft.configs, (on) =>
        service.insert(on, id, draft),
      ),
    async update(id, changes) {
      const { configs } = changes;
      if (configs?.length !== 0)
        return withConfigs(db, id, configs, (on) => service.update(on, id, changes, configs !== undefined));
      if (!(await service.updateWhere(db, id, changes, WITHOUT_CONFIGS.services))) throw notFound(service.name, id);
    },
    remove: (id) => service.remove(db, id),
  };
}
