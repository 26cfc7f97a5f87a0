/**
 * The server's log file. The server writes to it directly, so it goes on when the controller dies; its size is
 * bounded by moving the content to `<file>.1` and truncating, which is safe because it is open for appending.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { emptyFile, openOwnLog, replaceOwnFile } from './own-files.js';

const LIMIT_BYTES = 8 * 1024 * 1024;
/** It may have grown while no controller ran: the last part is kept. */
const MOST_KEPT_BYTES = 4 * LIMIT_BYTES;
const QUOTED_BYTES = 4096;
const QUOTED_LINES = 12;

export interface ServerLog {
  /** File descriptor that the server writes stdout and stderr to. */
  readonly descriptor: number;
  size(): number;
  /** Its last lines, but none from before the offset. */
  tail(offset?: number): string;
  /** Bounds the size. Call it from time to time. */
  rotate(): void;
  readonly close: () => void;
}

export function openServerLog(file: string): ServerLog {
  const descriptor = openOwnLog(file);
  const size = (): number => fstatSync(descriptor).size;
  const read = (start: number, end: number): Buffer => {
    const buffer = Buffer.alloc(end - start);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, start));
  };
  return {
    descriptor,
    size,
    tail: (offset = 0) => {
      const end = size();
      const start = Math.max(offset > end ? 0 : offset, end - QUOTED_BYTES);
      return read(start, end).toString().trimEnd().split('\n').slice(-QUOTED_LINES).join('\n');
    },
    rotate: () => {
      const end = size();
      if (end <= LIMIT_BYTES) return;
      replaceOwnFile(`${file}.1`, read(Math.max(0, end - MOST_KEPT_BYTES), end));
      emptyFile(descriptor);
    },
    close: () => closeSync(descriptor),
  };
}
