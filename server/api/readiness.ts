/**
 * Whether this controller can do its work, from what is known already: nothing here asks the database, so that a
 * balancer may ask as often as it likes. Details are only given of what is wrong, since anyone may read them.
 */
import { statfsSync } from 'node:fs';
import type { Database } from '../../db/postgres/contracts.js';
import { OUTAGES } from '../../db/postgres/outages.js';
import type { Outage } from '../../db/postgres/outages.js';
import type { OutageLog } from '../base/outage-log.js';

export interface Check {
  readonly id: 'database' | 'writable' | 'feed' | 'pool' | 'certificates' | 'disk';
  readonly healthy: boolean;
  readonly details?: string;
}

export interface Readiness {
  /** Why no requests should be sent here; undefined: all is well. */
  fault(): string | undefined;
  checks(): readonly Check[];
}

export interface ReadinessOptions {
  readonly database: Pick<Database, 'outage' | 'stats'>;
  readonly outages: Pick<OutageLog, 'stopping'>;
  /** How the last sign of life, which is a change in the database, failed. */
  readonly heartbeat: () => Outage | undefined;
  /** Tells whether changes of other controllers are heard. */
  readonly isHearing: () => boolean;
  /** End of each certificate of the network that serves this controller. */
  readonly certificateEnds: () => readonly { readonly name: string; readonly notAfter: Date }[];
  /** The cluster of the embedded database; null with another one. */
  readonly clusterDir: string | null;
}

const DAY_MS = 86_400_000;
/** A server certificate is renewed long before: one that is this close was not. */
const CERTIFICATE_DAYS = 14;
const LEAST_FREE = 0.05;

export function createReadiness(options: ReadinessOptions): Readiness {
  const { database, outages, heartbeat, isHearing, certificateEnds, clusterDir } = options;
  const writingOutage = (): Outage | undefined => {
    const last = heartbeat();
    return outages.stopping() ?? (last !== undefined && OUTAGES[last].stopsChanges ? last : undefined);
  };
  const of = (id: Check['id'], fault: string | undefined): Check =>
    fault === undefined ? { id, healthy: true } : { id, healthy: false, details: fault };
  const callerText = (outage: Outage | undefined) => (outage === undefined ? undefined : OUTAGES[outage].caller);
  return {
    fault: () => callerText(database.outage() ?? writingOutage()),
    checks() {
      const outage = database.outage();
      const isReachable = outage === undefined || !OUTAGES[outage].breaksConnection;
      return [
        of('database', isReachable ? undefined : callerText(outage)),
        of('writable', callerText(outage ?? writingOutage())),
        of(
          'feed',
          isHearing() ? undefined : 'changes by other controllers are not heard; sessions are read from the database',
        ),
        of('pool', database.stats().waiting === 0 ? undefined : 'requests wait for a connection to the database'),
        of('certificates', certificateFault(certificateEnds())),
        ...(clusterDir === null ? [] : [of('disk', diskFault(clusterDir))]),
      ];
    },
  };
}

function certificateFault(ends: ReturnType<ReadinessOptions['certificateEnds']>): string | undefined {
  const soon = ends.find(({ notAfter }) => notAfter.getTime() - Date.now() < CERTIFICATE_DAYS * DAY_MS);
  return soon && `the ${soon.name} certificate ends at ${soon.notAfter.toISOString()}`;
}

function diskFault(directory: string): string | undefined {
  const { bavail, blocks } = statfsSync(directory);
  return bavail / blocks < LEAST_FREE
    ? `the disk of the database has ${Math.floor((100 * bavail) / blocks)} % left`
    : undefined;
}
