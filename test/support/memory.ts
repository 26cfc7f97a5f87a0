/**
 * A place in memory for everything that a run makes under the system's temporary directory. Databases that are made,
 * filled and thrown away wait for the disk most of their time: a first start on tmpfs takes a fifth of it. Nothing here
 * tests what survives the loss of power; a killed process leaves its files in memory as it does on a disk.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'edge-run-';
/** Ten times what a run keeps at its peak. */
const NEEDED_BYTES = 3 * 1024 ** 3;

/**
 * Points `tmpdir()` of this process and its children to memory where that has room, and answers the place; leaves it
 * alone elsewhere.
 * @param runs  that use it at the same time
 */
export function useMemory(runs = 1): string | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasRoom(runs * NEEDED_BYTES)) return undefined;
  removeLeftBehind();
  const place = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  process.once('exit', () => {
    rmSync(place, { recursive: true, force: true });
  });
  chmodSync(place, 0o1777); // as /tmp: servers of other users have their sockets there
  if (!runsPrograms(place)) return undefined;
  process.env['TMPDIR'] = place;
  return place;
}

function hasRoom(bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= bytes;
  } catch {
    return false;
  }
}

/** Some systems mount it so that no program can be run from it. */
function runsPrograms(place: string): boolean {
  const program = join(place, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** What runs left that were killed: nothing else gives that memory back. */
function removeLeftBehind(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
