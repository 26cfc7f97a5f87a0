/** One controller, and a database that is restarted, hangs, is locked, or has no space left. */
import { join } from 'node:path';
import pg from 'pg';
import { runningConnection } from '../../../db/embedded/supervisor.js';
import { endOf } from '../../controller-process.js';
import type { PostgresServer } from '../../../test/support/postgres-servers.js';
import { pause } from '../sessions.js';
import { mountSmallDisk } from '../../../test/support/small-disk.js';
import { storedAt } from './ground.js';
import type { Controller, Ground } from './ground.js';
import { CLEAN, inSeconds, rowOf, underLoad } from './load.js';
import type { Load, Measured, Row } from './load.js';

const HUNG_MS = 6_000;
/** Longer than a request may take. */
const LOCKED_MS = 14_000;
const FULL_MS = 6_000;
const DISK_MIB = 320;
const NEW_SEGMENT = [
  'SELECT pg_switch_wal()',
  'CHECKPOINT',
  'CREATE TABLE log_segment (id int)',
  'DROP TABLE log_segment',
];
const never = new AbortController().signal;

const loadOn = ({ credentials }: Ground, controller: Controller, database: pg.ClientConfig): Load => ({
  targets: [controller],
  createsPerSecond: 200,
  connections: 8,
  credentials,
  stored: () => storedAt(database),
});

async function onSingle(ground: Ground, act: (primary: PostgresServer) => Promise<void>): Promise<Measured> {
  const { primary, controller } = await ground.single();
  return underLoad(loadOn(ground, controller, { connectionString: primary.url }), () => act(primary));
}

export async function restart(ground: Ground, mode: 'fast' | 'immediate'): Promise<Row[]> {
  const measured = await onSingle(ground, async (primary) => {
    await (mode === 'fast' ? primary.stop() : primary.crash());
    await primary.start();
  });
  return [rowOf(`PostgreSQL restarts, ${mode}: ${inSeconds(measured.seconds * 1000)}`, measured)];
}

/** All its processes at once, as when its machine hangs: connections stay open, and nothing comes. */
export async function hang(ground: Ground): Promise<Row[]> {
  const measured = await onSingle(ground, async (primary) => {
    primary.signal('SIGSTOP');
    await pause(HUNG_MS, never);
    primary.signal('SIGCONT');
  });
  return [rowOf(`PostgreSQL hangs for ${HUNG_MS / 1000} s`, measured)];
}

export async function lock(ground: Ground): Promise<Row[]> {
  const measured = await onSingle(ground, async (primary) => {
    const holder = new pg.Client({ connectionString: primary.url });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE identities');
    const {
      rows: [own],
    } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await pause(LOCKED_MS, never);
    await primary.query(`SELECT pg_terminate_backend(${own?.pid ?? 0})`);
    await holder.end().catch(() => undefined);
  });
  return [rowOf(`LOCK TABLE identities for ${LOCKED_MS / 1000} s`, measured)];
}

export async function fullDisk(ground: Ground): Promise<Row[]> {
  const event = `disk of the embedded database full for ${FULL_MS / 1000} s`;
  if (process.geteuid?.() !== 0) return [{ ...CLEAN, event, saw: 'not tried: only root may mount a small disk' }];
  const disk = mountSmallDisk(DISK_MIB);
  ground.stage.afterEnd(() => {
    disk.end();
  });
  const dataDir = join(disk.directory, 'data');
  for (const name of ['postgres', 'postgres.new']) ground.stage.watch(join(dataDir, name));
  const controller = await ground.controller('full', { EDGE_DATA_DIR: dataDir });
  const connection = runningConnection(dataDir);
  await startLogSegment(connection);
  const measured = await underLoad(loadOn(ground, controller, connection), async () => {
    disk.fill();
    await pause(FULL_MS, never);
    disk.free();
  });
  await endOf(controller.child);
  return [rowOf(event, measured)];
}

/** What is refused then lacks space for data, not for the log: without that the server would end. */
async function startLogSegment(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  for (const sql of NEW_SEGMENT) await client.query(sql);
  await client.end();
}
