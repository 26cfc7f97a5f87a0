/** Room on the disk of the data directory, and the latest of its snapshots. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotsIn } from '../../db/embedded/paths.js';
import { failed, passed, warning } from './finding.js';
import type { Finding } from './finding.js';
import type { Settings } from '../settings/config.js';

const MIB = 1024 * 1024;
const LEAST_MIB = 128;
const FEW_MIB = 1024;

export function examineDisk({ dataDir }: Pick<Settings, 'dataDir'>): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = Math.floor((bavail * bsize) / MIB);
  const message = `${free.toLocaleString('en')} MiB are free on the disk of ${dataDir}`;
  const fix = 'Free space on it or enlarge it; EDGE_BACKUP_KEEP bounds scheduled backups.';
  if (free < LEAST_MIB) return failed('disk', `Only ${message}.`, fix);
  return free < FEW_MIB ? warning('disk', `Only ${message}.`, fix) : passed('disk', `${message}.`);
}

/** When the latest snapshot in the data directory was made; null for none. */
export function latestSnapshotAt(dataDir: string): Date | null {
  const directory = snapshotsIn(dataDir);
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.snapshot.gz'));
  } catch {
    return null;
  }
  let latest: Date | null = null;
  for (const name of names) {
    const { mtime } = statSync(join(directory, name), { throwIfNoEntry: false }) ?? { mtime: null };
    if (mtime !== null && (latest === null || mtime > latest)) latest = mtime;
  }
  return latest;
}
