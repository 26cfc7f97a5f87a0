/** What the drills of outages run on: servers, controllers and accounts, some of them shared by several drills. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { newMasterKey } from '../../../domain/pki/master-key.js';
import { ApiClient } from '../../bench/api-client.js';
import { endOf, launchController } from '../../controller-process.js';
import { startBalancer } from '../../../test/support/ready-balancer.js';
import type { Balancer } from '../../../test/support/ready-balancer.js';
import { STORED } from '../measure.js';
import type { Stored } from '../measure.js';
import { until } from '../../../test/support/poll.js';
import { PostgresServers } from '../../../test/support/postgres-servers.js';
import type { PostgresServer } from '../../../test/support/postgres-servers.js';
import { freePorts } from '../../../test/support/ports.js';
import type { Stage } from '../../../test/support/stage.js';

/** More than any drill has writers, readers and lookers: no request waits for a socket. */
export const SOCKETS = { maxSockets: 64 };
/** As in production: a commit is on disk before it is acknowledged. */
const ON_DISK = { fsync: 'on', max_connections: '200' };
const LAME_DUCK = '2s';
const HEALTHY_MS = 30_000;

export interface Controller {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
  readonly startMs: number;
  /** Without a session. */
  readonly client: ApiClient;
  readonly admin: ApiClient;
}

export interface Pair {
  readonly balancer: Balancer;
  readonly databaseUrl: string;
  readonly controllers: () => readonly [Controller, Controller];
  /** Starts one of them that has ended at its port, and waits until it gets connections. */
  restart(index: 0 | 1): Promise<void>;
}

export class Ground {
  readonly servers: PostgresServers;
  readonly credentials = { username: 'admin', password: randomBytes(18).toString('base64url') };
  readonly #masterKey = newMasterKey();

  constructor(
    readonly stage: Stage,
    readonly say: (text: string) => void,
  ) {
    this.servers = new PostgresServers(stage);
  }

  /** A server of its own, which the drills with one controller share. */
  readonly primary = once(() => this.servers.primary(ON_DISK));
  readonly single = once(async () => {
    const primary = await this.primary();
    return { primary, controller: await this.controller('single', { DATABASE_URL: primary.url }) };
  });
  readonly pair = once(() => this.#pair());

  /** A primary that waits for its standby. */
  async replicated(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
    const primary = await this.servers.primary(ON_DISK);
    const standby = await this.servers.standbyOf(primary, ON_DISK);
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.query('SELECT pg_reload_conf()');
    return { primary, standby };
  }

  /** Another database of the shared server. @returns its URL */
  async database(name: string): Promise<string> {
    const primary = await this.primary();
    await primary.query(`CREATE DATABASE ${name}`);
    return primary.url.replace(/[^/]*$/, name);
  }

  async controller(name: string, env: Readonly<Record<string, string>>): Promise<Controller> {
    const launched = await launchController({
      logFile: join(this.stage.place, `controller-${name}.log`),
      onChild: (child) => {
        this.stage.adopt(child);
      },
      env: {
        EDGE_NAME: name,
        EDGE_DATA_DIR: join(this.stage.place, `controller-${name}`),
        EDGE_MASTER_KEY: this.#masterKey,
        EDGE_ADMIN_USERNAME: this.credentials.username,
        EDGE_ADMIN_PASSWORD: this.credentials.password,
        ...env,
      },
    });
    const client = new ApiClient(launched.url, undefined, SOCKETS);
    const { token } = await client.login(this.credentials.username, this.credentials.password);
    return { name, ...launched, client, admin: new ApiClient(launched.url, token, SOCKETS) };
  }

  async #pair(): Promise<Pair> {
    const databaseUrl = await this.database('pair');
    const ports = await freePorts(2);
    const start = (index: 0 | 1) =>
      this.controller(`pair-${index}`, {
        DATABASE_URL: databaseUrl,
        EDGE_LISTEN: `127.0.0.1:${ports[index] ?? 0}`,
        EDGE_LIMIT_LAME_DUCK: LAME_DUCK,
      });
    const controllers: [Controller, Controller] = [await start(0), await start(1)];
    const balancer = await startBalancer(ports);
    this.stage.beforeEnd(async () => {
      balancer.close();
    });
    const both = () => until('the balancer uses both controllers', () => balancer.healthy().length === 2, HEALTHY_MS);
    await both();
    return {
      balancer,
      databaseUrl,
      controllers: () => controllers,
      async restart(index) {
        await endOf(controllers[index].child);
        controllers[index] = await start(index);
        await both();
      },
    };
  }
}

/** What a database holds of all creates. */
export async function storedAt(config: pg.ClientConfig): Promise<Stored[]> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Stored>(STORED)).rows;
  } finally {
    await client.end();
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
