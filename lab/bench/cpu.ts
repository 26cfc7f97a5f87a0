/** Processor time that a process has taken, by the system's own count in nanoseconds. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds. */
export interface CpuTime {
  /** Time of the thread that runs JavaScript. */
  readonly main: number;
  /** Time of all threads that still run: those of the thread pool, of the compiler and of the collector too. */
  readonly all: number;
}

/** Time since the process began; undefined where the system does not say. */
export function cpuTime(pid: number): CpuTime | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => ({ id, ms: timeOf(pid, id) }));
    const main = threads.find(({ id }) => id === String(pid))?.ms ?? NaN;
    return { main, all: threads.reduce((sum, { ms }) => sum + ms, 0) };
  } catch {
    return undefined;
  }
}

function timeOf(pid: number, thread: string): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Time for each of `count`, part by part. */
export function cpuEach<T extends Readonly<Record<keyof T, number>>>(
  before: T | undefined,
  after: T | undefined,
  count: number,
): T | undefined {
  if (before === undefined || after === undefined || count === 0) return undefined;
  const parts = Object.keys(before) as (keyof T)[];
  return Object.fromEntries(parts.map((part) => [part, (after[part] - before[part]) / count])) as T;
}
