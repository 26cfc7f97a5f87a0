/**
 * A controller to measure: a child process with an embedded PostgreSQL, both in a temporary directory that goes away
 * with it. Settings in the environment hold, but for those that say where it listens and what it stores where.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { endOf, launchController } from '../controller-process.js';
import type { ControllerLaunch, RunningController } from '../controller-process.js';
import { requireNoDeadlocks } from './faults.js';
import { ROOMY } from './roomy.js';

export interface Memory {
  readonly residentMiB: number;
  readonly peakMiB: number;
}

export interface OwnOptions {
  /** May fill its data directory. */
  readonly prepare?: ((dataDir: string) => Promise<void>) | undefined;
  /** Another revision: its file and arguments. */
  readonly program?: readonly string[] | undefined;
}

export class OwnController {
  readonly username = 'admin';
  readonly postgresVersion: string | undefined;

  private constructor(
    readonly dir: string,
    readonly password: string,
    private running: RunningController,
    readonly program: readonly string[] | undefined,
  ) {
    this.postgresVersion = running.postgresVersion;
  }

  get url(): string {
    return this.running.url;
  }

  /** Of its process, whose children are those of PostgreSQL. */
  get pid(): number {
    return this.running.child.pid ?? 0;
  }

  /** From the start of its process to its first answer. */
  get startMs(): number {
    return this.running.startMs;
  }

  /**
   * @param atEnd  gets what stops it and removes its directory, before there is anything to wait for
   * @throws Error with the end of its log when it does not come up
   */
  static async start(
    atEnd: (stop: () => Promise<void>) => void,
    { prepare, program }: OwnOptions = {},
  ): Promise<OwnController> {
    const dir = mkdtempSync(join(tmpdir(), 'edge-bench-'));
    const password = randomBytes(18).toString('base64url');
    const children: ChildProcess[] = [];
    atEnd(async () => {
      for (const child of children) await endOf(child);
      try {
        requireNoDeadlocks(join(dir, 'data'));
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    });
    await prepare?.(join(dir, 'data'));
    const onChild = (child: ChildProcess) => {
      children.push(child);
    };
    return new OwnController(dir, password, await launch({ dir, password, program, onChild }), program);
  }

  /**
   * Stops it and starts it again on what it has stored, at another port.
   * @returns milliseconds from start to first answer
   */
  async restart(atEnd: (stop: () => Promise<void>) => void): Promise<number> {
    await endOf(this.running.child);
    const onChild = (child: ChildProcess) => {
      atEnd(() => endOf(child));
    };
    this.running = await launch({ ...this, onChild });
    return this.running.startMs;
  }

  /**
   * Does at once what PostgreSQL's autovacuum does in the minutes after so much was written: it would take one of the
   * cores in the middle of what is measured, and of a large network more than of a small one.
   */
  async settle(): Promise<void> {
    const client = new pg.Client(runningConnection(join(this.dir, 'data')));
    await client.connect();
    try {
      await client.query('VACUUM (ANALYZE)');
      await client.query('CHECKPOINT');
    } finally {
      await client.end();
    }
  }

  /** Of the controller's process alone; undefined where /proc is missing. */
  memory(): Memory | undefined {
    try {
      const status = readFileSync(`/proc/${this.running.child.pid}/status`, 'utf8');
      const mib = (name: string) =>
        Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024);
      return { residentMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
    } catch {
      return undefined;
    }
  }
}

interface Launch extends Pick<ControllerLaunch, 'program' | 'onChild'> {
  readonly dir: string;
  readonly password: string;
}

const launch = ({ dir, password, program, onChild }: Launch): Promise<RunningController> =>
  launchController({
    program,
    logFile: join(dir, 'controller.log'),
    onChild,
    env: {
      ...ROOMY,
      EDGE_DATA_DIR: join(dir, 'data'),
      EDGE_NAME: 'bench',
      EDGE_ADMIN_USERNAME: 'admin',
      EDGE_ADMIN_PASSWORD: password,
    },
  });
