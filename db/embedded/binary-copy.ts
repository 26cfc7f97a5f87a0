/**
 * The private copy of the binaries: all that the server needs of the package, with the library links that the
 * package's own install script would have made. It appears whole or not at all, and is readable by everyone but
 * writable only by its owner, who must be us.
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

/** For compiling against PostgreSQL only. */
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

/** Makes `copy`, a directory in `base`, unless another controller makes it first. */
export function copyTree(packageDir: string, base: string, copy: string): void {
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
  try {
    renameSync(fresh, copy);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
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

/** What controllers that were killed while they copied left behind. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = /\.new-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && (Number(pid) === process.pid || processIdentity(Number(pid)) === undefined)) {
      rmSync(path.join(base, name), { recursive: true, force: true });
    }
  }
}

/** The links of `native/pg-symlinks.json`; each is in the folder of the file it names. */
function linksOf(packageDir: string): Link[] {
  const list = path.join(packageDir, 'native', 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
}
