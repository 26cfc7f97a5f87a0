/** Configs: data of a config type, given to services and routers. */
import type { Config, JsonObject, LazyRow, Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import { removeConfig } from './config-lists.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { expression, json, text } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import { everything, inAll, referringTo, rowsWhere } from '../query/scopes.js';

type Row = Omit<Config, 'configType'> & { readonly configTypeId: string; readonly configTypeName: string };

export const config = entity<Row>(
  'configs',
  {
    name: text().unique(),
    configTypeId: text().filteredAs('type'),
    configTypeName: expression<string>('ct.name'),
    data: json<JsonObject>(),
  },
  {
    name: 'config',
    collections: ['configs'],
    versionedBy: 'updatedAt',
    joins: 'JOIN config_types ct ON ct.id = t.config_type_id',
  },
);

const fromRow = ({ configTypeId, configTypeName, ...row }: Row): Config => ({
  configType: { id: configTypeId, name: configTypeName },
  ...row,
});
const source: ListSource<Row, Config> = { ...config.source, fromRow };

export interface ConfigListRequest extends ListRequest {
  /** Only those that this service carries. */
  readonly ofService?: string;
  /** Only those of this type. */
  readonly ofType?: string;
}

export interface ConfigStore {
  get(id: string): Promise<Config>;
  list(request: ConfigListRequest): Promise<Page<LazyRow<Config>>>;
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
    get: (id) => config.get(db, id).then(fromRow),
    list: (request) => lists.unread(db, source, request, scopeOf(request)),
    create: (id, draft) => config.insert(db, id, draft),
    update: (id, changes) => config.update(db, id, changes),
    async remove(id) {
      if (!(await removeConfig(db, id))) throw notFound(config.name, id);
    },
  };
}
