/**
 * Looking at processes of the system: who is alive, who is really the one that a file names, and which
 * processes belong to a cluster. Linux answers from /proc, macOS from `ps`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const LINUX = process.platform === 'linux';

/**
 * A text that differs for every process that ever has this pid, or undefined when no live process has it.
 * A zombie counts as dead: it holds nothing any more.
 */
export function processIdentity(pid: number): string | undefined {
  return LINUX ? linuxIdentity(pid) : psIdentity(pid);
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name, in parentheses, may hold spaces and parentheses itself. See proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return `${startTicks}@${boot}`;
}

function psIdentity(pid: number): string | undefined {
  const line = ps(pid, 'stat=,lstart=');
  return line === undefined || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '').replaceAll(/\s+/g, '-');
}

function ps(pid: number, columns: string): string | undefined {
  try {
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    return (
      execFileSync('ps', ['-ww', '-o', columns, '-p', String(pid)], { encoding: 'utf8', env, stdio: 'pipe' }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}

/**
 * The live PostgreSQL processes (postmaster, backends, initdb) of the cluster in a directory. It is their working
 * directory, even when it was renamed or is on no command line. macOS shows no working directories: there only the
 * postmaster that `postmaster.pid` names is found.
 */
export function clusterProcesses(directory: string): number[] {
  if (!LINUX) {
    const pid = postmasterPid(directory);
    const command = pid === undefined ? undefined : ps(pid, 'command=');
    return pid !== undefined && command?.includes('postgres') && command.includes(directory) ? [pid] : [];
  }
  const own = statSync(directory, { bigint: true, throwIfNoEntry: false });
  if (!own) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const cwd = statOrUndefined(`/proc/${pid}/cwd`);
      if (cwd?.ino !== own.ino || cwd.dev !== own.dev) return false;
      const command = readOrUndefined(`/proc/${pid}/comm`)?.trim();
      return command === 'postgres' || command === 'initdb';
    });
}

/** The pid in `postmaster.pid`, of a process that may be long gone or something else by now. */
export function postmasterPid(directory: string): number | undefined {
  const pid = Number.parseInt(readOrUndefined(path.join(directory, 'postmaster.pid')) ?? '', 10);
  return pid > 0 ? pid : undefined;
}

/** Sends a signal; a process that is gone already is fine. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (processIdentity(pid) !== undefined) throw error;
  }
}

/** Polls until the condition holds; false when the time ran out first. */
export async function holdsWithin(milliseconds: number, condition: () => boolean): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await pause(10);
  }
  return true;
}

/** Waits; an aborted signal ends the wait early. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
  });
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function statOrUndefined(file: string): { ino: bigint; dev: bigint } | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
