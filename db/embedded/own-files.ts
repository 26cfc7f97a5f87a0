/**
 * The only way in which the controller makes and changes files. Another user must never choose which file that is: root
 * would hand them its own. So a directory is used only if no other user can exchange it, a file is made under a name
 * that was free, and one that exists is used only if it is a plain file of ours with a single name. No link is
 * followed. Programs of the embedded server write below its cluster under their own account; nothing here does.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { BigIntStats, WriteStream } from 'node:fs';

/** Says which file or directory is not safe to use, why, and what to do. */
export class OwnFileError extends Error {}

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
/** Does not wait for the other end of a named pipe that was put in the place of a file. */
const PLAIN = O_NOFOLLOW | O_NONBLOCK;
/** Sticky bit: only the owner of the directory or of an entry may rename or remove the entry. */
const STICKY = 0o1000;
const MOST_LINKS = 40;

const self = (): number => process.geteuid?.() ?? 0;
const nameOf = (uid: number): string => (uid === 0 ? 'root' : `the user with id ${uid}`);

/**
 * Finds the directory, and makes what is missing of it with mode 0700. The path may lead through links as long as no
 * other user can change where they lead.
 * @returns the path without links
 * @throws OwnFileError when it is another user's, or another user could exchange it
 */
export function ownDirectory(directory: string): string {
  const rest = partsOf(resolve(directory), false);
  let at = '/';
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    checkWay(at, directory);
    const next = join(at, part.name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      if ((links += 1) > MOST_LINKS) throw new OwnFileError(`the path has too many links (${next})`);
      checkLink(next, found.uid, directory);
      const target = readlinkSync(next);
      rest.unshift(...partsOf(target, true));
      if (isAbsolute(target)) at = '/';
      continue;
    }
    // The target of a link must exist: it may be on a disk that is not mounted yet.
    if (found === undefined && part.isOfLink)
      throw new OwnFileError(`${next} does not exist, but a link leads there. Mount or make it`);
    if (found === undefined) mkdirSync(next, { mode: 0o700 });
    at = next;
  }
  checkOwner(at, directory);
  return at;
}

interface Part {
  readonly name: string;
  readonly isOfLink: boolean;
}

const partsOf = (path: string, isOfLink: boolean): Part[] =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => ({ name, isOfLink }));

/** Only root may decide where root looks for a file; an ordinary user may rely on those who set up the machine. */
function checkWay(on: string, directory: string): void {
  const { uid, mode } = lstatSync(on);
  const isForeign = self() === 0 && uid !== 0;
  const isOpen = (mode & STICKY) === 0 && (mode & (self() === 0 ? 0o022 : 0o002)) !== 0;
  if (!isForeign && !isOpen) return;
  const remedy = isForeign ? `start the controller as ${nameOf(uid)}` : `close that one (chmod go-w '${on}')`;
  throw new OwnFileError(
    `${on}, on the way to it, ${isForeign ? `belongs to ${nameOf(uid)}` : 'can be changed by other users'}, ` +
      `who could put another directory in the place of ${directory}. Use a directory below /var/lib, or ${remedy}`,
  );
}

/** Refuses links of others in a directory such as `/tmp`: their owner can make them lead elsewhere at any time. */
function checkLink(link: string, uid: number, directory: string): void {
  if (uid === 0 || uid === self() || (lstatSync(dirname(link)).mode & STICKY) === 0) return;
  throw new OwnFileError(
    `${link} is a link of ${nameOf(uid)}, who decides where ${directory} is. Use a path without it`,
  );
}

function checkOwner(at: string, directory: string): void {
  const found = lstatSync(at);
  if (!found.isDirectory()) throw new Error(`${at} is not a directory`);
  const { uid } = found;
  if (uid === self()) return;
  throw new OwnFileError(
    `it belongs to ${nameOf(uid)}, but the controller runs as ${nameOf(self())}. ` +
      'Start the controller as its owner, or hand the directory over with all that is in it: ' +
      `chown -R ${self() === 0 ? 'root' : userName()} '${directory}'`,
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(self());
  }
}

export function bitsOf(directory: string): number {
  return lstatSync(directory).mode & 0o777;
}

/** Sets the mode of a directory of ours, whatever the umask. */
export function setBits(directory: string, bits: number): void {
  const descriptor = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    fchmodSync(descriptor, bits);
  } finally {
    closeSync(descriptor);
  }
}

export function makeDirectory(directory: string, bits: number): void {
  mkdirSync(directory, { mode: 0o700 });
  setBits(directory, bits);
}

/**
 * Hands a directory in a place of ours to an account of the server, with all that is in it. What is not ours is left
 * out, and so is all below it, where its owner could exchange anything. Content goes before its directory: one that was
 * handed over is complete, and a run that was cut short can be repeated.
 */
export function giveTree(directory: string, { uid, gid }: Readonly<{ uid: number; gid: number }>): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const found = lstatSync(path);
    if (found.uid !== self()) continue;
    if (found.isDirectory()) giveTree(path, { uid, gid });
    else if (found.nlink === 1) lchownSync(path, uid, gid);
  }
  lchownSync(directory, uid, gid);
}

/**
 * Opens a log for reading and for adding at its end; makes it (0600) when it is missing.
 * @throws OwnFileError when it is not a plain file of ours
 */
export function openOwnLog(file: string): number {
  return checked(file, openPlain(file, O_RDWR | O_APPEND | O_CREAT));
}

/** @returns its text; undefined when there is no such file. @throws OwnFileError when it is not a plain file of ours */
export function readOwnFile(file: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const descriptor = checked(file, openPlain(file, O_RDONLY));
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whole or not at all, and on disk when it returns. What had the name before is replaced, and nothing that it led to is
 * touched.
 */
export function replaceOwnFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}.new`;
  const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(file));
}

/** A file that is being written, under another name until it is whole. */
export interface Draft {
  readonly file: string;
  readonly draft: string;
  /** Everything written to it is on disk when it has closed. */
  readonly stream: WriteStream;
}

const DRAFT = '.partial';

/** Opens a file of any size for writing piece by piece, readable by its owner only. */
export function openDraft(file: string): Draft {
  const draft = `${file}${DRAFT}`;
  const fd = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  return { file, draft, stream: createWriteStream(draft, { fd, flush: true }) };
}

/** Gives a draft its name, once it is whole and closed; from then on it survives a power cut. */
export function finishDraft({ file, draft }: Draft): void {
  renameSync(draft, file);
  syncDirectory(dirname(file));
}

export function dropDraft({ draft }: Draft): void {
  rmSync(draft, { force: true });
}

/** Those that nothing finished: call it only while nothing in this directory can be under way. @returns their names */
export function removeDrafts(directory: string): string[] {
  const names = draftsIn(directory);
  for (const name of names) rmSync(join(directory, name), { force: true });
  return names;
}

/** @returns their names; none where there is no directory */
export function draftsIn(directory: string): string[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(directory).filter((name) => name.endsWith(DRAFT));
}

/** Syncs a directory, so that names made, changed or removed in it survive a power cut. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, O_RDONLY | O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function emptyFile(descriptor: number): void {
  ftruncateSync(descriptor, 0);
}

/** A new file with exactly this mode, in a directory that only we can change. */
export function copyToNew(source: string, target: string, mode: number): void {
  copyFileSync(source, target, constants.COPYFILE_EXCL);
  chmodSync(target, mode);
}

function openPlain(file: string, flags: number): number {
  try {
    return openSync(file, flags | PLAIN, 0o600);
  } catch (error) {
    // The system's answer to a link with O_NOFOLLOW, and to a socket or a pipe without a reader.
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw notOurs(file, 'is a link or no file at all');
    throw error;
  }
}

function checked(file: string, descriptor: number): number {
  const fault = faultOf(fstatSync(descriptor, { bigint: true }));
  if (fault === undefined) return descriptor;
  closeSync(descriptor);
  throw notOurs(file, fault);
}

function faultOf(found: BigIntStats): string | undefined {
  if (!found.isFile()) return 'is no file';
  if (found.nlink !== 1n) return 'has other names (hard links)';
  const uid = Number(found.uid);
  return uid === self() ? undefined : `belongs to ${nameOf(uid)}`;
}

function notOurs(file: string, fault: string): OwnFileError {
  return new OwnFileError(
    `${file} ${fault}, so it is not used. Put a plain file of ${self() === 0 ? 'root' : userName()} in its place, ` +
      'or move it away',
  );
}
