/** A drill as its command, in a place of its own; what it leaves there. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasEnded } from '../support/stage.js';
import { until } from '../support/poll.js';
import { textOf } from '../support/proc.js';

export class DrillRun {
  readonly place = mkdtempSync(join(tmpdir(), 'edge-drills-'));
  readonly output = { stdout: '', stderr: '' };
  readonly #child: ChildProcess;

  /** @param script  compiled; its temporary directories are below `place` */
  constructor(script: string, ...args: readonly string[]) {
    chmodSync(this.place, 0o755);
    const options = args.map((arg) => arg.replace('PLACE', this.place));
    const env = { ...process.env, TMPDIR: this.place };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = (this.#child = spawn(process.execPath, [script, ...options], { env, stdio }));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.output.stderr += text;
    });
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  #hasEnded(): boolean {
    return hasEnded(this.#child);
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  ended(deadlineMs: number): Promise<true> {
    return until('the drill ends', () => this.#hasEnded(), deadlineMs);
  }

  /** The pids of processes whose command line names the place, or whose working directory is in it. */
  processes(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== this.#child.pid)
      .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(this.place) || linkOf(pid).includes(this.place));
  }

  expectNothingLeft(): void {
    expect(readdirSync(this.place).filter((name) => name.startsWith('edge-'))).to.deep.equal([]);
    expect(this.processes().map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))).to.deep.equal([]);
  }

  async end(): Promise<void> {
    if (!this.#hasEnded()) {
      this.#child.kill('SIGTERM');
      await this.ended(30_000);
    }
    rmSync(this.place, { recursive: true, force: true });
  }
}

function linkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
