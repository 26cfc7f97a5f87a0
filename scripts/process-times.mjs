// The processor time that a process and all that it started have used, where the system tells: Linux.
import { readFileSync, readdirSync } from 'node:fs';

/** Of the clock that these times are counted by; the same on all machines that Node runs on. */
const TICKS_PER_SECOND = 100;
/** After the name, which may hold anything, in brackets. */
const [PARENT, OWN_TIMES, END_OF_TIMES] = [1, 11, 15];

/** By process: its parent, and its ticks with those of children that have ended and were waited for. */
function processes() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(OWN_TIMES, END_OF_TIMES).reduce((total, field) => total + Number(field), 0);
      found.set(Number(pid), { parent: Number(fields[PARENT]), ticks });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** @returns undefined where the system does not tell */
export function processorSeconds(pid) {
  if (process.platform !== 'linux') return undefined;
  const all = processes();
  const isBelow = (one) => {
    for (let at = one; at !== undefined && at > 0; at = all.get(at)?.parent) if (at === pid) return true;
    return false;
  };
  let ticks = 0;
  for (const [one, { ticks: own }] of all) if (isBelow(one)) ticks += own;
  return ticks / TICKS_PER_SECOND;
}
