/** The controller that is measured: a process of its own at one address, which it keeps when it is killed. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { runningConnection } from '../../../db/embedded/supervisor.js';
import { endOf, launchController } from '../../controller-process.js';
import type { RunningController } from '../../controller-process.js';
import { requireNoDeadlocks } from '../faults.js';
import { freePort } from './reference.js';
import { ROOMY } from '../roomy.js';

const MOST_LOGGED = 15;

export class MeasuredController {
  readonly username = 'admin';
  readonly password = randomBytes(18).toString('base64url');
  readonly #dir = mkdtempSync(join(tmpdir(), 'edge-bench-'));
  readonly #children: ChildProcess[] = [];
  #running: RunningController | undefined;

  private constructor(readonly port: number) {}

  /** @param atEnd  gets what stops it and removes its directory */
  static async start(atEnd: (stop: () => Promise<void>) => void): Promise<MeasuredController> {
    const controller = new MeasuredController(await freePort());
    atEnd(() => controller.#end());
    await controller.#launch();
    return controller;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#running?.child.pid ?? 0;
  }

  get connection(): ClientConfig {
    return runningConnection(join(this.#dir, 'data'));
  }

  get logFile(): string {
    return join(this.#dir, 'controller.log');
  }

  /** What its log says most often of this, with how often. */
  logged(about: RegExp): string[] {
    const counts = new Map<string, number>();
    for (const line of readFileSync(this.logFile, 'utf8').split('\n')) {
      if (!about.test(line)) continue;
      const { msg, reason } = JSON.parse(line) as { msg?: string; reason?: string };
      const text = [msg, reason].filter((part) => part !== undefined).join(': ');
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const often = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_LOGGED);
    return often.map(([text, count]) => `${count} x ${text}`);
  }

  /** As a crash: nothing is said, nothing is tidied. @returns milliseconds until it answers again */
  async killAndStart(): Promise<number> {
    const child = this.#running?.child;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
    const killedAt = performance.now();
    await this.#launch();
    return performance.now() - killedAt;
  }

  async #launch(): Promise<void> {
    this.#running = await launchController({
      logFile: this.logFile,
      onChild: (child) => this.#children.push(child),
      env: {
        ...ROOMY,
        EDGE_LISTEN: `127.0.0.1:${this.port}`,
        EDGE_ADVERTISE: `localhost:${this.port}`,
        EDGE_DATA_DIR: join(this.#dir, 'data'),
        EDGE_NAME: 'bench',
        EDGE_ADMIN_USERNAME: this.username,
        EDGE_ADMIN_PASSWORD: this.password,
      },
    });
  }

  async #end(): Promise<void> {
    for (const child of this.#children) await endOf(child);
    try {
      requireNoDeadlocks(join(this.#dir, 'data'));
    } finally {
      rmSync(this.#dir, { recursive: true, force: true });
    }
  }
}
