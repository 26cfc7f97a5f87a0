/**
 * The temporary directory of a drill and the processes that run in it. PostgreSQL and Patroni refuse root, so as root
 * they run as an account of the system. `end` ends every process by its pid and removes the directory, unless it is to
 * be kept.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverAccount } from '../../db/embedded/account.js';
import type { Account } from '../../db/embedded/account.js';
import { clusterProcesses, holdsWithin, postmasterPid, signalProcess } from '../../db/embedded/processes.js';

const STOP_MS = 5_000;

export class Stage {
  readonly place = mkdtempSync(join(tmpdir(), 'edge-drill-'));
  readonly account: Account;
  readonly #children = new Set<ChildProcess>();
  /** Of the children, those that lead a process group. */
  readonly #groups = new WeakSet<ChildProcess>();
  readonly #clusters: string[] = [];
  readonly #farewells: (() => Promise<void>)[] = [];
  readonly #afterwards: (() => void)[] = [];
  #isOver = false;

  /** @param keeps  the directory stays, with configurations and logs */
  constructor(private readonly keeps: boolean) {
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.account = serverAccount(join(this.place, 'none'), silent);
    this.#give(this.place);
    chmodSync(this.place, 0o755);
  }

  /** A directory that only the servers may enter. */
  directory(name: string): string {
    const directory = join(this.place, name);
    mkdirSync(directory, { mode: 0o700 });
    this.#give(directory);
    return directory;
  }

  /** The directory of a PostgreSQL cluster: its servers are ended with the stage, no matter what started them. */
  cluster(name: string): string {
    return this.watch(this.directory(name));
  }

  /** The same for a directory that is elsewhere, or is still to be made. */
  watch(cluster: string): string {
    this.#clusters.push(cluster);
    return cluster;
  }

  /** What must happen while the processes still run. */
  beforeEnd(act: () => Promise<void>): void {
    this.#farewells.push(act);
  }

  /** What must happen when all of them have ended. */
  afterEnd(act: () => void): void {
    this.#afterwards.push(act);
  }

  file(name: string, text: string): string {
    const file = join(this.place, name);
    writeFileSync(file, text, { mode: 0o600 });
    this.#give(file);
    return file;
  }

  /** Starts a server; its output goes to a file of that name, a second start of it goes on there. */
  run(name: string, program: string, args: readonly string[]): ChildProcess {
    if (this.#isOver) throw new Error('the drill is over');
    const log = openSync(this.#logFile(name), 'a', 0o600);
    try {
      // A process group of its own: what it starts is ended with it, an initdb under Patroni for one.
      const options = { cwd: this.place, env: this.environment, detached: true, ...this.account };
      const child = this.adopt(spawn(program, args, { ...options, stdio: ['ignore', log, log] }));
      this.#groups.add(child);
      return child;
    } finally {
      closeSync(log);
    }
  }

  /** Adds a process that was started elsewhere: it ends with the stage. */
  adopt(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    child.once('error', () => this.#children.delete(child));
    return child;
  }

  /** Nothing of the developer's own settings. */
  get environment(): NodeJS.ProcessEnv {
    return { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: this.place, LC_ALL: 'C.UTF-8' };
  }

  logOf(name: string): string {
    const file = this.#logFile(name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    // When a last step fails, the steps that follow end its processes.
    for (const act of this.#farewells) await act().catch(() => undefined);
    const children = [...this.#children];
    // Patroni starts a server again that ends under it, so it goes first and at once.
    children.forEach((child) => {
      this.#kill(child);
    });
    await holdsWithin(STOP_MS, () => children.every(hasEnded));
    for (const cluster of this.#clusters) {
      const postmaster = postmasterPid(cluster);
      if (postmaster === undefined || !clusterProcesses(cluster).includes(postmaster)) continue;
      // An immediate shutdown gives shared memory back, which a killed server leaves behind.
      signalProcess(postmaster, 'SIGQUIT');
    }
    for (const cluster of this.#clusters) {
      if (await holdsWithin(STOP_MS, () => clusterProcesses(cluster).length === 0)) continue;
      clusterProcesses(cluster).forEach((pid) => {
        signalProcess(pid, 'SIGKILL');
      });
      await holdsWithin(STOP_MS, () => clusterProcesses(cluster).length === 0);
    }
    for (const act of this.#afterwards) act();
    if (!this.keeps) rmSync(this.place, { recursive: true, force: true });
  }

  #kill(child: ChildProcess): void {
    if (this.#groups.has(child) && child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  }

  #logFile(name: string): string {
    return join(this.place, `${name}.log`);
  }

  #give(path: string): void {
    const { uid, gid } = this.account;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
