/**
 * The configs that services and routers carry: each is there and of a type for them, and at most one of a config type.
 * A config that is deleted is taken from them. Whoever needs several of these rows locks them in one order, so that no
 * two transactions wait for each other in a circle: configs, services, routers, identities, each by id, and then the
 * rows between them.
 */
import { DomainError, invalidField, notFound } from '../../domain/errors.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Terms } from '../query/change-statements.js';
import { inTransaction, isDatabase } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import type { ConfigTarget } from '../../domain/model.js';
import { change, locking, shortChange } from '../postgres/statement.js';

interface Carrier {
  /** One row per carrier and config, with the type of the config. */
  readonly table: 'service_configs' | 'router_configs';
  readonly column: 'service_id' | 'router_id';
  /** The name that errors and targets of config types have for one. */
  readonly entity: 'service' | 'router';
  /** Text for two configs of one type, as existing clients know it. */
  readonly rule: string;
}

const CARRIERS = {
  services: {
    table: 'service_configs',
    column: 'service_id',
    entity: 'service',
    rule: 'Only one config of a given typed is allowed per service ',
  },
  routers: {
    table: 'router_configs',
    column: 'router_id',
    entity: 'router',
    rule: 'Only one config of a given type is allowed per router',
  },
} as const satisfies Record<string, Carrier>;

/** An expression: the ids of the configs that the row `t` carries. */
export const configIdsOf = (carriers: keyof typeof CARRIERS): string => {
  const { table, column } = CARRIERS[carriers];
  return `ARRAY (SELECT used.config_id FROM ${table} used WHERE used.${column} = t.id ORDER BY 1)`;
};

interface LockedConfig {
  readonly id: string;
  readonly name: string;
  readonly type_id: string;
  readonly type_name: string;
  readonly target: ConfigTarget;
}

/** Configs that stay as long as the transaction does, in the order of their ids. */
export type LockedConfigs = readonly LockedConfig[];

const CARRIED_CONFIGS_LOCK = locking<LockedConfig>(
  'carried-configs-lock',
  `SELECT c.id, c.name, ct.id AS type_id, ct.name AS type_name, ct.target FROM configs c
  JOIN config_types ct ON ct.id = c.config_type_id WHERE c.id = ANY ($1) ORDER BY c.id FOR KEY SHARE OF c`,
);

/**
 * Locks the configs that a service or a router is about to carry. Call it before the carrier is locked or changed.
 * @throws DomainError `notFound` naming the first that is not there, `invalidField` for one of a type that is for
 * something else, for two of one type or one twice
 */
export async function lockConfigs(
  db: Db,
  carriers: keyof typeof CARRIERS,
  configs: readonly string[],
): Promise<LockedConfigs> {
  if (configs.length === 0) return [];
  const rows = await db.many(CARRIED_CONFIGS_LOCK, [[...new Set(configs)]]);
  const known = new Map(rows.map((row) => [row.id, row]));
  const ofType = new Map<string, LockedConfig>();
  for (const configId of configs) {
    const row = known.get(configId);
    if (row === undefined) throw notFound('configs', configId);
    if (row.target !== CARRIERS[carriers].entity)
      throw invalidField('configs', otherTarget(row.name, row.type_name, carriers), configs);
    const other = ofType.get(row.type_id);
    if (other !== undefined) throw twoOfOneType(carriers, other, row, configs);
    ofType.set(row.type_id, row);
  }
  return rows;
}

/** Why what has this config cannot have it. */
export const otherTarget = (config: string, configType: string, carriers: keyof typeof CARRIERS): string =>
  `config ${config} has config type ${configType} which does not target ${carriers}`;

const twoOfOneType = (
  carriers: keyof typeof CARRIERS,
  first: LockedConfig,
  second: LockedConfig,
  configs: readonly string[],
) =>
  invalidField(
    'configs',
    `duplicate configs named ${first.name} and ${second.name} found for config type ${second.type_name}. ` +
      CARRIERS[carriers].rule,
    configs,
  );

const perCarriers = <T>(make: (carrier: Carrier) => T) => ({
  services: make(CARRIERS.services),
  routers: make(CARRIERS.routers),
});

const CLEAR = perCarriers(({ table, column }) =>
  change(
    `${table}-clear`,
    ({ returningActor }) => `DELETE FROM ${table} WHERE ${column} = $1 AND config_id <> ALL ($2)${returningActor}`,
  ),
);

const WRITE = perCarriers(({ table, column }) =>
  change(
    `${table}-write`,
    ({ returningActor }) => `INSERT INTO ${table} (${column}, config_id, config_type_id)
  SELECT $1, c.id, c.config_type_id FROM configs c WHERE c.id = ANY ($2)
  ON CONFLICT (${column}, config_id) DO NOTHING${returningActor}`,
  ),
);

/** Terms of an update after which a carrier has no configs. */
export const WITHOUT_CONFIGS = perCarriers(({ table }): Terms => ({ name: 'without-configs', clears: table }));

/** Replaces the configs of `id`. The caller has locked it. */
export async function writeConfigs(
  db: Db,
  carriers: keyof typeof CARRIERS,
  id: string,
  configs: LockedConfigs,
): Promise<void> {
  const ids = configs.map((config) => config.id);
  await db.execute(CLEAR[carriers], [id, ids]);
  if (ids.length > 0) await db.execute(WRITE[carriers], [id, ids]);
}

const DELETE_UNUSED_CONFIG = shortChange(
  'config-delete-unused',
  { row: 0 },
  ({ returningActor }) => `DELETE FROM configs WHERE id = $1
  AND NOT EXISTS (SELECT FROM service_configs WHERE config_id = $1)
  AND NOT EXISTS (SELECT FROM router_configs WHERE config_id = $1)
  AND NOT EXISTS (SELECT FROM identity_service_configs WHERE config_id = $1)${returningActor}`,
);

const CONFIG_DELETE_LOCK = locking('config-delete-lock', 'SELECT FROM configs WHERE id = $1 FOR UPDATE');

const CONFIG_DELETE_IDENTITIES = locking(
  'config-delete-identities',
  `SELECT FROM identities t WHERE t.id IN (SELECT identity_id FROM identity_service_configs WHERE config_id = $1)
  ORDER BY t.id FOR NO KEY UPDATE`,
);

/** Moves the version of all that carry the config, each locked in the order of ids. */
const TOUCH = perCarriers(({ table, column, entity }) =>
  change(
    `config-delete-${entity}s`,
    ({ returningActor }) => `WITH carrier AS (SELECT t.id FROM ${entity}s t
    WHERE t.id IN (SELECT ${column} FROM ${table} WHERE config_id = $1) ORDER BY t.id FOR NO KEY UPDATE)
  UPDATE ${entity}s SET ${TOUCHED} WHERE id IN (SELECT id FROM carrier)${returningActor}`,
  ),
);

const DELETE_CONFIG = change(
  'config-delete',
  ({ returningActor }) => `WITH s AS (DELETE FROM service_configs WHERE config_id = $1),
  r AS (DELETE FROM router_configs WHERE config_id = $1),
  o AS (DELETE FROM identity_service_configs WHERE config_id = $1)
  DELETE FROM configs WHERE id = $1${returningActor}`,
);

/**
 * Deletes a config, and takes it from every service and router that carries it and from every identity that has it for
 * a service.
 * @returns false when there is no such config
 */
export const removeConfig = async (db: Db, id: string): Promise<boolean> =>
  (await isRemovedUnused(db, id)) || inTransaction(db, (tx) => removeUsed(tx, id));

/** Needs no transaction of its own: a config that somebody takes up meanwhile cannot be deleted. */
async function isRemovedUnused(db: Db, id: string): Promise<boolean> {
  if (!isDatabase(db)) return false;
  try {
    return (await db.count(DELETE_UNUSED_CONFIG, [id])) === 1;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'inUse') return false;
    throw error;
  }
}

/** Locks it first: whoever would take it up meanwhile waits, and then finds it gone. */
async function removeUsed(db: Db, id: string): Promise<boolean> {
  const rowCount = await db.count(CONFIG_DELETE_LOCK, [id]);
  if (rowCount === 0) return false;
  await db.execute(TOUCH.services, [id]);
  await db.execute(TOUCH.routers, [id]);
  await db.execute(CONFIG_DELETE_IDENTITIES, [id]);
  await db.execute(DELETE_CONFIG, [id]);
  return true;
}
