/** Memory of a controller's process and of its database server while something goes on, from /proc. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const SAMPLE_MS = 500;

export interface MemoryUse {
  /** Resident memory of the controller's process. */
  readonly controllerMiB: number;
  /** Memory that the processes of PostgreSQL have for themselves: shared buffers are not in it. */
  readonly postgresMiB: number;
}

const kib = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
const mib = (value: number): number => Math.round(value / 1024);

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  } // the process has ended
};

/** The children of a process, and theirs. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = read(`/proc/${entry}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const of = (parent: number): number[] => (children.get(parent) ?? []).flatMap((child) => [child, ...of(child)]);
  return of(pid);
}

function privateKib(pid: number): number {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  return kib(rollup, 'Private_Clean') + kib(rollup, 'Private_Dirty');
}

export function memoryOf(pid: number): MemoryUse {
  return {
    controllerMiB: mib(kib(read(`/proc/${pid}/status`), 'VmRSS')),
    postgresMiB: mib(descendants(pid).reduce((sum, child) => sum + privateKib(child), 0)),
  };
}

/** @returns what ends the watch and gives the peaks: the kernel's own of the controller, samples of PostgreSQL */
export function watchMemory(pid: number): () => MemoryUse {
  let { controllerMiB, postgresMiB } = memoryOf(pid);
  let isPeakReset = true;
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    isPeakReset = false;
  }
  const sample = () => {
    const now = memoryOf(pid);
    controllerMiB = Math.max(controllerMiB, now.controllerMiB);
    postgresMiB = Math.max(postgresMiB, now.postgresMiB);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    sample();
    const peak = isPeakReset ? mib(kib(read(`/proc/${pid}/status`), 'VmHWM')) : 0;
    return { controllerMiB: Math.max(controllerMiB, peak), postgresMiB };
  };
}
