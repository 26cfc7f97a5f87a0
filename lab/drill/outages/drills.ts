/** All drills of outages by name, in the order in which they run. */
import { connectionLimit, starts, transactionPooler } from './connections.js';
import { controllerKilled, rollingRestart, sessionEnds } from './controllers.js';
import { fullDisk, hang, lock, restart } from './database.js';
import type { Ground } from './ground.js';
import type { Row } from './load.js';
import { failover, standbyGone } from './standby.js';

export type Drill = (ground: Ground) => Promise<readonly Row[]>;

export const DRILLS: Readonly<Record<string, Drill>> = {
  'restart-fast': (ground) => restart(ground, 'fast'),
  'restart-immediate': (ground) => restart(ground, 'immediate'),
  'hang': hang,
  'lock': lock,
  'full-disk': fullDisk,
  'failover': failover,
  'standby-gone': standbyGone,
  'rolling-restart': rollingRestart,
  'controller-killed': controllerKilled,
  'session-ends': sessionEnds,
  'starts': starts,
  'pooler': transactionPooler,
  'connection-limit': connectionLimit,
};
