/** Databases for tests: clones of a migrated template on the run's own PostgreSQL server, one per suite. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { until } from './poll.js';

export const CLUSTER_VARIABLE = 'EDGE_TEST_CLUSTER';
export const TEMPLATE = 'edge_template';

function cluster(): ClientConfig {
  const text = process.env[CLUSTER_VARIABLE];
  if (text === undefined)
    throw new Error('no test database: run the tests with npm test, which loads test/support/setup.ts');
  return { ...(JSON.parse(text) as ClientConfig), ssl: false };
}

let administrator: Promise<pg.Client> | undefined;

async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client(cluster());
  client.on('error', () => {
    administrator = undefined;
  });
  await client.connect();
  return client;
}

/** By one connection to the server, which is kept: a new one costs more than most of what is asked here. */
export async function adminQuery<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = await (administrator ??= connectAdministrator());
  return (await client.query<Row>(sql)).rows;
}

/** Ends the connection that `adminQuery` keeps. */
export async function closeAdministrator(): Promise<void> {
  const client = await administrator;
  administrator = undefined;
  await client?.end();
}

export interface TestDatabase {
  readonly connection: ClientConfig;
  /** The same as a `DATABASE_URL`. */
  readonly url: string;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /** A connection of its own, for a second transaction. `close` ends it. */
  connect(): Promise<pg.Client>;
  /** How many connections hold a transaction open and wait for us, as those of lists in batches do. */
  waitingTransactions(): Promise<number>;
  /** Until there is none of them. */
  connectionsAreFree(): Promise<void>;
  /** For a suite that makes circles on purpose: `close` takes them. */
  allowDeadlocks(): void;
  /** Drops the database. Throws when two changes ever waited for each other in a circle there, whoever retried them. */
  close(): Promise<void>;
}

/** A reader that stopped is cut within ten seconds. */
const FREE_MS = 20_000;

/** What is left of them is ended with the database. */
const ENDING_MS = 5_000;

/** A pool says that it has ended before its connections have: one that is ended by force meanwhile fails a hook. */
async function connectionsEnd(name: string): Promise<void> {
  const areGone = async () =>
    (await adminQuery(`SELECT FROM pg_stat_activity WHERE datname = '${name}' LIMIT 1`)).length === 0;
  await until('its connections end', areGone, ENDING_MS).catch(() => undefined);
}

/** With the directory of a unix socket for a host, which has its place among the parameters. */
const urlOf = ({ user, host, port, database }: ClientConfig): string =>
  `postgresql://${String(user)}@/${String(database)}` +
  `?host=${encodeURIComponent(String(host))}&port=${String(port)}`;

/** PostgreSQL counts them when a connection ends, at the latest. */
async function deadlocksOf(name: string): Promise<number> {
  const [row] = await adminQuery<{ deadlocks: number }>(
    `SELECT deadlocks::int FROM pg_stat_database WHERE datname = '${name}'`,
  );
  return row?.deadlocks ?? 0;
}

/** A fresh database with the schema of this release; `isEmpty` leaves even that out. */
export async function openTestDatabase({ isEmpty = false }: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const name = `edge_${randomBytes(6).toString('hex')}`;
  // A copy of files takes half of what PostgreSQL takes to log each page.
  await adminQuery(`CREATE DATABASE ${name}${isEmpty ? '' : ` TEMPLATE ${TEMPLATE}`} STRATEGY FILE_COPY`);
  const connection = { ...cluster(), database: name };
  const client = new pg.Client(connection);
  await client.connect();
  const others: pg.Client[] = [];
  let allowsDeadlocks = false;
  const waitingTransactions = async () => {
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()`,
    );
    return rowCount ?? 0;
  };
  return {
    connection,
    url: urlOf(connection),
    query: async (text, values) => client.query<Record<string, unknown>>(text, values),
    async connect() {
      const other = new pg.Client(connection);
      await other.connect();
      others.push(other);
      return other;
    },
    waitingTransactions,
    async connectionsAreFree() {
      const areFree = async () => (await waitingTransactions()) === 0;
      await until('the connections of the database are given back', areFree, FREE_MS);
    },
    allowDeadlocks() {
      allowsDeadlocks = true;
    },
    async close() {
      await Promise.all([client, ...others].map((each) => each.end()));
      await connectionsEnd(name);
      const deadlocks = await deadlocksOf(name);
      await adminQuery(`DROP DATABASE ${name} WITH (FORCE)`);
      if (deadlocks > 0 && !allowsDeadlocks)
        throw new Error(`${name}: PostgreSQL ended ${deadlocks} circles of changes that waited for each other`);
    },
  };
}
