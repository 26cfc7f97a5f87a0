/**
 * Before the first test: one embedded PostgreSQL server for the whole run, with a migrated template database that
 * every suite clones. After the last: it is stopped and its directory removed. After each suite: nothing of it is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import type { EmbeddedDatabase } from '../../db/embedded/supervisor.js';
import { migrate } from '../../db/schema/migrate.js';
import { CLUSTER_VARIABLE, TEMPLATE, adminQuery, closeAdministrator } from './database.js';
import { leftovers, whatIsOpen } from './leftovers.js';
import { useMemory } from './memory.js';
import { until } from './poll.js';

useMemory(); // before any suite asks for the temporary directory

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Nothing here outlives its server, and no standby follows it: PostgreSQL need not write what is for those. */
const FORGETFUL = { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' };

let server: EmbeddedDatabase | undefined;
let directory: string | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), 'edge-test-'));
  server = await startEmbeddedPostgres({
    dataDir: directory,
    log: silent,
    settings: { ...FORGETFUL, max_connections: '300' },
  });
  process.env[CLUSTER_VARIABLE] = JSON.stringify(server.connection);
  await adminQuery(`CREATE DATABASE ${TEMPLATE}`);
  await migrate({ ...server.connection, database: TEMPLATE, ssl: false });
}

export async function mochaGlobalTeardown(): Promise<void> {
  await closeAdministrator();
  await server?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

/** Sockets close, timers end and servers stop in their own time, on a busy machine too. */
const LEFTOVER_DEADLINE_MS = 20_000;

export const mochaHooks = {
  /** Gives every suite of every file a last hook, which fails when the suite leaves something behind. */
  async beforeAll(this: Mocha.Context): Promise<void> {
    process.stdout.write('');
    process.stderr.write('');
    let before = await whatIsOpen();
    for (const suite of this.test?.parent?.suites ?? [])
      suite.afterAll('leaves no connection, timer, server or process behind', async function check() {
        this.timeout(2 * LEFTOVER_DEADLINE_MS);
        let now: string[] = [];
        const isClean = async () => leftovers(before, (now = await whatIsOpen())).length === 0;
        await until('nothing is left', isClean, LEFTOVER_DEADLINE_MS).catch(() => {
          const left = leftovers(before, now);
          before = now; // the next suite is not to blame
          throw new Error(`left behind:\n${left.join('\n')}`);
        });
      });
  },
};
