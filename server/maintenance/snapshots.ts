/** Snapshots as files: what they are called, how one is written, and that there is room for it. */
import { lstatSync, rmSync, statSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DomainError } from '../../domain/errors.js';
import { noteAudit } from '../../db/stores/audit-records.js';
import { ownDirectory, removeDrafts } from '../../db/embedded/own-files.js';
import type { MaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import { takeSnapshot } from '../../db/maintenance/snapshot.js';
import type { SnapshotResult } from '../../db/maintenance/snapshot.js';
import type { Logger } from '../base/log.js';
import { readVersion } from '../base/version.js';

/** Such as `edge-2026-01-15T09-30-00.000Z.snapshot.gz`: sorted by name, they are sorted by time. */
export const snapshotName = (prefix: string, at = new Date()): string =>
  `${prefix}-${at.toISOString().replaceAll(':', '-')}.snapshot.gz`;

export interface SnapshotFile {
  readonly directory: string;
  readonly name: string;
  /** The directory is not only for snapshots: what others left there unfinished is not ours. */
  readonly isShared?: boolean;
  readonly onProgress: (table: string, rows: number) => void;
  readonly log: Logger;
}

export interface WrittenSnapshot extends SnapshotResult {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Writes a snapshot on a lane that holds the lock. It replaces no file.
 * @throws DomainError `unavailable` when it cannot be written; its cause says what the system said
 */
export async function writeSnapshot(
  lane: MaintenanceLane,
  { directory, name, isShared = false, onProgress, log }: SnapshotFile,
): Promise<WrittenSnapshot> {
  const since = performance.now();
  try {
    const place = preparePlace(directory, isShared);
    const file = join(place, name);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw notWritten(`there is a file ${name} already, which is not replaced: name another one`, undefined);
    if (isShared && lstatSync(`${file}.partial`, { throwIfNoEntry: false }) !== undefined)
      throw notWritten(
        `another backup writes ${name}.partial, or one that was cut short has left it: remove it, or name another file`,
        undefined,
      );
    await requireSpace(lane, place);
    const result = await takeSnapshot(lane, { file, release: readVersion().version, onProgress });
    const written = { file, bytes: statSync(file).size, ...result };
    await recorded(lane, written);
    log.info({ ...written, ms: Math.round(performance.now() - since) }, 'a snapshot of the database was taken');
    return written;
  } catch (error) {
    throw fileFault(error) ?? error;
  }
}

/** A snapshot without its audit record does not stay. */
async function recorded(lane: MaintenanceLane, { file, bytes, rows }: WrittenSnapshot): Promise<void> {
  const after = { file: basename(file), bytes, rows };
  try {
    await lane.transaction((tx) => noteAudit(tx, { kind: 'database.snapshotTaken', entityType: 'database', after }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** @throws DomainError `unavailable` when it cannot be used, or is not ours alone; the cause is for the log */
function preparePlace(directory: string, isShared: boolean): string {
  try {
    const place = ownDirectory(directory);
    if (!isShared) removeDrafts(place);
    return place;
  } catch (error) {
    throw notWritten('its place in the data directory cannot be used; the log of the controller says why', error);
  }
}

/** Beyond what the snapshot takes: an embedded database needs room to work on. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** A snapshot is smaller than its database: it is compressed and without indexes. @throws DomainError `unavailable` */
async function requireSpace(lane: MaintenanceLane, directory: string): Promise<void> {
  const {
    rows: [row],
  } = await lane.run<{ bytes: string }>('SELECT pg_database_size(current_database())::text AS bytes');
  const needed = Number(row?.bytes) + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= needed) return;
  const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  throw notWritten(
    `the data directory has ${mebibytes(bavail * bsize)} MiB left, and a snapshot may take up to ${mebibytes(needed)}`,
    undefined,
  );
}

function notWritten(causeMessage: string, cause: unknown): DomainError {
  const message = 'The snapshot cannot be written, see cause';
  return new DomainError('unavailable', { message, causeMessage, cause, logReason: causeMessage });
}

/** An operator can mend it. The message of the system names the path, which no caller needs to know. */
function fileFault(error: unknown): DomainError | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof DomainError || code === undefined || !FILE_CALLS.has(syscall ?? '')) return undefined;
  return notWritten(`the data directory cannot be written to (${code})`, error);
}

const FILE_CALLS = new Set(['open', 'write', 'fsync', 'rename', 'statfs', 'stat', 'lstat', 'close', 'unlink']);
