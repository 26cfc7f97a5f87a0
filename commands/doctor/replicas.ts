/** Standbys that answer long reads: whether each can be reached, belongs to this database and keeps up with it. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { reasonOf } from '../../db/postgres/outages.js';
import { ServerClient } from '../../db/postgres/servers.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import { WRITTEN, followedBy, writtenFrom } from '../../db/postgres/replicas/wal-position.js';
import type { WalPosition } from '../../db/postgres/replicas/wal-position.js';
import { createLogger } from '../../server/base/log.js';
import { replicaChoice } from '../../server/data/replicas.js';
import { failed, faultOf, passed, warning } from '../../server/maintenance/finding.js';
import type { Finding } from '../../server/maintenance/finding.js';
import type { Settings } from '../../server/settings/config.js';
import { explain } from '../shared/explain.js';

const CHECK = 'replicas';
const ANSWER_MS = 5_000;
const POLL_MS = 20;

/** @param connection  of the database */
export async function examineReplicas(config: Settings, connection: ServerConfig): Promise<Finding[]> {
  if (config.databaseReplicas.length === 0) return [];
  try {
    return await examineEach(config, connection);
  } catch (error) {
    return [faultOf(CHECK, explain(error))];
  }
}

/** @throws ConfigError, or what the database fails with */
async function examineEach(config: Settings, connection: ServerConfig): Promise<Finding[]> {
  const log = createLogger({ level: 'silent', format: 'json', output: 'stderr' });
  const { servers, waitMs } = replicaChoice(config, log);
  const written = await withClient(connection, async (client) =>
    writtenFrom((await client.query<Parameters<typeof writtenFrom>[0] & object>(WRITTEN.text)).rows[0]),
  );
  return Promise.all(
    servers.map(({ name, connection: replica }) =>
      withClient(replica, async (client) => {
        const followed = await caughtUp(client, written, waitMs);
        return followed === undefined
          ? takesWrites(name)
          : findingOf(name, followed, written, await mayMonitor(client));
      }).catch((error: unknown) =>
        warning(
          CHECK,
          `The replica ${name} does not answer (${reasonOf(error)}).`,
          'Start it, or take it out of EDGE_DATABASE_REPLICAS. Until then the primary answers in its place.',
        ),
      ),
    ),
  );
}

async function withClient<T>(config: ServerConfig, act: (client: pg.Client) => Promise<T>): Promise<T> {
  await config.servers?.find(ANSWER_MS);
  const client = new ServerClient({ ...config, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  client.on('error', () => undefined); // what is asked of it fails, too
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Waits as a read does; then answers how far it is. Undefined when it is no standby. */
async function caughtUp(client: pg.Client, written: WalPosition, waitMs: number): Promise<WalPosition | undefined> {
  for (const end = performance.now() + waitMs; ; await pause(POLL_MS)) {
    const followed = await followedBy(client);
    const isOfOther = followed?.system !== written.system || followed.timeline !== written.timeline;
    if (isOfOther || followed.place >= written.place || performance.now() >= end) return followed;
  }
}

async function mayMonitor(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>("SELECT pg_has_role('pg_monitor', 'USAGE') AS may");
  return rows[0]?.may === true;
}

const takesWrites = (name: string): Finding =>
  warning(
    CHECK,
    `The server ${name} takes writes: nothing is read there.`,
    'That is right for a primary that may become a standby; else follow the primary with it, or leave it out.',
  );

function findingOf(name: string, followed: WalPosition, written: WalPosition, isMonitor: boolean): Finding {
  if (followed.system !== written.system)
    return failed(
      CHECK,
      `The replica ${name} is a standby of another database.`,
      'Correct EDGE_DATABASE_REPLICAS: it names standbys of the database of DATABASE_URL.',
    );
  if (followed.timeline !== written.timeline)
    return failed(
      CHECK,
      `The replica ${name} did not follow a failover: it is on timeline ${followed.timeline}, not ${written.timeline}.`,
      'Let it follow the new primary (pg_rewind), or replace it with a new standby.',
    );
  if (followed.place < written.place)
    return warning(
      CHECK,
      `The replica ${name} is ${kibibytes(written.place - followed.place)} KiB of changes behind.`,
      'If that lasts, look at replay_lag in pg_stat_replication of the primary (docs/operations/replicas.md).',
    );
  if (!isMonitor)
    return warning(
      CHECK,
      `The replica ${name} keeps up; after a failover it will be used again some minutes late.`,
      'Run at the primary, for the role of DATABASE_URL: GRANT pg_monitor TO role;',
    );
  return passed(CHECK, `The replica ${name} keeps up.`);
}

const kibibytes = (bytes: bigint): string => String((bytes + 1023n) / 1024n);
