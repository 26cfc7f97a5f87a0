/** Settings of backups that a controller makes by itself. Part of the table in config.ts; docs/operations/backup.md. */
import { duration, integerBetween, setting } from './setting-kinds.js';

/** Four weeks. */
const RAREST_SECONDS = 2_419_200;

export const BACKUP = {
  backupEvery: setting(
    'backup.every',
    'EDGE_BACKUP_EVERY',
    duration(0, RAREST_SECONDS),
    0,
    'How often one of the controllers of a database takes a snapshot by itself, such as 6h, into `snapshots/` of its ' +
      'data directory; 0s: never.',
  ),
  backupKeep: setting(
    'backup.keep',
    'EDGE_BACKUP_KEEP',
    integerBetween(1, 10_000),
    20,
    'How many of the snapshots that it took by itself are kept. Those that were asked for are never removed.',
  ),
};
