/** Settings of the database and of its connections. Part of the table in config.ts. */
import { databaseUrl, duration, integerBetween, listSetting, orNone, replicaUrl, setting } from './setting-kinds.js';

export const DATABASE_SETTINGS = {
  databaseUrl: setting(
    'database.url',
    'DATABASE_URL',
    orNone(databaseUrl),
    null,
    'PostgreSQL 15 or newer to use, as a connection URL of libpq; several hosts with commas are tried in their ' +
      'order until one takes writes. Unset: an embedded server in the data directory.',
    true,
  ),
  databaseReplicas: setting(
    'database.replicas',
    'EDGE_DATABASE_REPLICAS',
    listSetting(replicaUrl),
    [] as readonly string[],
    'Standbys of that PostgreSQL, as connection URLs of one server each, that answer long lists, explanations, the ' +
      'audit and exports while they keep up.',
    true,
  ),
  databaseReplicaWait: setting(
    'database.replicaWait',
    'EDGE_DATABASE_REPLICA_WAIT',
    duration(0, 10),
    0.1,
    'How long such a read waits for a standby to come to what was written before it. One that takes longer is left, ' +
      'and the primary answers.',
  ),
  databasePoolSize: setting(
    'database.poolSize',
    'EDGE_DATABASE_POOL_SIZE',
    integerBetween(4, 500),
    20,
    'Most connections that this controller opens for requests; half of them are for lists, and of those at most 4 ' +
      'for lists without limit.',
  ),
  databasePatience: setting(
    'database.patience',
    'EDGE_DATABASE_PATIENCE',
    duration(0.2, 60),
    1.5,
    'How long the database may be silent before requests are answered 503.',
  ),
  databaseStartPatience: setting(
    'database.startPatience',
    'EDGE_DATABASE_START_PATIENCE',
    duration(0, 86_400),
    60,
    'How long a start waits for a database that cannot be reached, is starting up, only reads, or has no connection ' +
      'left. What waiting does not mend, such as a wrong password, ends it at once.',
  ),
};
