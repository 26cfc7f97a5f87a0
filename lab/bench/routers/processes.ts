/** What a process and its children have used, from /proc. */
import { readFileSync, readdirSync } from 'node:fs';

/** Of the clock that counts CPU time; Linux has no other. */
const TICKS_PER_SECOND = 100;

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // the process has ended
  }
};

/** After the name, which may hold anything: state, parent, and so on. */
function statOf(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Seconds of CPU that the process itself has used so far. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

export function residentMiB(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? NaN) / 1024);
}

/** The most since the process began. */
export function peakMiB(pid: number): number {
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? NaN) / 1024);
}

/**
 * Seconds of CPU of its children and theirs, PostgreSQL's, with those that have ended and were waited for.
 */
export function childCpuSeconds(pid: number): number {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(Number(entry))[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const of = (parent: number): number =>
    (children.get(parent) ?? []).reduce((sum, child) => {
      const fields = statOf(child);
      const reaped = (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
      return sum + cpuSeconds(child) + reaped + of(child);
    }, 0);
  return of(pid);
}
