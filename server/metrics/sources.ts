/** Sources of the metrics: each part of this process reports its own numbers. */
import type { Server } from 'node:net';
import type { Database } from '../../db/postgres/contracts.js';
import type { EntityCounts } from '../../db/stores/summary.js';
import type { PasswordHasher } from '../../domain/auth/passwords.js';
import type { CacheUse } from '../../domain/cache-use.js';
import type { Fabric, FabricCounts } from '../../fabric/fabric.js';
import type { Context } from '../../handlers/context.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';
import type { InFlight } from '../api/app.js';
import type { ChangeFeed } from '../changes/change-feed.js';
import type { Settings } from '../settings/config.js';
import { holdsRouters } from '../sockets/handoff.js';
import type { Readiness, ReadinessOptions } from '../api/readiness.js';
import type { RequestCounts } from '../http/request-counts.js';
import type { LoginTurns } from '../sessions/login-turns.js';

export interface Sources {
  readonly build: {
    readonly version: string;
    readonly revision: string;
    readonly poolSize: number;
  };
  readonly requests: RequestCounts;
  readonly inFlight: () => number;
  readonly connections: () => Promise<number>;
  readonly hashing: () => PasswordHasher['load'];
  readonly logins: () => LoginTurns['load'];
  readonly database: Pick<Database, 'isUp' | 'stats' | 'load' | 'replicas' | 'statements'>;
  /** Empty when the database does not say in time. */
  readonly entities: () => Promise<EntityCounts>;
  readonly feed: Pick<ChangeFeed, 'lagMs' | 'heard'> & { readonly isHearing: () => boolean };
  readonly caches: Readonly<Record<string, () => CacheUse>>;
  readonly fabric: () => FabricCounts;
  readonly readiness: Readiness;
  readonly certificateEnds: ReadinessOptions['certificateEnds'];
}

/** Parts that a start has opened. */
export interface Parts {
  readonly config: Settings;
  readonly database: Database;
  readonly passwords: PasswordHasher;
  readonly apiSessions: ApiSessionRegistry;
  readonly fabric: Fabric;
  readonly feed: ChangeFeed;
  readonly isHearing: () => boolean;
  readonly context: Pick<Context, 'stores' | 'responseCache' | 'elementCache' | 'version'>;
  readonly readiness: Readiness;
  readonly certificateEnds: ReadinessOptions['certificateEnds'];
  readonly inFlight: InFlight;
  readonly loginTurns: LoginTurns;
  /** Server for HTTPS. */
  readonly server: Server;
}

/** Entities are asked of the database, and of several workers one asks. */
const ENTITIES_MS = 1_000;

export function sourcesOf(parts: Parts, requests: RequestCounts): Sources {
  const { config, database, passwords, apiSessions, fabric, feed, isHearing, context } = parts;
  const { inFlight, loginTurns, server } = parts;
  const { responseCache, elementCache, stores, version } = context;
  return {
    build: {
      version: version.version,
      revision: version.revision,
      poolSize: config.databasePoolSize,
    },
    requests,
    inFlight: () => inFlight.exchanges.size,
    connections: () =>
      new Promise((resolve) => {
        server.getConnections((error, count) => {
          resolve(error === null ? count : 0);
        });
      }),
    hashing: () => passwords.load,
    logins: () => loginTurns.load,
    database,
    entities: async () =>
      holdsRouters() && database.isUp() ? inTime(stores.summary.counts(), ENTITIES_MS) : new Map(),
    feed: { lagMs: () => feed.lagMs(), heard: () => feed.heard(), isHearing },
    caches: {
      api_sessions: () => apiSessions.use,
      answers: () => responseCache.use,
      element_texts: () => elementCache.use,
    },
    fabric: fabric.counts,
    readiness: parts.readiness,
    certificateEnds: parts.certificateEnds,
  };
}

/** Empty when it fails, or takes longer: other numbers must not wait for it. */
async function inTime(work: Promise<EntityCounts>, ms: number): Promise<EntityCounts> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<EntityCounts>((resolve) => {
    timer = setTimeout(() => {
      resolve(new Map());
    }, ms);
  });
  try {
    return await Promise.race([work.catch(() => new Map<string, number>()), late]);
  } finally {
    clearTimeout(timer);
  }
}
