/** Restores a snapshot into the empty database of a configuration. All that can be refused is refused before. */
import type { Logger } from '../base/log.js';
import { restoreInto, verifySnapshot } from '../../db/maintenance/restore.js';
import type { RestoreOptions, Restored } from '../../db/maintenance/restore.js';
import { openKeyRing } from '../keys/bootstrap.js';
import { closeAll } from '../base/closers.js';
import type { Closers } from '../base/closers.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { locateServer } from '../data/database.js';

/** @throws SnapshotError, ConfigError, SchemaError or EmbeddedDatabaseError, each with what to do */
export async function restoreSnapshot(
  config: Settings,
  file: string,
  onProgress: RestoreOptions['onProgress'],
  log: Logger,
): Promise<Restored> {
  const header = await verifySnapshot(file);
  if (openKeyRing(config, true).matches(header.masterKeyCheck) === 'none') {
    throw new ConfigError(
      'The master key is not that of the network in this snapshot, so its keys could not be opened; nothing was ' +
        'changed. Set EDGE_MASTER_KEY or EDGE_MASTER_KEY_FILE to the key of that network, or put its master.key into ' +
        'the data directory.',
    );
  }
  const closers: Closers = [];
  try {
    const abort = new AbortController().signal;
    const connection = await locateServer({ config, log, closers, abort, isRestore: true });
    return await restoreInto(header, { connection, file, onProgress });
  } finally {
    await closeAll(closers, log);
  }
}
