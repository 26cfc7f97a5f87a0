/** What a run breaks: a database, two controllers, and links before and behind each of them. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { hasEnded } from '../../test/support/stage.js';
import type { Stage } from '../../test/support/stage.js';
import { freePort } from '../../test/support/ports.js';
import { until } from '../../test/support/poll.js';
import { endOf, launchController } from '../controller-process.js';
import type { Place } from './caller.js';
import { clockOf } from './clock.js';
import type { Clock } from './clock.js';
import { Link } from './link.js';
import type { Filter } from './link.js';

/** One that is set up for the run, and knows how to break it. */
export interface HistoryDatabase {
  readonly url: string;
  query<R extends pg.QueryResultRow>(sql: string): Promise<R[]>;
  /** By what happens; each resolves when it is over, and the database is whole again. */
  readonly faults: Readonly<Record<string, (durationMs: number) => Promise<void>>>;
  /** Faults that cannot be made here, and why. */
  readonly leftOut: readonly string[];
}

export interface ControllerOptions {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of what the database sends to this controller. */
  readonly filter?: Filter | undefined;
}

/** A controller that is killed and started again at one address. */
export class HistoryController {
  #child: ChildProcess | undefined;
  #starts = 0;

  private constructor(
    private readonly stage: Stage,
    readonly options: ControllerOptions,
    private readonly port: number,
    readonly toDatabase: Link,
    readonly toClients: Link,
    /** Undefined where clocks cannot be set. */
    readonly clock: Clock | undefined,
  ) {}

  static async start(stage: Stage, databaseUrl: string, options: ControllerOptions): Promise<HistoryController> {
    const database = new URL(databaseUrl);
    const toDatabase = await Link.to(Number(database.port), options.filter);
    database.port = String(toDatabase.port);
    const port = await freePort();
    const toClients = await Link.to(port);
    const clock = clockOf(stage, options.name);
    const env = { ...options.env, ...clock?.env, DATABASE_URL: database.href };
    const controller = new HistoryController(stage, { ...options, env }, port, toDatabase, toClients, clock);
    stage.beforeEnd(async () => {
      controller.#child?.kill('SIGCONT');
      toDatabase.close();
      toClients.close();
    });
    await controller.start();
    return controller;
  }

  get place(): Place {
    return { name: this.options.name, url: `https://127.0.0.1:${this.toClients.port}` };
  }

  async start(): Promise<void> {
    const { name, env } = this.options;
    this.#starts += 1;
    await launchController({
      logFile: join(this.stage.place, `controller-${name}-${this.#starts}.log`),
      onChild: (child) => {
        this.#child = this.stage.adopt(child);
      },
      env: {
        ...env,
        EDGE_NAME: name,
        EDGE_DATA_DIR: join(this.stage.place, `controller-${name}`),
        EDGE_LISTEN: `127.0.0.1:${this.port}`,
      },
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** SIGTERM, and its end. */
  async stop(): Promise<void> {
    if (this.#child !== undefined) await endOf(this.#child);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await until('the killed controller is gone', () => hasEnded(child));
  }
}

export interface Network {
  readonly database: HistoryDatabase;
  readonly controllers: readonly [HistoryController, HistoryController];
  readonly credentials: { readonly username: string; readonly password: string };
}

/** Failed logins of the run may be many: nobody is kept out for them. */
const SETTINGS = {
  EDGE_LOG_REQUESTS: 'none',
  EDGE_OUTGOING_ALLOW: '127.0.0.1',
  EDGE_LIMIT_LAME_DUCK: '500ms',
} as const;

/** @param filters  of what the database sends to each of the controllers */
export async function startNetwork(
  stage: Stage,
  database: HistoryDatabase,
  filters: readonly (Filter | undefined)[],
  say: (text: string) => void,
): Promise<Network> {
  const credentials = { username: 'admin', password: randomBytes(18).toString('base64url') };
  const env = {
    ...SETTINGS,
    EDGE_MASTER_KEY: newMasterKey(),
    EDGE_ADMIN_USERNAME: credentials.username,
    EDGE_ADMIN_PASSWORD: credentials.password,
  };
  const start = (name: string, index: number) => {
    say(`starting controller ${name}`);
    return HistoryController.start(stage, database.url, { name, env, filter: filters[index] });
  };
  return { database, credentials, controllers: [await start('A', 0), await start('B', 1)] };
}
