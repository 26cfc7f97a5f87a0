/** Config types: named shapes of configuration, each with the JSON Schema that its configs must match. */
import type { ConfigTarget, ConfigType, JsonObject, LazyRow, Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { json, text } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes } from '../query/table.js';
import { inUse } from '../postgres/errors.js';
import { read, shortChange } from '../postgres/statement.js';

export const configType = entity<ConfigType>(
  'config_types',
  {
    name: text().unique(),
    schema: json<JsonObject | null>().filteredBy({ kind: 'string', sql: 't.schema::text COLLATE "C"' }),
    target: text<ConfigTarget>(),
  },
  { name: 'configType', collections: ['config-types'], versionedBy: 'updatedAt' },
);

export interface ConfigTypeDraft {
  readonly name: string;
  readonly schema: JsonObject | null;
  readonly target: ConfigTarget;
  readonly tags: Tags;
}

export interface ConfigTypeStore {
  find(id: string): Promise<ConfigType | undefined>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ConfigType>;
  list(request: ListRequest): Promise<Page<LazyRow<ConfigType>>>;
  create(id: string, draft: ConfigTypeDraft): Promise<void>;
  update(id: string, changes: Changes<ConfigTypeDraft>): Promise<void>;
  /** @throws DomainError `inUse` naming configs of this type */
  remove(id: string): Promise<void>;
  /** Ids of the types that these names or ids mean; unknown ones are left out. */
  resolve(namesOrIds: readonly string[]): Promise<string[]>;
}

const DELETE = shortChange<{ deleted: boolean; users: string[] }>(
  'config-type-delete',
  { row: 0 },
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
  return {
    find: (id) => configType.find(db, id),
    get: (id) => configType.get(db, id),
    list: (request) => lists.unread(db, configType.source, request),
    create: (id, draft) => configType.insert(db, id, draft),
    update: (id, changes) => configType.update(db, id, changes),
    async remove(id) {
      const row = await db.one(DELETE, [id]);
      if (row !== undefined && row.users.length > 0) throw inUse('type', 'configType', 'config', row.users);
      if (row?.deleted !== true) throw notFound(configType.name, id);
    },
    async resolve(namesOrIds) {
      if (namesOrIds.length === 0) return [];
      const rows = await db.many(RESOLVE, [namesOrIds]);
      return rows.map((row) => row.id);
    },
  };
}
