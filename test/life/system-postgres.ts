/** A private server of the system's own PostgreSQL, with a password and on TCP, as an operator would give it. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from '../support/poll.js';
import { IS_ROOT, nobody } from '../support/process.js';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'p@ss/w:rd';

export interface SystemPostgres {
  readonly version: number;
  /** Of a new and empty database. */
  newDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** The oldest one that will do: 15 or newer. */
export function systemBinaries(): { directory: string; version: number } | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter((version) => version >= 15) : [];
  const version = versions.sort((a, b) => a - b).find((candidate) => existsSync(join(DEBIAN, String(candidate), 'bin', 'initdb')));
  return version === undefined ? undefined : { version, directory: join(DEBIAN, String(version), 'bin') };
}

/** @param locale  of the cluster, such as `C` or `C.UTF-8` */
export async function startSystemPostgres({ directory, version }: { directory: string; version: number }, locale: string): Promise<SystemPostgres> {
  const place = mkdtempSync(join(tmpdir(), 'edge-system-'));
  const owner = IS_ROOT ? nobody() : undefined;
  if (IS_ROOT && owner === undefined) throw new Error('PostgreSQL does not run as root, and this system has no user nobody');
  const [data, passwordFile] = [join(place, 'data'), join(place, 'password')];
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, PASSWORD);
  if (owner !== undefined) [place, data, passwordFile].forEach((path) => { chownSync(path, owner.uid, owner.gid); });
  chmodSync(place, 0o755);
  await run(join(directory, 'initdb'), ['-D', data, '-U', 'operator', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', `--locale=${locale}`], { cwd: '/', ...owner });
  const port = await freePort();
  const server = spawn(join(directory, 'postgres'), ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${data}`], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...owner });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => { log += text; });
  const ended = new Promise<void>((resolve) => { server.once('close', () => { resolve(); }); });
  const client = () => new pg.Client({ host: '127.0.0.1', port, user: 'operator', password: PASSWORD, database: 'postgres' });
  const query = async (sql: string): Promise<void> => {
    const connection = client();
    try {
      await connection.connect();
      await connection.query(sql);
    } finally {
      await connection.end().catch(() => undefined);
    }
  };
  await until('the system PostgreSQL answers', async () => {
    if (server.exitCode !== null) throw new Error(`it ended: ${log}`);
    return query('SELECT 1').then(() => true, () => false);
  }, 20_000);
  return {
    version,
    async newDatabase(name) {
      await query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
      await query(`CREATE DATABASE ${name} OWNER ${name}`);
      return `postgresql://${name}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      server.kill('SIGINT');
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => { probe.listen(0, '127.0.0.1', resolve); });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => { probe.close(resolve); });
  return port;
}

/** Why there is nothing to test with, for the log. */
export const NO_SYSTEM_POSTGRES = `no PostgreSQL 15 or newer below ${DEBIAN}, and EDGE_TEST_SYSTEM_DATABASE_URL is not set`;
