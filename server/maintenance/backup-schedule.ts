/**
 * Snapshots at an interval. Of the controllers of a database one takes them: the one that holds a lock of the database,
 * on a connection that it keeps for that. It looks at its own files for when the next is due, so a restart changes
 * nothing; when it ends, or loses the database, another one takes the lock.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BACKUP_LOCK } from '../../db/postgres/advisory-locks.js';
import { snapshotsIn } from '../../db/embedded/paths.js';
import { takeLock, withLane, withMaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import type { MaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import { DomainError } from '../../domain/errors.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { SNAPSHOT_PROGRESS, reporter } from '../base/progress.js';
import { snapshotName, writeSnapshot } from './snapshots.js';

export interface BackupOptions {
  readonly config: Pick<Settings, 'dataDir' | 'backupEvery' | 'backupKeep' | 'name'>;
  readonly connection: ServerConfig;
  readonly log: Logger;
}

export interface Backups {
  /** Ends a snapshot that is under way, and waits for its end. */
  close(): Promise<void>;
}

/** How often whoever has the lock looks whether it still has, and whoever has not tries for it. */
const LOOK_MS = 15_000;
/** Delay of a retry after a failure; the interval if that is shorter. */
const RETRY_MS = 300_000;

/** Names of its own: what somebody asked for is never removed. */
const PREFIX = 'edge-scheduled';
const NAME = new RegExp(`^${PREFIX}-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z\\.snapshot\\.gz$`);

/** Does nothing where no interval is set. */
export function startBackups(options: BackupOptions): Backups {
  if (options.config.backupEvery === 0) return { close: async () => undefined };
  const closing = new AbortController();
  const done = keepTrying(options, closing.signal);
  return {
    async close() {
      closing.abort();
      await done;
    },
  };
}

/** Never throws. */
async function keepTrying(options: BackupOptions, signal: AbortSignal): Promise<void> {
  const { connection, log, config } = options;
  const restMs = Math.min(LOOK_MS, config.backupEvery * 1000);
  while (!signal.aborted) {
    try {
      await withLane(connection, signal, async (lane) => {
        if (await takeLock(lane, BACKUP_LOCK)) await serve(options, lane, restMs, signal);
      });
    } catch (error) {
      // The database is away, which has lines of its own in the log; or it is the end.
      if (!signal.aborted) log.debug({ err: error }, 'the lock of scheduled backups was lost; it is tried again');
    }
    await rest(restMs, signal);
  }
}

/** Makes backups until the connection fails. */
async function serve(
  options: BackupOptions,
  lane: MaintenanceLane,
  restMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { config, log } = options;
  const directory = snapshotsIn(config.dataDir);
  const everyMs = config.backupEvery * 1000;
  log.info({ directory, everySeconds: config.backupEvery, keep: config.backupKeep }, 'scheduled backups are made here');
  let failedUntil = 0;
  while (!signal.aborted) {
    const waitsMs = Math.max(lastOf(directory) + everyMs, failedUntil) - Date.now();
    if (waitsMs <= 0 && !(await backUp(options, directory, signal)))
      failedUntil = Date.now() + Math.min(RETRY_MS, everyMs);
    await rest(waitsMs > 0 ? Math.min(waitsMs, restMs) : restMs, signal);
    await lane.run('SELECT');
  }
}

/** False when there is no new snapshot. */
async function backUp({ config, connection, log }: BackupOptions, directory: string, signal: AbortSignal) {
  const onProgress = reporter(log, SNAPSHOT_PROGRESS);
  try {
    await withMaintenanceLane(
      connection,
      signal,
      (lane) => writeSnapshot(lane, { directory, name: snapshotName(PREFIX), onProgress, log }),
      { kind: 'controller', controller: config.name },
    );
    removeOld(directory, config.backupKeep, log);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (error instanceof DomainError && error.kind === 'rateLimited')
      log.info('a scheduled backup waits for other work on the database');
    else log.error({ err: error }, 'a scheduled backup failed; it is tried again, and earlier ones are kept');
    return false;
  }
}

/** Time of the newest backup, in milliseconds; 0 without one, or when the clock was ahead then. */
function lastOf(directory: string): number {
  const newest = scheduledIn(directory).at(-1);
  if (newest === undefined) return 0;
  const at = lstatSync(join(directory, newest), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return at > Date.now() ? 0 : at;
}

/** Plain files with a name that only this module gives, oldest first; none of what cannot be read. */
function scheduledIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile() && NAME.test(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

function removeOld(directory: string, keep: number, log: Logger): void {
  const removed = scheduledIn(directory).slice(0, -keep);
  for (const name of removed) rmSync(join(directory, name), { force: true });
  if (removed.length > 0) log.info({ removed }, 'earlier scheduled backups were removed');
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
