/**
 * All metrics of ours: name, kind, labels, meaning, and how their values are read. They are read when somebody asks, of
 * numbers that the parts of this process keep anyway. docs/operations/metrics.md has the same table in words.
 */
import { DURATION_BOUNDS } from '../../domain/duration-counts.js';
import type { DurationCounts } from '../../domain/duration-counts.js';
import { CONNECTION_KINDS } from '../../db/postgres/statement-watch.js';
import { LOGIN_METHODS, LOGIN_RESULTS, STATUS_CLASSES } from '../http/request-counts.js';
import type { OperationCounts } from '../http/request-counts.js';
import type { RouterTotals } from '../../fabric/usage/usage.js';
import type { Sources } from './sources.js';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly value: number;
  readonly labels: Labels;
  /** Name of the histogram, whose samples have names of their own. */
  readonly metricName?: string;
}

/** How the values of several workers become one. */
export type Aggregator = 'sum' | 'max' | 'min' | 'first';

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly aggregator: Aggregator;
  readonly read: (sources: Sources) => readonly Sample[] | Promise<readonly Sample[]>;
}

type Read = (sources: Sources) => number | readonly Sample[] | Promise<readonly Sample[]>;

const family =
  (type: Family['type'], aggregator: Aggregator) =>
  (name: string, help: string, read: Read): Family => ({
    name,
    type,
    help,
    aggregator,
    read: (sources) => {
      const values = read(sources);
      return typeof values === 'number' ? [of(values)] : values;
    },
  });

const of = (value: number, labels: Labels = {}): Sample => ({ value, labels });

/** Only ever grows; each worker has its own part. */
const counter = family('counter', 'sum');
/** Each worker has its own part. */
const gauge = family('gauge', 'sum');
/** Says of the whole what is said of the worst part. */
const lowest = family('gauge', 'min');
const highest = family('gauge', 'max');
/** The same in all of them. */
const common = family('gauge', 'first');

function histogram(
  name: string,
  help: string,
  read: (sources: Sources) => readonly (readonly [DurationCounts, Labels])[],
) {
  return family('histogram', 'sum')(name, help, (sources) =>
    read(sources).flatMap(([times, labels]) => samplesOf(name, times, labels)),
  );
}

function samplesOf(name: string, times: DurationCounts, labels: Labels): Sample[] {
  const counts = times.cumulative();
  const count = counts.at(-1) ?? 0;
  const bucket = (le: string, value: number): Sample => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    ...DURATION_BOUNDS.map((bound, at) => bucket(String(bound), counts[at] ?? 0)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: times.sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Every operation that was asked for, and one entry for all that is none. */
function operations({ requests }: Sources): readonly (readonly [OperationCounts, Labels])[] {
  const known = [...requests.operations()].map(
    ([{ api, operationId }, counts]) => [counts, { api, operation: operationId }] as const,
  );
  return [...known, [requests.unknown, { api: 'none', operation: 'unknown' }]];
}

const flag = (isTrue: boolean): number => (isTrue ? 1 : 0);

export const FAMILIES: readonly Family[] = [
  common(
    'edge_build_info',
    'Version of this controller; the value is always 1.',
    ({ build: { version, revision } }) => [of(1, { version, revision, node: process.version })],
  ),
  gauge('edge_workers', 'Processes that serve.', () => 1),
  lowest('edge_ready', 'Whether /readyz says yes.', ({ readiness }) => flag(readiness.fault() === undefined)),
  lowest('edge_health_check_up', 'Each check of /health-checks: 1 when it is healthy.', ({ readiness }) =>
    readiness.checks().map(({ id, healthy }) => of(flag(healthy), { check: id })),
  ),
  common(
    'edge_certificate_not_after_timestamp_seconds',
    'When each certificate of the network that serves this controller ends, in seconds since 1970.',
    ({ certificateEnds }) =>
      certificateEnds().map(({ name, notAfter }) => of(notAfter.getTime() / 1000, { certificate: name })),
  ),

  counter('edge_http_requests_total', 'Requests of the APIs that ended, by class of status.', (sources) =>
    operations(sources).flatMap(([{ answers }, labels]) =>
      STATUS_CLASSES.flatMap((status, at) => {
        const value = answers[at] ?? 0;
        return value === 0 && labels['api'] !== 'none' ? [] : [of(value, { ...labels, status })];
      }),
    ),
  ),
  histogram(
    'edge_http_request_duration_seconds',
    'How long requests took, from their headers to the end of the work.',
    (sources) => operations(sources).map(([{ times }, labels]) => [times, labels]),
  ),
  gauge('edge_http_requests_in_flight', 'Requests that are being worked on.', ({ inFlight }) => inFlight()),
  gauge('edge_http_connections', 'Open connections to the address of the APIs.', async ({ connections }) => [
    of(await connections()),
  ]),
  counter('edge_logins_total', 'Logins that ended, by method and result.', ({ requests }) =>
    LOGIN_METHODS.flatMap((method) =>
      LOGIN_RESULTS.map((result) => of(requests.logins(method, result), { method, result })),
    ),
  ),

  gauge('edge_password_hashes_running', 'Password hashes that are being computed.', ({ hashing }) => hashing().running),
  gauge('edge_password_hashes_waiting', 'Tasks that wait for their turn to hash.', ({ hashing }) => hashing().waiting),
  gauge('edge_logins_running', 'Logins by certificate or token under way.', ({ logins }) => logins().running),
  gauge(
    'edge_logins_waiting',
    'Logins by certificate or token that wait for their turn.',
    ({ logins }) => logins().waiting,
  ),
  counter('edge_password_hashes_total', 'Password hashes that were computed.', ({ hashing }) => hashing().done),
  counter(
    'edge_password_hashes_refused_total',
    'Tasks that were turned away because too many waited.',
    ({ hashing }) => hashing().refused,
  ),

  lowest('edge_db_up', 'Whether the database can be used.', ({ database }) => flag(database.isUp())),
  histogram(
    'edge_db_statement_duration_seconds',
    'How long statements took, by kind of connection.',
    ({ database: { statements } }) =>
      CONNECTION_KINDS.flatMap((connection) =>
        statements === undefined ? [] : [[statements.times[connection], { connection }] as const],
      ),
  ),
  counter(
    'edge_db_statement_failures_total',
    'Statements that failed, those that broke a constraint among them.',
    ({ database: { statements } }) =>
      CONNECTION_KINDS.map((connection) => of(statements?.failures[connection] ?? 0, { connection })),
  ),
  gauge('edge_db_pool_connections', 'Open connections of the pool, by what they do.', ({ database }) => {
    const { total, idle } = database.stats();
    return [of(total - idle, { state: 'used' }), of(idle, { state: 'idle' })];
  }),
  common(
    'edge_db_pool_max_connections',
    'Connections that the pool of one worker may open.',
    ({ build }) => build.poolSize,
  ),
  gauge('edge_db_pool_waiting', 'Tasks that wait for a connection.', ({ database }) => database.stats().waiting),
  gauge('edge_db_lanes_open', 'Open lanes for short reads.', ({ database }) => database.load().lanes.open),
  gauge(
    'edge_db_lane_statements',
    'Statements that are under way on lanes.',
    ({ database }) => database.load().lanes.underWay,
  ),
  gauge('edge_db_lists', 'Lists by what they do.', ({ database }) => loadOf(database.load().lists)),
  counter('edge_db_replica_reads_total', 'Long reads that standbys may answer, by who did.', ({ database }) => {
    const load = database.replicas();
    return load === undefined ? [] : [of(load.answered, { from: 'replica' }), of(load.left, { from: 'primary' })];
  }),
  lowest('edge_db_replica_up', 'Whether each standby for long reads is used.', ({ database }) =>
    [...(database.replicas()?.usable ?? [])].map(([replica, isUsable]) => of(flag(isUsable), { replica })),
  ),
  gauge('edge_db_changes', 'Changes by what they do.', ({ database }) => loadOf(database.load().changes)),
  highest('edge_entities', 'How many entities of each kind the network has.', async ({ entities }) =>
    [...(await entities())].map(([kind, value]) => of(value, { kind })),
  ),

  lowest('edge_change_feed_up', 'Whether changes by other controllers are heard.', ({ feed }) =>
    flag(feed.isHearing()),
  ),
  highest(
    'edge_change_feed_lag_seconds',
    'How long the last announcement to itself took to come back; absent while it is deaf.',
    ({ feed }) => {
      const seconds = feed.lagMs() / 1000;
      return Number.isFinite(seconds) ? seconds : [];
    },
  ),
  counter('edge_change_feed_announcements_total', 'Announcements that were heard.', ({ feed }) => feed.heard()),

  gauge('edge_cache_entries', 'What is kept in memory.', (sources) => caches(sources, ({ entries }) => entries)),
  gauge('edge_cache_bytes', 'Size of what is kept, for caches bounded in bytes.', (sources) =>
    caches(sources, ({ bytes }) => bytes),
  ),
  counter('edge_cache_hits_total', 'What was found in a cache.', (sources) => caches(sources, ({ hits }) => hits)),
  counter('edge_cache_misses_total', 'What was not.', (sources) => caches(sources, ({ misses }) => misses)),

  gauge('edge_routers_connected', 'Routers that are connected here.', ({ fabric }) => fabric().connected),
  gauge('edge_routers_in_sync', 'Those of them that know all that they must.', ({ fabric }) => fabric().inSync),
  gauge('edge_circuits', 'Circuits that this controller made and that stand.', ({ fabric }) => fabric().circuits),
  counter('edge_circuits_created_total', 'Dials that got a circuit.', ({ fabric }) => fabric().dials.made),
  counter('edge_circuits_failed_total', 'Dials that were refused or failed.', ({ fabric }) => fabric().dials.failed),
  counter('edge_router_bytes_total', 'Bytes that routers say they carried, of 200 routers at most.', (sources) =>
    routers(sources, ({ bytesIn, bytesOut }) => ({ in: bytesIn, out: bytesOut }), 'direction'),
  ),
  counter('edge_router_dials_total', 'Dials over routers, of 200 routers at most.', (sources) =>
    routers(sources, ({ dials, failedDials }) => ({ made: dials - failedDials, failed: failedDials }), 'result'),
  ),
  gauge('edge_link_latency_seconds', 'Latency of links, of 200 links at most.', ({ fabric }) =>
    [...fabric().linkLatencies].map(([link, ms]) => of(ms / 1_000, { link })),
  ),
];

const routers = (
  { fabric }: Sources,
  read: (totals: RouterTotals) => Readonly<Record<string, number>>,
  label: string,
): Sample[] =>
  [...fabric().routers].flatMap(([router, totals]) =>
    Object.entries(read(totals)).map(([kind, value]) => of(value, { router, [label]: kind })),
  );

const loadOf = ({ running, waiting }: { running: number; waiting: number }): Sample[] => [
  of(running, { state: 'running' }),
  of(waiting, { state: 'waiting' }),
];

function caches(sources: Sources, read: (use: ReturnType<Sources['caches'][string]>) => number | undefined): Sample[] {
  return Object.entries(sources.caches).flatMap(([cache, use]) => {
    const value = read(use());
    return value === undefined ? [] : [of(value, { cache })];
  });
}
