/**
 * The directory through which the controller reaches the server's socket. The socket lies in the cluster's directory;
 * where that path is too long for a socket address, a short private directory with a link to the cluster is used
 * instead. Only the controller goes through the link, so the server's user needs no access to it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeOf, EmbeddedDatabaseError } from './error.js';

export const PORT = 5432;
export const SOCKET = `.s.PGSQL.${PORT}`;
/** `sun_path` holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const LIMIT_BYTES = 103;

export interface SocketPath {
  /** The `host` for a client. */
  readonly directory: string;
  /** Keeps it alive against cleaners of temporary files. Call it from time to time. */
  refresh(): void;
  readonly remove: () => void;
}

export function socketPath(cluster: string): SocketPath {
  if (fits(cluster)) return { directory: cluster, refresh: () => undefined, remove: () => undefined };

  for (const temporary of new Set([os.tmpdir(), '/tmp'])) {
    const name = `edge-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
    if (!fits(path.join(temporary, `${name}-XXXXXX`, 'db'))) continue;
    const wanted = path.join(temporary, name);
    const parent = makePrivate(wanted) ? wanted : mkdtempSync(`${wanted}-`);
    const link = path.join(parent, 'db');
    const refresh = (): void => {
      if (!makePrivate(parent))
        throw new EmbeddedDatabaseError(`${parent} is no longer a private directory of the controller`);
      pointTo(link, cluster);
      const now = new Date();
      utimesSync(parent, now, now);
    };
    refresh();
    return {
      directory: link,
      refresh,
      remove: () => {
        rmSync(parent, { recursive: true, force: true });
      },
    };
  }
  throw new EmbeddedDatabaseError(
    `The path ${cluster} is too long for a unix socket, and so is that of the directory for temporary files. ` +
      'Set TMPDIR to a short path.',
  );
}

const fits = (directory: string): boolean => Buffer.byteLength(path.join(directory, SOCKET)) <= LIMIT_BYTES;

/** True when the directory is, maybe since now, our own and closed to everyone else; never follows a link. */
function makePrivate(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = lstatSync(directory);
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
}

function pointTo(link: string, target: string): void {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && readlinkSync(link) === target) return;
  rmSync(link, { force: true });
  symlinkSync(target, link);
}
