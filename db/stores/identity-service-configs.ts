/**
 * Configs that one identity gets for a service in place of the service's own, or in addition to them: one per service
 * and config type.
 */
import type { ConfigTarget, NamedRef, Page } from '../../domain/model.js';
import { invalidField, notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import type { Bind } from '../filter/index.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { wholeList } from '../query/whole-list.js';
import { identityServiceConfigSymbols } from './symbols.js';
import { otherTarget } from './config-lists.js';
import { change, locking, slowRead } from '../postgres/statement.js';

export interface ServiceConfigPair {
  readonly serviceId: string;
  readonly configId: string;
}
export interface IdentityServiceConfig {
  readonly service: NamedRef;
  readonly config: NamedRef;
}

interface Row {
  service_id: string;
  service_name: string;
  config_id: string;
  config_name: string;
}

export interface IdentityServiceConfigStore {
  /** Lists those of all identities, in the order of their ids. */
  all(): Promise<readonly (ServiceConfigPair & { readonly identityId: string })[]>;
  /** The whole list unless limited. */
  list(identityId: string, request: ListRequest): Promise<Page<IdentityServiceConfig>>;
  /**
   * A later pair of the same service and config type replaces an earlier one; a service that is not there is passed
   * over.
   * @throws DomainError `notFound` (identity, configs), `invalidField` for a config of a type that is not for services
   */
  assign(identityId: string, pairs: readonly ServiceConfigPair[]): Promise<void>;
  /** All of them when no pairs are given. @throws DomainError `notFound` (identity) */
  unassign(identityId: string, pairs: readonly ServiceConfigPair[] | undefined): Promise<void>;
}

const assignedTo = (identityId: string) => (bind: Bind) =>
  `SELECT o.service_id || '/' || o.config_type_id AS id, o.service_id, s.name AS service_name,
    o.config_id, c.name AS config_name
  FROM identity_service_configs o JOIN services s ON s.id = o.service_id JOIN configs c ON c.id = o.config_id
  WHERE o.identity_id = ${bind(identityId)}`;

const SERVICE_CONFIGS_IDENTITY = locking(
  'service-configs-identity',
  'SELECT FROM identities WHERE id = $1 FOR NO KEY UPDATE',
);

const SERVICE_CONFIGS_ALL = slowRead<ServiceConfigPair & { identityId: string }>(
  'service-configs-all',
  `SELECT identity_id AS "identityId", service_id AS "serviceId", config_id AS "configId"
  FROM identity_service_configs ORDER BY identity_id, service_id, config_type_id`,
);

const SERVICE_CONFIGS_ASSIGN = change(
  'service-configs-assign',
  ({ returningActor }) => `INSERT INTO identity_service_configs (identity_id, service_id, config_id, config_type_id)
  SELECT $1, p.service_id, c.id, c.config_type_id FROM unnest($2::text[], $3::text[]) p (service_id, config_id)
  JOIN configs c ON c.id = p.config_id ORDER BY p.service_id, c.config_type_id
  ON CONFLICT (identity_id, service_id, config_type_id) DO UPDATE SET config_id = excluded.config_id
  WHERE identity_service_configs.config_id <> excluded.config_id${returningActor}`,
);

const SERVICE_CONFIGS_UNASSIGN_ALL = change(
  'service-configs-unassign-all',
  ({ returningActor }) => `DELETE FROM identity_service_configs WHERE identity_id = $1${returningActor}`,
);

const SERVICE_CONFIGS_UNASSIGN = change(
  'service-configs-unassign',
  ({ returningActor }) => `DELETE FROM identity_service_configs o
  USING unnest($2::text[], $3::text[]) p (service_id, config_id)
  WHERE o.identity_id = $1 AND o.service_id = p.service_id AND o.config_id = p.config_id${returningActor}`,
);

interface LockedConfig {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  readonly typeName: string;
  readonly target: ConfigTarget;
}

interface Locked {
  /** Those that are there. */
  readonly configs: readonly LockedConfig[];
  /** Ids of those that are there. */
  readonly services: readonly string[];
  readonly isIdentityThere: boolean;
}

/** Locks in the order of db/stores/config-lists.ts: PostgreSQL works columns out from left to right. */
const LOCK = locking<Locked>(
  'service-configs-lock',
  `WITH locked_configs AS MATERIALIZED (
    SELECT c.id, c.name, c.config_type_id FROM configs c WHERE c.id = ANY ($1) ORDER BY c.id FOR KEY SHARE),
  locked_services AS MATERIALIZED (SELECT id FROM services WHERE id = ANY ($2) ORDER BY id FOR KEY SHARE),
  owner AS MATERIALIZED (SELECT FROM identities WHERE id = $3 FOR NO KEY UPDATE)
SELECT (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'typeId', ct.id, 'typeName', ct.name,
    'target', ct.target)), '[]') FROM locked_configs c JOIN config_types ct ON ct.id = c.config_type_id) AS configs,
  ARRAY (SELECT id FROM locked_services) AS services,
  EXISTS (SELECT FROM owner) AS "isIdentityThere"`,
);

/** Writers of the same identity wait for each other here, so that they cannot do so row by row. */
async function lockIdentity(db: Db, id: string): Promise<void> {
  const rowCount = await db.count(SERVICE_CONFIGS_IDENTITY, [id]);
  if (rowCount === 0) throw notFound('identity', id);
}

function requireConfigs(pairs: readonly ServiceConfigPair[], configs: ReadonlyMap<string, LockedConfig>): void {
  for (const { configId } of pairs) {
    const found = configs.get(configId);
    if (found === undefined) throw notFound('configs', configId);
    if (found.target !== 'service')
      throw invalidField('serviceConfigs', otherTarget(found.name, found.typeName, 'services'), pairs);
  }
}

async function assign(db: Db, identityId: string, pairs: readonly ServiceConfigPair[]): Promise<void> {
  const ids = [pairs.map(({ configId }) => configId), pairs.map(({ serviceId }) => serviceId)];
  const locked = await db.one(LOCK, [...ids, identityId]);
  if (locked?.isIdentityThere !== true) throw notFound('identity', identityId);
  const configs = new Map(locked.configs.map((config) => [config.id, config]));
  const services = new Set(locked.services);
  requireConfigs(pairs, configs);
  const last = new Map(
    pairs
      .filter(({ serviceId }) => services.has(serviceId))
      .map(({ serviceId, configId }) => [
        `${serviceId} ${configs.get(configId)?.typeId ?? ''}`,
        { serviceId, configId },
      ]),
  );
  if (last.size === 0) return;
  await db.execute(SERVICE_CONFIGS_ASSIGN, [
    identityId,
    [...last.values()].map(({ serviceId }) => serviceId),
    [...last.values()].map(({ configId }) => configId),
  ]);
}

export function identityServiceConfigStore(db: Db, lists: Lists): IdentityServiceConfigStore {
  return {
    all: () => db.many(SERVICE_CONFIGS_ALL),
    list: (identityId, request) =>
      wholeList<Row, IdentityServiceConfig>(
        db,
        lists,
        {
          symbols: identityServiceConfigSymbols,
          name: 'list-identity-service-configs',
          sql: assignedTo(identityId),
          fromRow: (row) => ({
            service: { id: row.service_id, name: row.service_name },
            config: { id: row.config_id, name: row.config_name },
          }),
        },
        request,
      ),
    assign: (identityId, pairs) => assign(db, identityId, pairs),
    async unassign(identityId, pairs) {
      await lockIdentity(db, identityId);
      if (pairs === undefined) {
        await db.execute(SERVICE_CONFIGS_UNASSIGN_ALL, [identityId]);
        return;
      }
      await db.execute(SERVICE_CONFIGS_UNASSIGN, [
        identityId,
        pairs.map(({ serviceId }) => serviceId),
        pairs.map(({ configId }) => configId),
      ]);
    },
  };
}
