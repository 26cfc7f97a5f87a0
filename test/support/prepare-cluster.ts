/** Makes the embedded PostgreSQL of a data directory, with the schema of this release and no network. */
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import { migrate } from '../../db/schema/migrate.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const server = await startEmbeddedPostgres({
  dataDir: String(process.argv[2]),
  log: silent,
  settings: { fsync: 'off' },
});
await migrate(server.connection);
await server.stop();
