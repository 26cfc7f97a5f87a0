/**
 * Long work on the whole database that this controller was asked for: one piece at a time, over all controllers. It
 * goes on when no request waits for it any more, and ends with the controller.
 */
import { statSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '../domain/errors.js';
import { withMaintenanceLane } from '../db/maintenance/connection.js';
import type { MaintenanceLane } from '../db/maintenance/connection.js';
import { runChecks } from '../db/maintenance/integrity.js';
import type { Seals } from '../db/maintenance/integrity-checks.js';
import { takeSnapshot } from '../db/maintenance/snapshot.js';
import { draftsIn, ownDirectory, removeDrafts } from '../db/embedded/own-files.js';
import type { ServerConfig } from '../db/servers.js';
import type { KeyRing } from '../domain/pki/master-key.js';
import type { Maintenance } from '../handlers/context.js';
import { openCodes, openSecret } from '../handlers/shared/second-factor.js';
import type { Config } from './config.js';
import type { Logger } from './log.js';
import { keyOpens, webhookOpens } from './network-keys.js';
import { secretOpens } from './network-secrets.js';
import { reporter } from './progress.js';
import { readVersion } from './version.js';

export interface MaintenanceOptions {
  readonly config: Pick<Config, 'dataDir'>;
  readonly connection: ServerConfig;
  readonly keyRing: KeyRing;
  readonly log: Logger;
}

export interface RunningMaintenance extends Maintenance {
  /** Ends the work that is under way and waits for its end. */
  close(): Promise<void>;
}

export function createMaintenance({ config, connection, keyRing, log }: MaintenanceOptions): RunningMaintenance {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const directory = join(config.dataDir, 'snapshots');

  const withLane = <T>(work: (lane: MaintenanceLane) => Promise<T>): Promise<T> => {
    const done = withMaintenanceLane(connection, closing.signal, work);
    const ended: Promise<void> = done.then(
      () => undefined,
      () => undefined,
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return done;
  };

  // What a controller that was killed left behind. Only who holds the lock writes there.
  if (draftsIn(directory).length > 0) {
    withLane(async () => {
      log.info({ removed: removeDrafts(ownDirectory(directory)) }, 'unfinished snapshots removed');
    }).catch((error: unknown) => {
      log.warn({ err: error }, 'unfinished snapshots could not be removed; the next snapshot tries again');
    });
  }

  const seals: Seals = {
    pki: (record) => keyOpens(record, keyRing),
    secret: (secret) => secretOpens(secret, keyRing),
    webhook: (webhook) => webhookOpens(webhook, keyRing),
    mfa: (mfa) => {
      try {
        openSecret(mfa, keyRing);
        openCodes(mfa, keyRing);
        return true;
      } catch {
        return false;
      }
    },
  };
  const snapshot = async (lane: MaintenanceLane) => {
    const since = performance.now();
    const place = preparePlace(directory);
    await requireSpace(lane, place);
    const file = join(place, `edge-${new Date().toISOString().replaceAll(':', '-')}.snapshot.gz`);
    const result = await takeSnapshot(lane, {
      file,
      release: readVersion().version,
      onProgress: reporter(log, 'a snapshot of the database is being taken'),
    });
    const ms = Math.round(performance.now() - since);
    log.info({ file, bytes: statSync(file).size, ...result, ms }, 'a snapshot of the database was taken');
  };

  return {
    async snapshot() {
      try {
        await withLane(snapshot);
      } catch (error) {
        if (!(error instanceof DomainError && error.kind === 'rateLimited'))
          log.warn({ err: error }, 'the snapshot failed; there is no file of it');
        throw fileFault(error) ?? error;
      }
    },
    checkIntegrity: (isFixing) =>
      new Promise((begun, refused) => {
        withLane(async (lane) => {
          const since = performance.now();
          log.info({ isFixing }, 'a check of data integrity began');
          const onCheck = (check: string, found: number) => {
            log[found > 0 ? 'warn' : 'debug']({ check, found, isFixing }, 'a part of the data integrity was checked');
          };
          const findings = await runChecks(lane, { isFixing, seals, onBegun: begun, onCheck });
          log.info(
            { isFixing, findings, ms: Math.round(performance.now() - since) },
            'the check of data integrity ended',
          );
        }).catch((error: unknown) => {
          if (!(error instanceof DomainError && error.kind === 'rateLimited'))
            log.warn({ err: error }, 'the check of data integrity failed');
          refused(error instanceof Error ? error : new Error(String(error))); // of no effect once it has begun
        });
      }),
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

/** @throws DomainError `unavailable` when it cannot be used, or is not ours alone; the cause is for the log */
function preparePlace(directory: string): string {
  try {
    const place = ownDirectory(directory);
    removeDrafts(place);
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

const FILE_CALLS = new Set(['open', 'write', 'fsync', 'rename', 'statfs', 'stat', 'close', 'unlink']);
