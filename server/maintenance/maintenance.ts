/**
 * Long work on the whole database that this controller was asked for: one piece at a time, over all controllers. It
 * goes on when no request waits for it any more, and ends with the controller.
 */
import { DomainError } from '../../domain/errors.js';
import type { Actor } from '../../db/postgres/attribution.js';
import { withMaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import type { MaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import { runChecks } from '../../db/stores/integrity.js';
import { draftsIn, ownDirectory, removeDrafts } from '../../db/embedded/own-files.js';
import { snapshotsIn } from '../../db/embedded/places.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import type { Maintenance } from '../../handlers/context.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { SNAPSHOT_PROGRESS, reporter } from '../base/progress.js';
import { sealsOf } from '../keys/seals.js';
import { snapshotName, writeSnapshot } from './snapshots.js';

export interface MaintenanceOptions {
  readonly config: Pick<Settings, 'dataDir'>;
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
  const directory = snapshotsIn(config.dataDir);

  const withLane = <T>(work: (lane: MaintenanceLane) => Promise<T>, actor?: Actor): Promise<T> => {
    const done = withMaintenanceLane(connection, closing.signal, work, actor);
    const ended: Promise<void> = done.then(
      () => undefined,
      () => undefined,
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return done;
  };

  // Drafts of a controller that was killed. Only the process that has the lock writes there.
  if (draftsIn(directory).length > 0) {
    withLane(async () => {
      log.info({ removed: removeDrafts(ownDirectory(directory)) }, 'unfinished snapshots removed');
    }).catch((error: unknown) => {
      log.warn({ err: error }, 'unfinished snapshots could not be removed; the next snapshot tries again');
    });
  }

  const seals = sealsOf(keyRing);
  return {
    async snapshot(actor) {
      const onProgress = reporter(log, SNAPSHOT_PROGRESS);
      try {
        await withLane(
          (lane) => writeSnapshot(lane, { directory, name: snapshotName('edge'), onProgress, log }),
          actor,
        );
      } catch (error) {
        if (!(error instanceof DomainError && error.kind === 'rateLimited'))
          log.warn({ err: error }, 'the snapshot failed; there is no file of it');
        throw error;
      }
    },
    checkIntegrity: (isFixing, actor) =>
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
        }, actor).catch((error: unknown) => {
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
