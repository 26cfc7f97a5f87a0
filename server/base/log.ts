/** Structured logs: JSON lines to a pipe, readable lines on a terminal. Never a token, password, key or body. */
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
  /** `stdout` unless given. */
  readonly output?: 'stdout' | 'stderr';
}

/** A line waits so long for others, in milliseconds: a write takes as long as a third of a short request. */
const LINES_WAIT_MS = 20;
/** Bytes that are written without waiting. What fits in a page of a pipe is never cut by lines of other processes. */
const WORTH_WRITING = 3_072;
const PIPE_PAGE = 4_096;

/** Writes lines together, all of them at the latest when the process exits. */
function linesTo(fd: number): DestinationStream & { flushSync(): void } {
  const file = pino.destination({ fd, sync: false, minLength: WORTH_WRITING, maxWrite: PIPE_PAGE });
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    file.flush();
  };
  return {
    write(line) {
      timer ??= setTimeout(flush, LINES_WAIT_MS).unref();
      file.write(line);
    },
    flushSync() {
      file.flushSync();
    },
  };
}

export function createLogger({ level, format, output = 'stdout' }: LogOptions): Logger {
  const { isTTY } = process[output];
  const isPretty = format === 'pretty' || (format === 'auto' && isTTY);
  const fd = output === 'stdout' ? 1 : 2;
  const base = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!isPretty) return pino(base, linesTo(fd));
  return pino(
    base,
    pretty({
      destination: fd,
      sync: true,
      colorize: isTTY,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
    }),
  );
}
