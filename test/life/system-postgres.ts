/** A private server of the system's own PostgreSQL, with a password and on TCP, as an operator would give it. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { IS_ROOT, nobody } from '../support/process.js';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'p@ss/w:rd';

export interface SystemPostgres {
  readonly version: number;
  readonly port: number;
  /** Of a new and empty database. */
  newDatabase(name: string): Promise<string>;
  /** As the superuser, in a database of this server. */
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  /** A standby that follows this server. */
  startStandby(): Promise<SystemPostgres>;
  stop(): Promise<void>;
}

/** The oldest one that will do: 15 or newer. @throws Error when there is none; the test command installs it */
export function systemBinaries(): { directory: string; version: number } {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const version = versions
    .sort((a, b) => a - b)
    .find((candidate) => existsSync(join(DEBIAN, String(candidate), 'bin', 'initdb')));
  if (version === undefined)
    throw new Error(`no PostgreSQL 15 or newer below ${DEBIAN}: install it (Debian: apt-get install postgresql)`);
  return { version, directory: join(DEBIAN, String(version), 'bin') };
}

export interface Binaries {
  readonly directory: string;
  readonly version: number;
}

/**
 * @param locale  of the cluster, such as `C` or `C.UTF-8`
 * @param files   put into the data directory, readable by the server alone
 */
export async function startSystemPostgres(
  binaries: Binaries,
  locale: string,
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<SystemPostgres> {
  const { directory } = binaries;
  const place = mkdtempSync(join(tmpdir(), 'edge-system-'));
  const owner = IS_ROOT ? nobody() : undefined;
  if (IS_ROOT && owner === undefined)
    throw new Error('PostgreSQL does not run as root, and this system has no user nobody');
  const [data, passwordFile] = [join(place, 'data'), join(place, 'password')];
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, PASSWORD);
  if (owner !== undefined)
    [place, data, passwordFile].forEach((path) => {
      chownSync(path, owner.uid, owner.gid);
    });
  chmodSync(place, 0o755);
  await run(
    join(directory, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'operator',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      `--locale=${locale}`,
    ],
    { cwd: '/', ...owner },
  );
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    if (owner !== undefined) chownSync(join(data, name), owner.uid, owner.gid);
  }
  return runServer({ binaries, place, data, settings, owner });
}

interface Cluster {
  readonly binaries: Binaries;
  readonly place: string;
  readonly data: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

async function runServer({ binaries, place, data, settings, owner }: Cluster): Promise<SystemPostgres> {
  const { directory, version } = binaries;
  const port = await freePort();
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(
    join(directory, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${data}`,
      ...options,
    ],
    { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...owner },
  );
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<void>((resolve) => {
    server.once('close', () => {
      resolve();
    });
  });
  const query = async (sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> => {
    const connection = new pg.Client({ host: '127.0.0.1', port, user: 'operator', password: PASSWORD, database });
    connection.on('error', () => undefined);
    try {
      await connection.connect();
      return (await connection.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await connection.end().catch(() => undefined);
    }
  };
  await until(
    'the system PostgreSQL answers',
    async () => {
      if (server.exitCode !== null) throw new Error(`it ended: ${log}`);
      return query('SELECT 1').then(
        () => true,
        () => false,
      );
    },
    20_000,
  );
  return {
    version,
    port,
    query,
    async startStandby() {
      const copy = mkdtempSync(join(tmpdir(), 'edge-standby-'));
      if (owner !== undefined) chownSync(copy, owner.uid, owner.gid);
      const backup = join(copy, 'data');
      await run(
        join(directory, 'pg_basebackup'),
        ['-h', '127.0.0.1', '-p', String(port), '-U', 'operator', '-D', backup, '-R', '-X', 'stream', '-c', 'fast'],
        {
          cwd: '/',
          env: { PGPASSWORD: PASSWORD, PATH: process.env['PATH'] },
          ...owner,
        },
      );
      return runServer({ binaries, place: copy, data: backup, settings, owner });
    },
    async newDatabase(name) {
      await query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
      await query(`CREATE DATABASE ${name} OWNER ${name}`);
      return `postgresql://${name}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      server.kill('SIGINT'); // fast; a server that is paused ends when it goes on
      server.kill('SIGCONT');
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}
