/**
 * Identities and services that nobody uses. `last_uses` has what was, by the hour; what is in use now says so itself:
 * an identity by the activity of its API sessions, a service by its circuits. Activity that is written is kept there
 * too, twice a day (api-session-activity.ts), so that only identities without a recent row are asked for API sessions.
 */
import type { Page } from '../../domain/model.js';
import type { SymbolDef, SymbolTable } from '../filter/index.js';
import type { Db } from '../postgres/contracts.js';
import { asItIs } from '../query/entity.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { inAll, rowsWhere } from '../query/scopes.js';
import type { PageSource } from '../query/table.js';
import { isDisabledSql } from './disabled.js';
import { identity } from './identities.js';
import { service } from './services.js';

interface Unused {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly roleAttributes: readonly string[];
  /** null: never since uses are kept. */
  readonly lastUsedAt: Date | null;
  readonly unusedSince: Date;
}

export interface UnusedIdentity extends Unused {
  readonly isDisabled: boolean;
}

export interface UnusedService extends Unused {
  readonly terminators: number;
}

export interface UnusedView {
  /** Those without a use in the last `days`. */
  identities(request: ListRequest, days: number): Promise<Page<UnusedIdentity>>;
  services(request: ListRequest, days: number): Promise<Page<UnusedService>>;
}

const used = (kind: string, table: string): string => `CROSS JOIN (SELECT uses_known_since FROM network) n
  LEFT JOIN last_uses u ON u.kind = '${kind}' AND u.entity_id = ${table}.id`;

/** A value, not a join: PostgreSQL asks for it where it is needed, and last of all conditions. */
const LAST_ACTIVITY = '(SELECT max(s.last_activity_at) FROM api_sessions s WHERE s.identity_id = e.id)';

const IDENTITIES = `(SELECT e.*, greatest(u.at, ${LAST_ACTIVITY}) AS last_used_at,
    greatest(u.at, e.created_at, n.uses_known_since) AS kept_since,
    greatest(u.at, ${LAST_ACTIVITY}, e.created_at, n.uses_known_since) AS unused_since
  FROM identities e ${used('identity', 'e')} WHERE e.type_id <> 'Router')`;

const SERVICES = `(SELECT e.*, u.at AS last_used_at, greatest(u.at, e.created_at, n.uses_known_since) AS unused_since
  FROM services e ${used('service', 'e')}
  WHERE NOT EXISTS (SELECT FROM circuits c WHERE c.service_id = e.id))`;

const time = (column: string, nullable: boolean): SymbolDef => ({ kind: 'date', sql: `t.${column}`, nullable });

const withUses = (table: SymbolTable): SymbolTable => ({
  ...table,
  symbols: {
    ...table.symbols,
    lastUsedAt: time('last_used_at', true),
    unusedSince: time('unused_since', false),
  },
});

/** More than there can be. */
const MOST_COUNTED = 100_000_000;

const shared = {
  columns: [
    'id',
    'name',
    'created_at AS "createdAt"',
    'role_attributes AS "roleAttributes"',
    'last_used_at AS "lastUsedAt"',
    'unused_since AS "unusedSince"',
  ],
  countsUpTo: MOST_COUNTED,
};

const identities: PageSource<UnusedIdentity, UnusedIdentity> = {
  ...shared,
  table: IDENTITIES,
  symbols: withUses(identity.symbols),
  extras: `${isDisabledSql('t')} AS "isDisabled"`,
  fromRow: asItIs,
};

const services: PageSource<UnusedService, UnusedService> = {
  ...shared,
  table: SERVICES,
  symbols: withUses(service.symbols),
  extras: '(SELECT count(*)::int FROM terminators r WHERE r.service_id = t.id) AS terminators',
  fromRow: asItIs,
};

const unusedFor = (days: number) =>
  rowsWhere('unused', (bind) => `t.unused_since < now() - make_interval(days => ${bind(days, 'int')})`);

/** PostgreSQL compares `kept_since` before it looks for API sessions. */
const idleFor = (days: number) =>
  inAll(
    rowsWhere('kept', (bind) => `t.kept_since < now() - make_interval(days => ${bind(days, 'int')})`),
    unusedFor(days),
  );

export const unusedView = (db: Db, lists: Lists): UnusedView => ({
  identities: (request, days) => lists.page(db, identities, request, idleFor(days)),
  services: (request, days) => lists.page(db, services, request, unusedFor(days)),
});
