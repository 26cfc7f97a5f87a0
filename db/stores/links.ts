/**
 * Links between routers. Each host writes those that its routers told it of; where several hosts know a link, the
 * latest state of it is shown. What operators set on links is kept apart, and holds on all controllers.
 */
import { USUAL_LINK_SETTINGS } from '../../domain/fabric/link-cost.js';
import type { LinkConnection, LinkSettings, ShownLink } from '../../domain/fabric/link.js';
import { notFound } from '../../domain/errors.js';
import type { NamedRef, Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, changeAside, read, slowRead } from '../postgres/statement.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { detailSql, getOne } from '../query/table.js';
import type { Changes, PageSource } from '../query/table.js';
import { HOST_IS_ALIVE, isOnlineSql } from './router-channels.js';
import { linkSymbols } from './symbols.js';

/** A link as a host writes it. */
export interface LinkRow {
  readonly id: string;
  readonly iteration: number;
  readonly sourceRouterId: string;
  readonly destRouterId: string;
  readonly protocol: string;
  readonly dialAddress: string;
  readonly createdAt: Date;
  /** Latency in nanoseconds. */
  readonly sourceLatency: number;
  readonly destLatency: number;
  readonly stateIteration: number;
  readonly connections: readonly LinkConnection[];
}

export interface LinkStore {
  list(request: ListRequest): Promise<Page<ShownLink>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ShownLink>;
  /** All controllers hear of it. @throws DomainError `notFound` */
  configure(id: string, changes: Changes<LinkSettings>): Promise<void>;
  /** Has the controllers whose routers have it tell them to give it up. @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
  /** Settings of operators, by id. */
  settings(): Promise<ReadonlyMap<string, LinkSettings>>;
  /** Forgets what was set on links that are gone for a day. */
  sweepSettings(): Promise<void>;
  /** Writes what a host knows of some links, and takes out others. */
  write(hostId: string, present: readonly LinkRow[], gone: readonly string[]): Promise<void>;
}

const { staticCost: USUAL_COST } = USUAL_LINK_SETTINGS;
const COST = `static_cost + round(source_latency / 1e6) + round(dest_latency / 1e6)`;

/** Each link once, as the host tells of it that knows the latest. */
const LINKS = `(SELECT l.*, (${COST})::float8 AS cost FROM (
  SELECT DISTINCT ON (l.id) l.*, coalesce(s.static_cost, ${USUAL_COST}) AS static_cost,
    coalesce(s.is_down, false) AS is_down
  FROM router_links l JOIN router_hosts h ON h.id = l.host_id LEFT JOIN router_link_settings s ON s.id = l.id
  WHERE ${HOST_IS_ALIVE} ORDER BY l.id, l.iteration DESC, l.state_iteration DESC) l)`;

/** All that are known at a time: routers of one host have 5,000 each at most. */
const MOST_COUNTED = 10_000_000;

const routerSql = (column: string) =>
  `json_build_object('id', t.${column}, 'name', coalesce((SELECT r.name FROM routers r WHERE r.id = t.${column}), ''))`;

interface Row extends Omit<ShownLink, 'sourceRouter' | 'destRouter'> {
  readonly sourceRouter: NamedRef;
  readonly destRouter: NamedRef;
}

const source: PageSource<Row, ShownLink> = {
  table: LINKS,
  symbols: linkSymbols,
  columns: [
    'id',
    'iteration::float8 AS iteration',
    'created_at AS "createdAt"',
    'protocol',
    'dial_address AS "dialAddress"',
    'source_latency::float8 AS "sourceLatency"',
    'dest_latency::float8 AS "destLatency"',
    'static_cost AS "staticCost"',
    'is_down AS "isDown"',
    'cost',
    'connections',
  ],
  extras: `${routerSql('source_router_id')} AS "sourceRouter", ${routerSql('dest_router_id')} AS "destRouter",
    (${isOnlineSql('t.source_router_id')} OR ${isOnlineSql('t.dest_router_id')}) AS "isWatched"`,
  countsUpTo: MOST_COUNTED,
  fromRow: (row) => row,
};

const LINK_DETAIL = slowRead<Row>('link-detail', detailSql(source));

const LINK_CONFIGURE = changeAside(
  'link-configure',
  ({ returningActor }) => `INSERT INTO router_link_settings AS s (id, static_cost, is_down)
SELECT l.id, coalesce($2::integer, ${USUAL_COST}), coalesce($3::boolean, false)
FROM router_links l WHERE l.id = $1 LIMIT 1
ON CONFLICT (id) DO UPDATE SET static_cost = coalesce($2, s.static_cost), is_down = coalesce($3, s.is_down),
  updated_at = now()${returningActor}`,
);

/** Says who acts before the record is written. */
const LINK_REMOVE = changeAside(
  'link-remove',
  ({ actor }) => `WITH gone AS (DELETE FROM router_links WHERE id = $1
    RETURNING iteration, source_router_id, dest_router_id),
  link AS (SELECT * FROM gone ORDER BY iteration DESC LIMIT 1)
SELECT true AS "isGone"${actor}, record_audit('link.deleted', 'link', $1, NULL, jsonb_build_object(
    'iteration', iteration, 'sourceRouterId', source_router_id, 'destRouterId', dest_router_id), NULL),
  pg_notify('edge', concat('link ', $1)) FROM link`,
);

const LINK_SETTINGS = read<LinkSettings & { id: string }>(
  'link-settings',
  'SELECT id, static_cost AS "staticCost", is_down AS "isDown" FROM router_link_settings',
);

const LINK_SETTINGS_SWEEP = change(
  'link-settings-sweep',
  ({ returningActor }) => `DELETE FROM router_link_settings s WHERE updated_at < now() - interval '1 day'
  AND NOT EXISTS (SELECT FROM router_links l WHERE l.id = s.id)${returningActor}`,
);

const LINKS_WRITE = asyncChange(
  'links-write',
  ({ returningActor }) => `INSERT INTO router_links (id, host_id, iteration, source_router_id, dest_router_id, protocol,
  dial_address, created_at, source_latency, dest_latency, state_iteration, connections)
SELECT u.id, $1, u.iteration, u."sourceRouterId", u."destRouterId", u.protocol, u."dialAddress", u."createdAt",
  u."sourceLatency", u."destLatency", u."stateIteration", u.connections
FROM jsonb_to_recordset($2::jsonb) AS u (id text, iteration bigint, "sourceRouterId" text, "destRouterId" text,
  protocol text, "dialAddress" text, "createdAt" timestamptz, "sourceLatency" bigint, "destLatency" bigint,
  "stateIteration" bigint, connections jsonb)
ON CONFLICT (id, host_id) DO UPDATE SET iteration = excluded.iteration, source_router_id = excluded.source_router_id,
  dest_router_id = excluded.dest_router_id, protocol = excluded.protocol, dial_address = excluded.dial_address,
  created_at = excluded.created_at, source_latency = excluded.source_latency, dest_latency = excluded.dest_latency,
  state_iteration = excluded.state_iteration, connections = excluded.connections${returningActor}`,
);

const LINKS_GONE = asyncChange(
  'links-gone',
  ({ returningActor }) => `DELETE FROM router_links WHERE host_id = $1 AND id = ANY ($2)${returningActor}`,
);

export function linkStore(db: Db, lists: Lists): LinkStore {
  return {
    list: (request) => lists.page(db, source, request),
    get: (id) => getOne(db, 'link', LINK_DETAIL, [id], source.fromRow),
    async configure(id, { staticCost, isDown }) {
      const changed = await db.count(LINK_CONFIGURE, [id, staticCost ?? null, isDown ?? null]);
      if (changed === 0) throw notFound('link', id);
    },
    async remove(id) {
      if ((await db.count(LINK_REMOVE, [id])) === 0) throw notFound('link', id);
    },
    async settings() {
      const rows = await db.many(LINK_SETTINGS);
      return new Map(rows.map(({ id, ...settings }) => [id, settings]));
    },
    async sweepSettings() {
      await db.execute(LINK_SETTINGS_SWEEP);
    },
    async write(hostId, present, gone) {
      if (gone.length > 0) await db.execute(LINKS_GONE, [hostId, gone]);
      if (present.length > 0) await db.execute(LINKS_WRITE, [hostId, JSON.stringify(present)]);
    },
  };
}
