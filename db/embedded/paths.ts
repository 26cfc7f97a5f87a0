/** Paths of the files in a data directory. */
import { join } from 'node:path';

export const clusterIn = (dataDir: string): string => join(dataDir, 'postgres');
/** The key that a first start makes; a setting may give another. */
export const masterKeyIn = (dataDir: string): string => join(dataDir, 'master.key');
/** Password of the first administrator, made at the first start. */
export const adminPasswordIn = (dataDir: string): string => join(dataDir, 'admin-password');
export const snapshotsIn = (dataDir: string): string => join(dataDir, 'snapshots');
