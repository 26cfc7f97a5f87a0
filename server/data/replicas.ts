/** Servers that settings name by connection URLs: the database, and standbys that answer its long reads. */
import { ConnectionUrlError, parseConnectionUrl } from '../../db/postgres/connection-url.js';
import type { ReplicaChoice } from '../../db/postgres/long-reads.js';
import { reasonOf } from '../../db/postgres/outages.js';
import type { ReplicaState } from '../../db/postgres/replicas/replica.js';
import { serversOf } from '../../db/postgres/servers.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { Logger } from '../base/log.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';

/** @param isReplica  it must be a standby. @throws ConfigError */
export function externalServers(variable: string, url: string, isReplica = false): ServerConfig {
  try {
    return serversOf(parseConnectionUrl(url), !isReplica);
  } catch (error) {
    if (!(error instanceof ConnectionUrlError)) throw error;
    throw new ConfigError(`${variable} ${error.message}.`, { cause: error });
  }
}

const LEFT: Readonly<Record<Exclude<ReplicaState, 'usable'>, string>> = {
  behind: 'a replica is behind: the primary answers in its place until it has caught up',
  other:
    'a replica is no standby of the database, or not on its timeline: the primary answers in its place. ' +
    'Correct EDGE_DATABASE_REPLICAS, or let it follow the primary',
  lost: 'a replica does not answer: the primary answers in its place until it is back',
};

/** @throws ConfigError */
export function replicaChoice(config: Settings, log: Logger): ReplicaChoice {
  const { databaseUrl, databaseReplicas, databaseReplicaWait } = config;
  if (databaseUrl === null && databaseReplicas.length > 0)
    throw new ConfigError('EDGE_DATABASE_REPLICAS needs DATABASE_URL: the embedded database has no standbys.');
  const servers = databaseReplicas.map((url, index) => {
    const connection = externalServers('EDGE_DATABASE_REPLICAS', url, true);
    return { name: connection.servers?.place ?? String(index + 1), connection };
  });
  return {
    servers,
    waitMs: databaseReplicaWait * 1000,
    onChange: (replica, state, cause) => {
      if (state === 'usable') log.info({ replica }, 'a replica answers long reads');
      else log.warn({ replica, state, ...(cause === undefined ? {} : { reason: reasonOf(cause) }) }, LEFT[state]);
    },
  };
}
