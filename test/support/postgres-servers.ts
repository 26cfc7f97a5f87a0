/**
 * PostgreSQL servers that are stopped, started, promoted and made standbys of, as an administrator would; and what is
 * between them and a controller: a pooler, or an address that can be pointed elsewhere. Ended with their stage.
 */
import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterProcesses, signalProcess } from '../../db/embedded/processes.js';
import { until } from './poll.js';
import { MissingPrograms, PGBOUNCER, findPostgres } from './programs.js';
import { freePort } from './ports.js';
import { Stage, hasEnded } from './stage.js';

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
  /** Immediate shutdown: it recovers when it is started. */
  crash(): Promise<void>;
  /** To every process of it: SIGKILL is the end of its machine, SIGSTOP and SIGCONT are a machine that hangs. */
  signal(signal: NodeJS.Signals): void;
  /** Stopped, and made to start as a standby of no server. What it has not received it never will. */
  demote(): void;
  /** Resolves once it takes writes. */
  promote(): Promise<void>;
}

export interface Forwarder {
  readonly port: number;
  /** Where new connections lead from now on. @param keepsOld  open ones stay where they are, as behind a DNS name */
  pointTo(port: number, keepsOld?: boolean): void;
}

/** The servers of one suite, or of one drill. */
export class PostgresServers {
  readonly #bin: string;
  /** Each with its data directory. */
  readonly #servers = new Map<ChildProcess, string>();
  readonly #forwarders: { server: Server; sockets: Set<Socket> }[] = [];
  #serial = 0;

  /** @throws MissingPrograms when the system has no PostgreSQL: the test command installs one */
  constructor(private readonly stage = new Stage(false)) {
    const directory = findPostgres();
    if (directory === undefined) throw new MissingPrograms(['postgresql']);
    this.#bin = directory;
    stage.beforeEnd(() => this.#stop());
  }

  /** A new server with an empty database, running. */
  async primary(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dataDir = this.stage.cluster(this.#name('data'));
    const passwordFile = this.stage.file(this.#name('password'), PASSWORD);
    const login = ['-U', ROLE, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await this.#run('initdb', ['-D', dataDir, ...login, '--encoding=UTF8', '--locale=C.UTF-8']);
    const server = await this.#serve(dataDir, { wal_keep_size: '256MB', ...settings });
    const client = new pg.Client({ connectionString: server.url.replace(/[^/]*$/, 'postgres') });
    await client.connect();
    await client.query(`CREATE DATABASE ${DATABASE}`);
    await client.end();
    return server;
  }

  /** A standby of `primary`, running. */
  async standbyOf(primary: PostgresServer, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dataDir = this.stage.cluster(this.#name('data'));
    const from = primary.url.replace(/[^/]*$/, 'postgres');
    await this.#run('pg_basebackup', ['-D', dataDir, '-R', '-X', 'stream', '-c', 'fast', '-d', from]);
    return this.#serve(dataDir, settings);
  }

  /** PgBouncer before a server, configured by its few required lines alone. @returns the URL through it */
  async pooler(server: PostgresServer, mode: 'session' | 'transaction'): Promise<string> {
    const port = await freePort();
    const users = this.stage.file(this.#name('users.txt'), `"${ROLE}" "${PASSWORD}"\n`);
    const ini = this.stage.file(
      this.#name('pgbouncer.ini'),
      `[databases]
${DATABASE} = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
unix_socket_dir =
default_pool_size = 60
`,
    );
    const child = this.stage.run(this.#name('pgbouncer'), PGBOUNCER, ['-q', ini]);
    const url = server.url.replace(/:\d+\//, `:${port}/`);
    await until('the pooler answers', async () => {
      if (hasEnded(child)) throw new MissingPrograms(['pgbouncer']);
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
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    this.#forwarders.push({ server, sockets });
    return {
      port: (server.address() as AddressInfo).port,
      pointTo(next, keepsOld = false) {
        target = next;
        if (!keepsOld) for (const socket of sockets) socket.destroy();
      },
    };
  }

  end(): Promise<void> {
    return this.stage.end();
  }

  /** In good order: a server that is killed leaves its shared memory behind. */
  async #stop(): Promise<void> {
    for (const { server, sockets } of this.#forwarders) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
    await Promise.all(
      [...this.#servers]
        .filter(([child]) => !hasEnded(child))
        .map(async ([child, dataDir]) => {
          clusterProcesses(dataDir).forEach((pid) => {
            signalProcess(pid, 'SIGCONT');
          });
          child.kill('SIGQUIT');
          await ended(child);
        }),
    );
  }

  #name(what: string): string {
    return `${(this.#serial += 1)}-${what}`;
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const { place, environment, account } = this.stage;
    const running = run(join(this.#bin, program), args, { cwd: place, env: environment, ...account });
    this.stage.adopt(running.child);
    await running;
  }

  async #serve(dataDir: string, settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
    const port = await freePort();
    const ours = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
    const all = { ...ours, fsync: 'off', ...settings };
    const args = ['-D', dataDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const url = `postgresql://${ROLE}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`;
    let child: ChildProcess | undefined;
    const name = this.#name('server');
    const start = async () => {
      const fresh = (child = this.stage.run(name, join(this.#bin, 'postgres'), args));
      this.#servers.set(fresh, dataDir);
      await until(
        'the server answers',
        async () => {
          if (hasEnded(fresh))
            throw new Error(`the server in ${dataDir} ended: ${this.stage.logOf(name).slice(-1_000)}`);
          return isAnswering(url.replace(/[^/]*$/, 'postgres'));
        },
        20_000,
      );
    };
    const halt = async (signal: NodeJS.Signals) => {
      if (child === undefined) return;
      child.kill(signal);
      await ended(child);
    };
    const query = async <R extends pg.QueryResultRow>(sql: string) => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<R>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    await start();
    return {
      port,
      dataDir,
      url,
      start,
      query,
      stop: () => halt('SIGINT'),
      crash: () => halt('SIGQUIT'),
      signal: (signal) => {
        clusterProcesses(dataDir).forEach((pid) => {
          signalProcess(pid, signal);
        });
      },
      demote: () => {
        this.stage.file(join(relative(this.stage.place, dataDir), 'standby.signal'), '');
      },
      async promote() {
        await query('SELECT pg_promote()');
        const isStandby = async () => (await query<{ on: boolean }>('SELECT pg_is_in_recovery() AS on'))[0]?.on;
        await until('the promoted server takes writes', async () => (await isStandby()) === false);
      },
    };
  }
}

const ended = (child: ChildProcess) => until('the process ends', () => hasEnded(child));

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
