/** CPU time of processes, from /proc: what other work on the machine costs is not in it. */
import { readFileSync } from 'node:fs';
import { descendants } from '../abuse/memory.js';

/** Of Linux, on every machine that we know. */
const TICK_MS = 10;

/** Places in /proc/PID/stat behind the name: user and system time, and that of children that have ended. */
const OWN = [11, 12];
const ENDED = [13, 14];

function ticks(pid: number, places: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return places.reduce((sum, place) => sum + Number(fields[place]), 0);
  } catch {
    return 0; // it has ended
  }
}

/** Milliseconds of one process, all its threads. */
export const cpuMsOf = (pid: number): number => ticks(pid, OWN) * TICK_MS;

/** Milliseconds of a process with all its children, also of those that it has seen end. */
export const treeCpuMsOf = (pid: number): number =>
  (ticks(pid, [...OWN, ...ENDED]) +
    descendants(pid).reduce((sum, child) => sum + ticks(child, [...OWN, ...ENDED]), 0)) *
  TICK_MS;
