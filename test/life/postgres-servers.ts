/**
 * PostgreSQL servers that a test stops, starts, promotes and makes standbys of, as an administrator would; what stands
 * between them and a controller: a pooler, or an address that can be pointed elsewhere. Ended and removed by `end`.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from '../support/poll.js';
import { IS_ROOT, nobody } from '../support/process.js';
import { freePort, systemBinaries } from './system-postgres.js';

const run = promisify(execFile);
const ROLE = 'operator';
const PASSWORD = 'secret';
const DATABASE = 'edge';

export interface PostgresServer {
  readonly port: number;
  readonly dataDir: string;
  readonly url: string;
  query<R extends pg.QueryResultRow>(sql: string): Promise<R[]>;
  start(): Promise<void>;
  /** Fast shutdown: connections are ended, standbys have received everything. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface Forwarder {
  readonly port: number;
  /** Where new connections lead from now on. @param keepsOld  open ones stay where they are, as behind a DNS name */
  pointTo(port: number, keepsOld?: boolean): void;
}

/** The servers of one suite. */
export class PostgresServers {
  readonly #owner = IS_ROOT ? nobody() : undefined;
  readonly #bin: string;
  readonly #place: string;
  readonly #children = new Set<ChildProcess>();
  readonly #forwarders: { server: Server; sockets: Set<Socket> }[] = [];
  #serial = 0;

  /** @throws Error when the system has no PostgreSQL: the test command installs one */
  constructor() {
    this.#bin = systemBinaries().directory;
    this.#place = mkdtempSync(join(tmpdir(), 'edge-servers-'));
    this.#give(this.#place);
    chmodSync(this.#place, 0o755);
  }

  /** A new server with an empty database, running. */
  async primary(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dataDir = this.#directory();
    const passwordFile = this.#file('password', PASSWORD);
    await this.#run('initdb', ['-D', dataDir, '-U', ROLE, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C.UTF-8']);
    const server = await this.#serve(dataDir, { wal_keep_size: '256MB', ...settings });
    const client = new pg.Client({ connectionString: server.url.replace(/[^/]*$/, 'postgres') });
    await client.connect();
    await client.query(`CREATE DATABASE ${DATABASE}`);
    await client.end();
    return server;
  }

  /** A standby of `primary`, running. */
  async standbyOf(primary: PostgresServer, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dataDir = this.#directory();
    await this.#run('pg_basebackup', ['-D', dataDir, '-R', '-X', 'stream', '-c', 'fast', '-d', `postgresql://${ROLE}:${PASSWORD}@127.0.0.1:${primary.port}/postgres`]);
    return this.#serve(dataDir, settings);
  }

  /** PgBouncer before a server, configured by its few required lines alone. @returns the URL through it */
  async pooler(server: PostgresServer, mode: 'session' | 'transaction'): Promise<string> {
    const port = await freePort();
    const users = this.#file('users.txt', `"${ROLE}" "${PASSWORD}"\n`);
    const ini = this.#file('pgbouncer.ini', `[databases]
${DATABASE} = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
unix_socket_dir =
default_pool_size = 60
`);
    const child = this.#spawn('/usr/sbin/pgbouncer', ['-q', ini]);
    const url = server.url.replace(/:\d+\//, `:${port}/`);
    await until('the pooler answers', async () => {
      if (child.exitCode !== null) throw new Error('the pooler ended: is pgbouncer installed (Debian: apt-get install pgbouncer)?');
      return isAnswering(url);
    });
    return url;
  }

  /** An address that leads to a server and can be moved, as a DNS name, a virtual address or a proxy is. */
  async forwarder(port: number): Promise<Forwarder> {
    const sockets = new Set<Socket>();
    let target = port;
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [socket, other] of [[near, far], [far, near]] as const) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => { sockets.delete(socket); other.destroy(); });
      }
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    this.#forwarders.push({ server, sockets });
    return {
      port: (server.address() as AddressInfo).port,
      pointTo(next, keepsOld = false) {
        target = next;
        if (!keepsOld) for (const socket of sockets) socket.destroy();
      },
    };
  }

  async end(): Promise<void> {
    for (const { server, sockets } of this.#forwarders) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
    await Promise.all([...this.#children].map(async (child) => {
      child.kill('SIGCONT');
      child.kill('SIGQUIT');
      await ended(child);
    }));
    rmSync(this.#place, { recursive: true, force: true });
  }

  #directory(): string {
    const directory = join(this.#place, `data-${this.#serial += 1}`);
    mkdirSync(directory, { mode: 0o700 });
    this.#give(directory);
    return directory;
  }

  #file(name: string, content: string): string {
    const file = join(this.#place, `${this.#serial += 1}-${name}`);
    writeFileSync(file, content, { mode: 0o600 });
    this.#give(file);
    return file;
  }

  #give(path: string): void {
    if (this.#owner !== undefined) chownSync(path, this.#owner.uid, this.#owner.gid);
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    await run(join(this.#bin, program), args, { cwd: '/', ...this.#owner });
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { cwd: '/', stdio: 'ignore', ...this.#owner });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  async #serve(dataDir: string, settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
    const port = await freePort();
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port), fsync: 'off', ...settings };
    const args = ['-D', dataDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const url = `postgresql://${ROLE}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`;
    let child: ChildProcess | undefined;
    const start = async () => {
      const fresh = child = this.#spawn(join(this.#bin, 'postgres'), args);
      await until('the server answers', async () => {
        if (fresh.exitCode !== null) throw new Error(`the server in ${dataDir} ended with code ${fresh.exitCode}`);
        return isAnswering(url.replace(/[^/]*$/, 'postgres'));
      }, 20_000);
    };
    await start();
    return {
      port, dataDir, url, start,
      async query<R extends pg.QueryResultRow>(sql: string) {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        try {
          return (await client.query<R>(sql)).rows;
        } finally {
          await client.end();
        }
      },
      async stop() {
        if (child === undefined) return;
        child.kill('SIGINT');
        await ended(child);
      },
      kill: (signal) => { child?.kill(signal); },
    };
  }
}

const ended = (child: ChildProcess) => until('the process ends', () => child.exitCode !== null || child.signalCode !== null);

async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
