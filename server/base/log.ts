/** Structured logs: JSON lines to a pipe, readable lines on a terminal. Never a token, password, key or body. */
import { pino } from 'pino';
import type { Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
  /** `stdout` unless given. */
  readonly output?: 'stdout' | 'stderr';
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
  if (!isPretty) return pino(base, pino.destination({ fd, sync: false, minLength: 0 }));
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
