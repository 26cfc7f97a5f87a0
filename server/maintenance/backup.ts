/** A snapshot that an operator asks for at the command line. */
import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { snapshotsIn } from '../../db/embedded/paths.js';
import { withMaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { withNetwork } from '../data/network-access.js';
import { operator } from '../data/operator.js';
import { snapshotName, writeSnapshot } from './snapshots.js';
import type { WrittenSnapshot } from './snapshots.js';

/**
 * @param target  a new file, or a directory that exists; undefined for that of all snapshots
 * @throws as `withNetwork` and `writeSnapshot`; DomainError `rateLimited` while other work on the database is under way
 */
export async function backUpInto(
  config: Settings,
  target: string | undefined,
  onProgress: (table: string, rows: number) => void,
  log: Logger,
): Promise<WrittenSnapshot> {
  const place = placeOf(config, target === undefined ? undefined : resolve(target));
  const signal = new AbortController().signal;
  return withNetwork(config, log, ({ connection }) =>
    withMaintenanceLane(connection, signal, (lane) => writeSnapshot(lane, { ...place, onProgress, log }), {
      ...operator(),
      controller: config.name,
    }),
  );
}

function placeOf(config: Settings, target: string | undefined) {
  const name = snapshotName('edge');
  if (target === undefined) return { directory: snapshotsIn(config.dataDir), name };
  const isDirectory = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory
    ? { directory: target, name, isShared: true }
    : { directory: dirname(target), name: basename(target), isShared: true };
}
