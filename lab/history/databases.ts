/** Databases of a run: one server, or a cluster of Patroni whose leader changes. */
import { setTimeout as delay } from 'node:timers/promises';
import { clusterProcesses } from '../../db/embedded/processes.js';
import { PostgresServers } from '../../test/support/postgres-servers.js';
import type { PostgresServer } from '../../test/support/postgres-servers.js';
import { until } from '../../test/support/poll.js';
import { MissingPrograms, findPrograms } from '../../test/support/programs.js';
import { mountSmallDisk } from '../../test/support/small-disk.js';
import type { SmallDisk } from '../../test/support/small-disk.js';
import { Stage } from '../../test/support/stage.js';
import { PatroniCluster } from '../drill/cluster.js';
import type { HistoryDatabase } from './network.js';

const DISK_MIB = 2_048;
const ANSWER_MS = 60_000;
/** A commit is on disk before it is acknowledged. The log is kept small, for the small disk. */
const SETTINGS = { fsync: 'on', max_connections: '200', max_wal_size: '256MB', wal_keep_size: '0' };

export async function singleServer(stage: Stage): Promise<HistoryDatabase> {
  const disk = smallDisk();
  const server = await serverOn(stage, disk);
  const leftOut = disk === undefined ? ['the disk of the database fills: no file system can be mounted here'] : [];
  return {
    url: server.url,
    query: (sql) => server.query(sql),
    leftOut,
    faults: {
      'PostgreSQL restarts': async () => {
        await server.stop();
        await server.start();
      },
      'PostgreSQL crashes': async () => {
        await server.crash();
        await server.start();
      },
      'PostgreSQL hangs': async (durationMs) => {
        server.signal('SIGSTOP');
        await delay(durationMs);
        server.signal('SIGCONT');
      },
      ...(disk === undefined ? {} : { 'the disk of the database fills': (ms) => fillUp(disk, server, ms) }),
    },
  };
}

/** A file system of its own, where this system lets us have one. */
function smallDisk(): SmallDisk | undefined {
  try {
    return mountSmallDisk(DISK_MIB);
  } catch {
    return undefined;
  }
}

/** The directory of a stage is below the one for temporary files. */
async function serverOn(stage: Stage, disk: SmallDisk | undefined): Promise<PostgresServer> {
  if (disk === undefined) return new PostgresServers(stage).primary(SETTINGS);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = disk.directory;
  const inner = new Stage(false);
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  stage.beforeEnd(async () => {
    disk.free();
    await inner.end();
    disk.end();
  });
  return new PostgresServers(inner).primary(SETTINGS);
}

/** A server that found no space for its log has ended: it is started again once there is some. */
async function fillUp(disk: SmallDisk, server: PostgresServer, durationMs: number): Promise<void> {
  disk.fill();
  await delay(durationMs);
  disk.free();
  await until(
    'the server has space and answers',
    async () => {
      if (clusterProcesses(server.dataDir).length === 0) await server.start();
      return server.query('SELECT 1').then(
        () => true,
        () => false,
      );
    },
    ANSWER_MS,
  );
}

/** @throws MissingPrograms */
export async function patroniCluster(stage: Stage, say: (text: string) => void): Promise<HistoryDatabase> {
  const cluster = await PatroniCluster.start(stage, findPrograms(), say);
  return {
    url: cluster.url,
    query: (sql) => cluster.query('edge', sql),
    leftOut: ['the disk of the database fills: only with --database single'],
    faults: {
      'Patroni switches over': async () => {
        await cluster.complete();
        await cluster.switchOver();
        await cluster.complete();
      },
      'the leader of Patroni is killed': async () => {
        await cluster.complete();
        const former = await cluster.kill('leader');
        await cluster.successor('leader', former);
        await cluster.rejoin(former);
      },
      'the synchronous standby is killed': async () => {
        await cluster.complete();
        await cluster.rejoin(await cluster.kill('sync_standby'));
      },
    },
  };
}

/** Whether the programs of a cluster are on this machine; else which Debian packages are missing. */
export function missingForCluster(): string | undefined {
  try {
    findPrograms();
    return undefined;
  } catch (error) {
    if (error instanceof MissingPrograms) return error.message;
    throw error;
  }
}
