/** Config types: named shapes of configuration, each with the JSON Schema that its configs must match. */
import type { ConfigType, JsonObject, Page, Tags } from '../../domain/model.js';
import { notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, findOne, insert, json, update } from '../query/table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from '../query/table.js';
import { configTypeSymbols } from './symbols.js';
import { inUse } from '../postgres/errors.js';
import { change, read } from '../postgres/statement.js';

const CONFIG_TYPE = 'configType';

interface Row extends BaseRow {
  name: string;
  schema: JsonObject | null;
  target: ConfigType['target'];
}

const source: ListSource<Row, ConfigType> = {
  table: 'config_types',
  symbols: configTypeSymbols,
  columns: [...BASE_COLUMNS, 'name', 'schema', 'target'],
  fromRow: (row) => ({ name: row.name, schema: row.schema, target: row.target, ...baseOf(row) }),
};

const DETAIL = read<Row>('config-type-detail', detailSql(source));

export interface ConfigTypeDraft {
  readonly name: string;
  readonly schema: JsonObject | null;
  readonly target: ConfigType['target'];
  readonly tags: Tags;
}

export interface ConfigTypeStore {
  find(id: string): Promise<ConfigType | undefined>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ConfigType>;
  list(request: ListRequest): Promise<Page<ConfigType>>;
  create(id: string, draft: ConfigTypeDraft): Promise<void>;
  update(id: string, changes: Changes<ConfigTypeDraft>): Promise<void>;
  /** @throws DomainError `inUse` naming configs of this type */
  remove(id: string): Promise<void>;
  /** Ids of the types that these names or ids mean; unknown ones are left out. */
  resolve(namesOrIds: readonly string[]): Promise<string[]>;
}

const DELETE = change<{ deleted: boolean; users: string[] }>(
  'config-type-delete',
  ({ actor }) => `WITH users AS (
    SELECT id FROM configs WHERE config_type_id = $1 ORDER BY id LIMIT 10),
  gone AS (DELETE FROM config_types WHERE id = $1 AND NOT EXISTS (SELECT FROM users) RETURNING id${actor})
  SELECT EXISTS (SELECT FROM gone) AS deleted, ARRAY (SELECT id FROM users) AS users`,
);

const RESOLVE = read<{ id: string }>(
  'config-type-resolve',
  'SELECT id FROM config_types WHERE id = ANY ($1) OR name = ANY ($1) ORDER BY id',
);

export function configTypeStore(db: Db, lists: Lists): ConfigTypeStore {
  const find = (id: string) => findOne(db, DETAIL, [id], source.fromRow);
  return {
    find,
    get: async (id) => (await find(id)) ?? raise(notFound(CONFIG_TYPE, id)),
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await insert(db, 'config_types', {
        id,
        name: draft.name,
        schema: draft.schema === null ? null : json(draft.schema),
        target: draft.target,
        tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      await update(db, 'config_types', CONFIG_TYPE, id, {
        name: changes.name,
        schema: changes.schema === null ? null : json(changes.schema),
        target: changes.target,
        tags: json(changes.tags),
      });
    },
    async remove(id) {
      const row = await db.one(DELETE, [id]);
      if (row !== undefined && row.users.length > 0) throw inUse('type', 'configType', 'config', row.users);
      if (row?.deleted !== true) throw notFound(CONFIG_TYPE, id);
    },
    async resolve(namesOrIds) {
      if (namesOrIds.length === 0) return [];
      const rows = await db.many(RESOLVE, [namesOrIds]);
      return rows.map((row) => row.id);
    },
  };
}
