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
import { snapshotsIn } from '../../db/embedded/paths.js';
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

export class RunningMaintenance implements Maintenance {
  readonly #connection: ServerConfig;
  readonly #directory: string;
  readonly #seals: ReturnType<typeof sealsOf>;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor({ config, connection, keyRing, log }: MaintenanceOptions) {
    this.#connection = connection;
    this.#directory = snapshotsIn(config.dataDir);
    this.#seals = sealsOf(keyRing);
    this.#log = log;
    this.#removeDrafts();
  }

  async snapshot(actor: Actor | undefined): Promise<string> {
    const [directory, log] = [this.#directory, this.#log];
    const onProgress = reporter(log, SNAPSHOT_PROGRESS);
    try {
      const { file } = await this.#withLane(
        (lane) => writeSnapshot(lane, { directory, name: snapshotName('edge'), onProgress, log }),
        actor,
      );
      return file;
    } catch (error) {
      this.#warn(error, 'the snapshot failed; there is no file of it');
      throw error;
    }
  }

  checkIntegrity(isFixing: boolean, actor: Actor | undefined): Promise<void> {
    return new Promise((begun, refused) => {
      this.#withLane((lane) => this.#check(lane, isFixing, begun), actor).catch((error: unknown) => {
        this.#warn(error, 'the check of data integrity failed');
        refused(error instanceof Error ? error : new Error(String(error))); // of no effect once it has begun
      });
    });
  }

  /** Ends the work that is under way and waits for its end. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  async #check(lane: MaintenanceLane, isFixing: boolean, onBegun: () => void): Promise<void> {
    const log = this.#log;
    const since = performance.now();
    log.info({ isFixing }, 'a check of data integrity began');
    const onCheck = (check: string, found: number) => {
      log[found > 0 ? 'warn' : 'debug']({ check, found, isFixing }, 'a part of the data integrity was checked');
    };
    const findings = await runChecks(lane, { isFixing, seals: this.#seals, onBegun, onCheck });
    log.info({ isFixing, findings, ms: Math.round(performance.now() - since) }, 'the check of data integrity ended');
  }

  /** Removes the drafts of a controller that was killed. Only the process that has the lock writes there. */
  #removeDrafts(): void {
    const directory = this.#directory;
    if (draftsIn(directory).length === 0) return;
    this.#withLane(async () => {
      this.#log.info({ removed: removeDrafts(ownDirectory(directory)) }, 'unfinished snapshots removed');
    }).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'unfinished snapshots could not be removed; the next snapshot tries again');
    });
  }

  #withLane<T>(work: (lane: MaintenanceLane) => Promise<T>, actor?: Actor): Promise<T> {
    const done = withMaintenanceLane(this.#connection, this.#closing.signal, work, actor);
    const ended: Promise<void> = done.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return done;
  }

  /** Says nothing of work that was refused because other work is under way. */
  #warn(error: unknown, message: string): void {
    if (error instanceof DomainError && error.kind === 'rateLimited') return;
    this.#log.warn({ err: error }, message);
  }
}
