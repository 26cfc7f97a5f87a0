/**
 * The private copy of the binaries: all that the server needs of the package, with the library links that the
 * package's own install script would have made. It appears whole or not at all, whoever else makes one at the same
 * time, and is readable by everyone but writable only by its owner, who must be us.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { codeOf, EmbeddedDatabaseError } from './error.js';
import { copyToNew, makeDirectory, setBits } from './own-files.js';
import { processIdentity } from './processes.js';

/** Files that only compiling against PostgreSQL needs. */
const SKIPPED = /\.a$|^pkgconfig$|^pgxs$/;

interface Link {
  readonly source: string;
  readonly target: string;
}

/** True when every library link of the package is there. */
export function hasLinks(packageDir: string): boolean {
  return linksOf(packageDir).every(({ target }) => existsSync(path.join(packageDir, target)));
}

/** True for a directory of our own that no other user can change. */
export function isTrusted(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}

/** Copies the package into a directory in `base`, and answers it: it is to be put in the place of `copy`. */
export function copyTree(packageDir: string, base: string, copy: string): string {
  if (mkdirSync(base, { recursive: true }) !== undefined) setBits(base, 0o755);
  if (!isTrusted(base))
    throw new EmbeddedDatabaseError(
      `${base} is not a directory that only its owner, the user of the controller, can change`,
    );
  removeAbandoned(base);

  const fresh = `${copy}.new-${process.pid}`;
  copyDirectory(path.join(packageDir, 'native'), fresh);
  for (const { source, target } of linksOf(packageDir)) {
    const link = path.join(fresh, path.relative('native', target));
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(path.basename(source), link);
  }
  return fresh;
}

/** False when something is there. */
export function putInPlace(fresh: string, copy: string): boolean {
  try {
    renameSync(fresh, copy);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false;
    discard(fresh);
    throw error;
  }
}

/** Puts it in the place of what is there. A server that runs from there finds the same files under the same names. */
export function replace(fresh: string, copy: string): void {
  const old = `${copy}.old-${process.pid}`;
  try {
    renameSync(copy, old);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  // Another one was quicker: its copy is as good.
  if (!putInPlace(fresh, copy)) discard(fresh);
  discard(old);
}

export function discard(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

function copyDirectory(from: string, to: string): void {
  makeDirectory(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (SKIPPED.test(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyToNew(source, target, (lstatSync(source).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

/** Removes copies that killed controllers left unfinished. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = /\.(?:new|old)-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && (Number(pid) === process.pid || processIdentity(Number(pid)) === undefined)) {
      discard(path.join(base, name));
    }
  }
}

/** The links of `native/pg-symlinks.json`; each is in the folder of the file it names. */
function linksOf(packageDir: string): Link[] {
  const list = path.join(packageDir, 'native', 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
}
