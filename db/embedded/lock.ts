/**
 * The exclusive hold of one process on a data directory.
 *
 * A lock is a symlink `controller.lock.<n>` whose target says who holds it (`<pid>:<process identity>`, or
 * `free`): a symlink comes into being whole, and exactly one of many creators wins. The highest number counts.
 * A dead holder's lock is never removed to make room, since two starters could then remove each other's; the
 * next holder makes number n+1, and only a number that has a higher one is ever deleted.
 */
import { readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { codeOf, EmbeddedDatabaseError, messageOf } from './error.js';
import { processIdentity } from './processes.js';

const PREFIX = 'controller.lock.';
const FREE = 'free';
const ATTEMPTS = 100;

export interface DirectoryLock {
  /** Never throws: what it cannot free, the end of this process does. */
  readonly release: () => void;
}

/** @throws EmbeddedDatabaseError when a live process holds the directory, or nothing can be written there */
export function lockDirectory(directory: string): DirectoryLock {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const highest = numbersIn(directory).at(-1) ?? 0;
    const holder = highest === 0 ? FREE : read(directory, highest);
    if (holder === undefined) continue;
    if (isHeld(holder)) throw refusal(directory, holder);

    const mine = highest + 1;
    if (!create(directory, mine, `${process.pid}:${processIdentity(process.pid) ?? ''}`)) continue;
    const numbers = numbersIn(directory);
    // Our view was older than another's takeover: that one counts, ours never did.
    if (numbers.at(-1) !== mine) {
      remove(directory, mine);
      continue;
    }
    for (const older of numbers.filter((number) => number < mine)) remove(directory, older);
    return {
      release: () => {
        try {
          create(directory, mine + 1, FREE);
          remove(directory, mine);
        } catch {
          /* the directory is gone, or not writable any more */
        }
      },
    };
  }
  throw new EmbeddedDatabaseError(
    `The lock in the data directory ${directory} keeps changing hands. Start only one controller on it.`,
  );
}

/** @returns the process that holds the directory; undefined while none does. @throws as `lockDirectory` */
export function holderOf(directory: string): number | undefined {
  const highest = numbersIn(directory).at(-1);
  const holder = (highest === undefined ? undefined : read(directory, highest)) ?? FREE;
  return isHeld(holder) ? Number(holder.split(':')[0]) : undefined;
}

function isHeld(holder: string): boolean {
  const [pid = '', ...identity] = holder.split(':');
  return /^\d+$/.test(pid) && processIdentity(Number(pid)) === identity.join(':');
}

function refusal(directory: string, holder: string): EmbeddedDatabaseError {
  const pid = holder.split(':')[0] ?? '';
  return new EmbeddedDatabaseError(
    `The data directory ${directory} is in use by another controller (process ${pid}). ` +
      'Stop that one first, or give this one a data directory of its own; several controllers can only share a ' +
      'database through DATABASE_URL.',
  );
}

function numbersIn(directory: string): number[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith(PREFIX) && /^[1-9]\d*$/.test(name.slice(PREFIX.length)))
    .map((name) => Number(name.slice(PREFIX.length)))
    .sort((a, b) => a - b);
}

const fileOf = (directory: string, number: number): string => path.join(directory, `${PREFIX}${number}`);

/** The target, or undefined when the lock is gone by now. */
function read(directory: string, number: number): string | undefined {
  try {
    return readlinkSync(fileOf(directory, number));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new EmbeddedDatabaseError(
      `The lock ${fileOf(directory, number)} cannot be read (${messageOf(error)}). ` +
        'Make sure that no controller uses the data directory, then delete that file.',
      { cause: error },
    );
  }
}

function create(directory: string, number: number, target: string): boolean {
  try {
    symlinkSync(target, fileOf(directory, number));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new EmbeddedDatabaseError(
      `The data directory ${directory} cannot be locked (${messageOf(error)}). ` +
        'Make it writable for the user of the controller.',
      { cause: error },
    );
  }
}

function remove(directory: string, number: number): void {
  try {
    unlinkSync(fileOf(directory, number));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
