/** Configs: data of a config type, given to services and routers. */
import type { Config, JsonObject, Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import { deleteConfig } from './config-lists.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, json, update } from '../query/table.js';
import type { BaseRow, Lists, ListRequest, ListSource } from '../query/table.js';
import { everything, inAll, referringTo, rowsWhere } from '../query/scopes.js';
import { configSymbols } from './symbols.js';
import { read } from '../postgres/statement.js';

const CONFIG = 'config';

interface Row extends BaseRow {
  name: string;
  config_type_id: string;
  config_type_name: string;
  data: JsonObject;
}

const source: ListSource<Row, Config> = {
  table: 'configs',
  symbols: configSymbols,
  columns: [...BASE_COLUMNS, 'name', 'config_type_id', 'data'],
  extras: 'ct.name AS config_type_name',
  joins: 'JOIN config_types ct ON ct.id = t.config_type_id',
  fromRow: (row) => ({
    name: row.name,
    data: row.data,
    configType: { id: row.config_type_id, name: row.config_type_name },
    ...baseOf(row),
  }),
};

const DETAIL = read<Row>('config-detail', detailSql(source));

export interface ConfigListRequest extends ListRequest {
  /** Only those that this service carries. */
  readonly ofService?: string;
  /** Only those of this type. */
  readonly ofType?: string;
}

export interface ConfigStore {
  get(id: string): Promise<Config>;
  list(request: ConfigListRequest): Promise<Page<Config>>;
  create(id: string, draft: { name: string; configTypeId: string; data: JsonObject; tags: Tags }): Promise<void>;
  update(
    id: string,
    changes: { name?: string | undefined; data?: JsonObject | undefined; tags?: Tags | undefined },
  ): Promise<void>;
  /**
   * Services, routers and identities lose it. Needs a transaction.
   * @throws DomainError `notFound`
   */
  remove(id: string): Promise<void>;
}

const carriedBy = (serviceId: string) =>
  rowsWhere(
    'carried',
    (bind) => `t.id IN (SELECT config_id FROM service_configs WHERE service_id = ${bind(serviceId)})`,
  );

const scopeOf = ({ ofService, ofType }: ConfigListRequest) =>
  inAll(referringTo('config_type_id', ofType), ofService === undefined ? everything : carriedBy(ofService));

export function configStore(db: Db, lists: Lists): ConfigStore {
  return {
    get: (id) => getOne(db, CONFIG, DETAIL, [id], source.fromRow),
    list: (request) => lists.page(db, source, request, scopeOf(request)),
    async create(id, draft) {
      await insert(db, 'configs', {
        id,
        name: draft.name,
        config_type_id: draft.configTypeId,
        data: json(draft.data),
        tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      await update(db, 'configs', CONFIG, id, {
        name: changes.name,
        data: json(changes.data),
        tags: json(changes.tags),
      });
    },
    async remove(id) {
      if (!(await deleteConfig(db, id))) throw notFound(CONFIG, id);
    },
  };
}
