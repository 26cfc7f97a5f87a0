import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How often PostgreSQL ended a circle of changes that waited for each other, by the log of the embedded server.
 * @param dataDir  the controller's, in which that log is
 */
export const deadlocksIn = (dataDir: string): number =>
  ['postgres.log', 'postgres.log.1']
    .map((name) => join(dataDir, name))
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('deadlock detected').length - 1, 0);
