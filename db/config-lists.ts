/**
 * The configs that services and routers carry: each is there, at most one of a config type, and none is deleted while
 * it is carried.
 */
import { invalidField, notFound } from '../domain/errors.js';
import type { Db } from './db.js';

interface Carrier {
  /** One row per carrier and config, with the type of the config. */
  readonly table: 'service_configs' | 'router_configs';
  readonly column: 'service_id' | 'router_id';
  /** As errors name one. */
  readonly entity: 'service' | 'router';
}

const CARRIERS = {
  services: { table: 'service_configs', column: 'service_id', entity: 'service' },
  routers: { table: 'router_configs', column: 'router_id', entity: 'router' },
} as const satisfies Record<string, Carrier>;

/** An extra of a list: the ids of the configs that the row `t` carries, as `configs`. */
export const configIdsOf = (carriers: keyof typeof CARRIERS): string => {
  const { table, column } = CARRIERS[carriers];
  return `ARRAY (SELECT used.config_id FROM ${table} used WHERE used.${column} = t.id ORDER BY 1) AS configs`;
};

/**
 * From now on `id` carries these configs and no other. The caller locks the carrier.
 * @throws DomainError `notFound` naming the first that is not there, `invalidField` for two of one type
 */
export async function writeConfigs(
  db: Db,
  carriers: keyof typeof CARRIERS,
  id: string,
  configs: readonly string[],
): Promise<void> {
  const { table, column, entity } = CARRIERS[carriers];
  const ids = [...new Set(configs)];
  await db.write(`${table}-clear`, `DELETE FROM ${table} WHERE ${column} = $1 AND config_id <> ALL ($2)`, [id, ids]);
  if (ids.length === 0) return;
  const { rows } = await db.run<{ id: string; name: string; type_id: string; type_name: string }>(
    'carried-configs-lock',
    `SELECT c.id, c.name, ct.id AS type_id, ct.name AS type_name FROM configs c
     JOIN config_types ct ON ct.id = c.config_type_id WHERE c.id = ANY ($1) ORDER BY c.id FOR KEY SHARE OF c`,
    [ids],
  );
  const missing = ids.find((configId) => !rows.some((row) => row.id === configId));
  if (missing !== undefined) throw notFound('config', missing);
  for (const [index, row] of rows.entries()) {
    const other = rows.slice(0, index).find((earlier) => earlier.type_id === row.type_id);
    if (other === undefined) continue;
    throw invalidField(
      'configs',
      `duplicate configs named ${other.name} and ${row.name} found for config type ${row.type_name}. ` +
        `Only one config of a given typed is allowed per ${entity} `,
      configs,
    );
  }
  await db.write(
    `${table}-write`,
    `INSERT INTO ${table} (${column}, config_id, config_type_id)
    SELECT $1, c.id, c.config_type_id FROM configs c WHERE c.id = ANY ($2)
    ON CONFLICT (${column}, config_id) DO NOTHING`,
    [id, ids],
  );
}
