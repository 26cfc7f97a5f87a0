/**
 * The server's log file. The server writes to it directly, so it goes on when the controller dies; its size is
 * bounded by moving the content to `<file>.1` and truncating, which is safe because it is open for appending.
 */
import { closeSync, copyFileSync, fchownSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';

const LIMIT_BYTES = 8 * 1024 * 1024;
const QUOTED_BYTES = 4096;
const QUOTED_LINES = 12;

export interface ServerLog {
  /** For the server's stdout and stderr. */
  readonly descriptor: number;
  size(): number;
  /** Its last lines, but none from before the offset. */
  tail(offset?: number): string;
  /** Bounds the size. Call it from time to time. */
  rotate(): void;
  readonly close: () => void;
}

export function openServerLog(file: string): ServerLog {
  const descriptor = openSync(file, 'a+', 0o600);
  // Made by root in another user's directory, it would stop that user's own controller later.
  if (process.geteuid?.() === 0) {
    const { uid, gid } = statSync(path.dirname(file));
    fchownSync(descriptor, uid, gid);
  }
  const size = (): number => fstatSync(descriptor).size;
  return {
    descriptor,
    size,
    tail: (offset = 0) => {
      const end = size();
      const start = Math.max(offset > end ? 0 : offset, end - QUOTED_BYTES);
      const buffer = Buffer.alloc(end - start);
      const length = readSync(descriptor, buffer, 0, buffer.length, start);
      return buffer.toString('utf8', 0, length).trimEnd().split('\n').slice(-QUOTED_LINES).join('\n');
    },
    rotate: () => {
      if (size() <= LIMIT_BYTES) return;
      copyFileSync(file, `${file}.1`);
      truncateSync(file);
    },
    close: () => closeSync(descriptor),
  };
}
