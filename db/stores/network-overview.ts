/** The state of the network at a glance, and its traffic by the hour. Numbers of entities are the kept totals. */
import type { Db } from '../postgres/contracts.js';
import { slowRead, unprepared } from '../postgres/statement.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import type { UsageKind } from './usage.js';

interface Dials {
  readonly dials: number;
  readonly failedDials: number;
  readonly since: string;
}

interface CertificateSum {
  readonly kind: 'root' | 'intermediate' | 'server' | 'router' | 'identity';
  readonly endsAt: string | null;
  readonly soonCount: number;
}

export interface OverviewFacts {
  readonly now: Date;
  readonly controllers: readonly { id: string; name: string; isLive: boolean; lastSeenAt: string }[];
  readonly controllersTotal: number;
  readonly controllersLive: number;
  readonly routers: { total: number; online: number; disabled: number };
  readonly links: number;
  readonly counts: Readonly<Record<OverviewCount, number>>;
  readonly dialsNow: Dials;
  readonly dialsLastHour: Dials;
  readonly certificates: readonly CertificateSum[];
  readonly caCertificates: readonly string[];
  readonly usesKnownSince: Date;
}

type OverviewCount = 'apiSessions' | 'circuits' | 'identities' | 'services' | 'sessions' | 'terminators';

export interface UsageWish {
  readonly kind: UsageKind;
  readonly entityId: string | null;
  readonly hours: number;
  readonly top: number;
}

interface UsageCounts {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly dials: number;
  readonly failedDials: number;
}

export interface UsageOverview {
  readonly hours: readonly (UsageCounts & { readonly hour: Date })[];
  readonly top: readonly (UsageCounts & { readonly id: string; readonly name: string | null })[];
}

/** Statements that wait for a lock which the process `pid` of PostgreSQL holds. */
export interface LockWaits {
  readonly waiting: number;
  readonly pid: number;
}

export interface NetworkOverviewStore {
  facts(): Promise<OverviewFacts>;
  /** Milliseconds by the clock of the database. */
  clockMs(): Promise<number>;
  /** undefined: none waits for long. */
  lockWaits(): Promise<LockWaits | undefined>;
  usage(wish: UsageWish): Promise<UsageOverview>;
}

const totalOf = (kind: string): string =>
  `'${kind}', (SELECT coalesce(sum(total), 0)::int FROM entity_counts WHERE kind = '${kind}')`;

const dialsSince = (since: string): string => `(SELECT json_build_object('since', ${since},
    'dials', coalesce(sum(dials), 0)::int8, 'failedDials', coalesce(sum(failed_dials), 0)::int8)
  FROM dial_minutes WHERE minute >= ${since})`;

const THIS_HOUR = "date_trunc('hour', now(), 'UTC')";
const IS_SOON = "not_after > now() AND not_after < now() + interval '30 days'";

/** Certificates in use whose end is near, found by the index of their ends. */
const soonOf = (kind: string, isUsed: string): string => `SELECT '${kind}', min(c.not_after), count(*)::int
  FROM issued_certificates c
  WHERE c.kind = '${kind}' AND ${IS_SOON.replaceAll('not_after', 'c.not_after')} AND ${isUsed}`;

const OVERVIEW = slowRead<OverviewFacts & { totals: Readonly<Record<string, number>>; circuits: number }>(
  'network-overview',
  `SELECT date_trunc('milliseconds', now()) AS now,
  (SELECT coalesce(json_agg(c), '[]') FROM (SELECT id, name, last_seen_at > now() - interval '4 seconds' AS "isLive",
      last_seen_at AS "lastSeenAt" FROM controllers ORDER BY name LIMIT 100) c) AS controllers,
  (SELECT count(*)::int FROM controllers) AS "controllersTotal",
  (SELECT count(*)::int FROM controllers WHERE last_seen_at > now() - interval '4 seconds') AS "controllersLive",
  (SELECT json_build_object('total', count(*), 'disabled', count(*) FILTER (WHERE r.disabled), 'online',
      count(*) FILTER (WHERE r.id IN (SELECT c.router_id FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
        WHERE ${HOST_IS_ALIVE}))) FROM routers r) AS routers,
  (SELECT count(DISTINCT l.id)::int FROM router_links l JOIN router_hosts h ON h.id = l.host_id
    LEFT JOIN router_link_settings s ON s.id = l.id
    WHERE ${HOST_IS_ALIVE} AND NOT coalesce(s.is_down, false)) AS links,
  json_build_object(${['api_sessions', 'identities', 'services', 'sessions', 'terminators'].map(totalOf).join(', ')})
    AS totals,
  (SELECT coalesce(sum(h.circuits), 0)::int FROM router_hosts h WHERE ${HOST_IS_ALIVE}) AS circuits,
  ${dialsSince("now() - interval '5 minutes'")} AS "dialsNow",
  ${dialsSince("now() - interval '1 hour'")} AS "dialsLastHour",
  (SELECT coalesce(json_agg(json_build_object('kind', kind, 'endsAt', ends_at, 'soonCount', soon)), '[]') FROM (
    (SELECT DISTINCT ON (purpose) purpose AS kind, not_after AS ends_at, (${IS_SOON})::int AS soon
      FROM pki_entities ORDER BY purpose, generation DESC)
    UNION ALL (${soonOf('router', 'EXISTS (SELECT FROM routers r WHERE r.fingerprint = c.fingerprint)')})
    UNION ALL (${soonOf('identity', 'EXISTS (SELECT FROM authenticators a WHERE a.fingerprint = c.fingerprint)')})
  ) e) AS certificates,
  ARRAY (SELECT cert_pem FROM cas ORDER BY id LIMIT 200) AS "caCertificates",
  (SELECT uses_known_since FROM network) AS "usesKnownSince"`,
);

/** `$1` kind, `$2` one entity or null, `$3` number of hours. */
const OF_WISH = `u.kind = $1 AND ($2::text IS NULL OR u.entity_id = $2)
    AND u.hour >= ${THIS_HOUR} - ($3::int - 1) * interval '1 hour'`;

const SUMS = ['bytes_in AS "bytesIn"', 'bytes_out AS "bytesOut"', 'dials AS dials', 'failed_dials AS "failedDials"']
  .map((sum) => {
    const [column, name] = sum.split(' AS ');
    return `least(coalesce(sum(u.${column}), 0), 9007199254740991)::int8 AS ${name}`;
  })
  .join(', ');

const HOURS = slowRead<UsageCounts & { hour: Date }>(
  'network-usage-hours',
  `SELECT h.hour, ${SUMS} FROM generate_series(${THIS_HOUR} - ($3::int - 1) * interval '1 hour', ${THIS_HOUR},
    interval '1 hour') AS h (hour) LEFT JOIN usage_hours u ON u.hour = h.hour AND ${OF_WISH}
  GROUP BY h.hour ORDER BY h.hour`,
);

const TOP = slowRead<UsageCounts & { id: string; name: string | null }>(
  'network-usage-top',
  `SELECT t.*, CASE $1 WHEN 'service' THEN (SELECT name FROM services WHERE id = t.id)
    WHEN 'router' THEN (SELECT name FROM routers WHERE id = t.id) END AS name
  FROM (SELECT u.entity_id AS id, ${SUMS} FROM usage_hours u WHERE ${OF_WISH} GROUP BY u.entity_id
    ORDER BY sum(u.bytes_in) + sum(u.bytes_out) DESC, sum(u.dials) DESC, u.entity_id LIMIT $4) t`,
);

const CLOCK = unprepared<{ at: number }>(
  'SELECT',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
);

/** Long enough that no work of ours takes it. */
const WAITS = unprepared<LockWaits>(
  'SELECT',
  `SELECT count(*)::int AS waiting, min(b.pid) AS pid
FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS b (pid)
WHERE a.datname = current_database() AND a.wait_event_type = 'Lock' AND a.query_start < now() - interval '2 seconds'
HAVING count(*) > 0`,
);

export function networkOverviewStore(db: Db): NetworkOverviewStore {
  return {
    async facts() {
      const row = await db.one(OVERVIEW);
      if (row === undefined) throw new Error('a statement without a row');
      const { totals, circuits, ...facts } = row;
      const total = (kind: string) => totals[kind] ?? 0;
      return {
        ...facts,
        counts: {
          apiSessions: total('api_sessions'),
          circuits,
          identities: total('identities'),
          services: total('services'),
          sessions: total('sessions'),
          terminators: total('terminators'),
        },
      };
    },
    clockMs: async () => (await db.one(CLOCK))?.at ?? Date.now(),
    lockWaits: () => db.one(WAITS),
    async usage({ kind, entityId, hours, top }) {
      const values = [kind, entityId, hours];
      return { hours: await db.many(HOURS, values), top: await db.many(TOP, [...values, top]) };
    },
  };
}
