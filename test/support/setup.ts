/**
 * Before the first test: one embedded PostgreSQL server for the whole run, with a migrated template database that
 * every suite clones. After the last: it is stopped and its directory removed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import type { EmbeddedDatabase } from '../../db/embedded/supervisor.js';
import { migrate } from '../../db/migrate.js';
import { CLUSTER_VARIABLE, TEMPLATE, adminQuery } from './database.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let server: EmbeddedDatabase | undefined;
let directory: string | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), 'edge-test-'));
  server = await startEmbeddedPostgres({ dataDir: directory, log: silent, settings: { fsync: 'off', max_connections: '300' } });
  process.env[CLUSTER_VARIABLE] = JSON.stringify(server.connection);
  await adminQuery(`CREATE DATABASE ${TEMPLATE}`);
  await migrate({ ...server.connection, database: TEMPLATE, ssl: false });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await server?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
