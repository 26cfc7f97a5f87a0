/** Circuits that stand, as the hosts write them that made them. A circuit that ends within a second is not written. */
import type { CircuitEnds } from '../../domain/fabric/circuit.js';
import type { ShownCircuit } from '../../domain/fabric/link.js';
import { notFound } from '../../domain/errors.js';
import type { Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, changeAside, read } from '../postgres/statement.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { rowsWhere } from '../query/scopes.js';
import { detailSql, getOne } from '../query/table.js';
import type { PageSource } from '../query/table.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import { circuitSymbols } from './symbols.js';

/** A circuit as a host writes it. */
export interface CircuitRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly serviceId: string;
  readonly terminatorId: string;
  readonly clientId: string;
  readonly sessionId: string | null;
  readonly routerIds: readonly string[];
  readonly linkIds: readonly string[];
  readonly cost: number;
  readonly details: CircuitDetails;
}

/** Facts that another controller needs to go on with a circuit. */
export interface CircuitDetails {
  readonly ends: CircuitEnds;
  readonly maxIdleMs: number;
  readonly hostSessionId: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** A router's report: a circuit has `ended`, it is at `fault`, or the router only `asks` about it. */
export type CircuitNews = 'ended' | 'fault' | 'asks';

export interface ToldCircuit {
  readonly id: string;
  readonly routerId: string;
  readonly news: CircuitNews;
}

export interface CircuitStore {
  list(request: ListRequest): Promise<Page<ShownCircuit>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ShownCircuit>;
  /**
   * Has the controller that made it end it.
   * @param isImmediate  drops what is on its way; else that may still arrive
   * @throws DomainError `notFound`
   */
  remove(id: string, isImmediate: boolean): Promise<void>;
  /**
   * Writes what a host knows of some circuits, and takes out others.
   * @returns ids of those that another living host has taken over
   */
  write(hostId: string, present: readonly CircuitRow[], gone: readonly string[]): Promise<readonly string[]>;
  /** Gives the host circuits over these routers whose host is gone, some at a time. */
  takeOver(
    hostId: string,
    routerIds: readonly string[],
  ): Promise<{ readonly rows: readonly CircuitRow[]; readonly isMore: boolean }>;
  /** Tells whoever has them what routers of their paths report. @returns ids of those that somebody has */
  tell(told: readonly ToldCircuit[]): Promise<string[]>;
}

const isAlive = (hostId: string) => `EXISTS (SELECT FROM router_hosts h WHERE h.id = ${hostId} AND ${HOST_IS_ALIVE})`;
const IS_ALIVE = isAlive('t.host_id');
const TAKEN_AT_A_TIME = 1_000;
const ofLivingHosts = rowsWhere('living', () => IS_ALIVE);

const MOST_COUNTED = 10_000_000;

const source: PageSource<ShownCircuit, ShownCircuit> = {
  table: 'circuits',
  symbols: circuitSymbols,
  columns: [
    'id',
    'created_at AS "createdAt"',
    'terminator_id AS "terminatorId"',
    'client_id AS "clientId"',
    'session_id AS "sessionId"',
    'link_ids AS "linkIds"',
    'cost::float8 AS cost',
  ],
  extras: `json_build_object('id', t.service_id,
    'name', coalesce((SELECT s.name FROM services s WHERE s.id = t.service_id), '')) AS service,
  (SELECT s.api_session_id FROM sessions s WHERE s.id = t.session_id) AS "apiSessionId",
  (SELECT json_agg(json_build_object('id', n.id, 'name', coalesce(r.name, '')) ORDER BY n.place)
    FROM unnest(t.router_ids) WITH ORDINALITY n (id, place) LEFT JOIN routers r ON r.id = n.id) AS routers`,
  countsUpTo: MOST_COUNTED,
  fromRow: (row) => row,
};

const CIRCUIT_DETAIL = read<ShownCircuit>('circuit-detail', detailSql(source, `AND ${IS_ALIVE}`));

/** Says who acts before the record is written. */
const CIRCUIT_REMOVE = changeAside(
  'circuit-remove',
  ({ actor }) => `WITH gone AS (DELETE FROM circuits WHERE id = $1 RETURNING service_id, terminator_id, client_id)
SELECT true AS "isGone"${actor}, record_audit('circuit.deleted', 'circuit', $1, NULL, jsonb_build_object(
    'serviceId', service_id, 'terminatorId', terminator_id, 'clientId', client_id), NULL),
  pg_notify('edge', concat('circuit ', $1, CASE WHEN $2::boolean THEN ' now' END)) FROM gone`,
);

const CIRCUITS_WRITE = asyncChange<{ id: string }>(
  'circuits-write',
  ({ actor }) => `INSERT INTO circuits AS c (id, host_id, created_at, service_id, terminator_id, client_id,
  session_id, router_ids, link_ids, cost, details)
SELECT u.id, $1, u."createdAt", u."serviceId", u."terminatorId", u."clientId", u."sessionId", u."routerIds",
  u."linkIds", u.cost, u.details
FROM jsonb_to_recordset($2::jsonb) AS u (id text, "createdAt" timestamptz, "serviceId" text, "terminatorId" text,
  "clientId" text, "sessionId" text, "routerIds" text[], "linkIds" text[], cost bigint, details jsonb)
ON CONFLICT (id) DO UPDATE SET host_id = excluded.host_id, router_ids = excluded.router_ids,
  link_ids = excluded.link_ids, cost = excluded.cost
WHERE c.host_id = excluded.host_id OR NOT ${isAlive('c.host_id')}
RETURNING id${actor}`,
);

/** Hosts of circuits are few: each is looked up once, whatever number of circuits there are. */
const CIRCUITS_TAKE_OVER = asyncChange<CircuitRow>(
  'circuits-take-over',
  ({ actor }) => `WITH RECURSIVE hosts AS (
  (SELECT host_id FROM circuits ORDER BY host_id LIMIT 1)
  UNION ALL SELECT (SELECT c.host_id FROM circuits c WHERE c.host_id > hosts.host_id ORDER BY c.host_id LIMIT 1)
  FROM hosts WHERE hosts.host_id IS NOT NULL),
dead AS (SELECT host_id FROM hosts WHERE host_id <> $1 AND NOT ${isAlive('hosts.host_id')}),
due AS (SELECT c.id FROM circuits c WHERE c.host_id IN (SELECT host_id FROM dead) AND c.router_ids && $2::text[]
  AND c.details IS NOT NULL LIMIT ${TAKEN_AT_A_TIME} FOR UPDATE SKIP LOCKED)
UPDATE circuits c SET host_id = $1 FROM due WHERE c.id = due.id
RETURNING c.id, c.created_at AS "createdAt", c.service_id AS "serviceId", c.terminator_id AS "terminatorId",
  c.client_id AS "clientId", c.session_id AS "sessionId", c.router_ids AS "routerIds", c.link_ids AS "linkIds",
  c.cost::float8 AS cost, c.details${actor}`,
);

/** Traffic leaves no audit record. */
const CIRCUITS_TELL = asyncChange<{ id: string }>(
  'circuits-tell',
  ({ actor }) => `SELECT c.id, CASE u.news WHEN 'ended' THEN pg_notify('edge', concat('circuit ', c.id))
    WHEN 'fault' THEN pg_notify('edge', concat('circuit ', c.id, ' fault')) END${actor}
  FROM jsonb_to_recordset($1::jsonb) AS u (id text, "routerId" text, news text)
  JOIN circuits c ON c.id = u.id AND u."routerId" = ANY (c.router_ids)`,
);

const CIRCUITS_GONE = asyncChange(
  'circuits-gone',
  ({ returningActor }) => `DELETE FROM circuits WHERE host_id = $1 AND id = ANY ($2)${returningActor}`,
);

/** Leaves out columns that are not of it. */
const toRow = ({ id, createdAt, serviceId, terminatorId, clientId, sessionId, ...rest }: CircuitRow): CircuitRow => {
  const { routerIds, linkIds, cost, details } = rest;
  return { id, createdAt, serviceId, terminatorId, clientId, sessionId, routerIds, linkIds, cost, details };
};

export function circuitStore(db: Db, lists: Lists): CircuitStore {
  return {
    list: (request) => lists.page(db, source, request, ofLivingHosts),
    get: (id) => getOne(db, 'circuit', CIRCUIT_DETAIL, [id], source.fromRow),
    async remove(id, isImmediate) {
      if ((await db.count(CIRCUIT_REMOVE, [id, isImmediate])) === 0) throw notFound('circuit', id);
    },
    async write(hostId, present, gone) {
      if (gone.length > 0) await db.execute(CIRCUITS_GONE, [hostId, gone]);
      if (present.length === 0) return [];
      const written = new Set((await db.many(CIRCUITS_WRITE, [hostId, JSON.stringify(present)])).map(({ id }) => id));
      return present.map(({ id }) => id).filter((id) => !written.has(id));
    },
    async takeOver(hostId, routerIds) {
      const found = await db.many(CIRCUITS_TAKE_OVER, [hostId, routerIds]);
      return { rows: found.map(toRow), isMore: found.length === TAKEN_AT_A_TIME };
    },
    async tell(told) {
      return (await db.many(CIRCUITS_TELL, [JSON.stringify(told)])).map(({ id }) => id);
    },
  };
}
