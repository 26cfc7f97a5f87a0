/** Structured logs: JSON lines to a pipe, readable lines on a terminal. Never a token, password, key or body. */
import { pino } from 'pino';
import type { Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LogOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'pretty';
}

export function createLogger({ level, format }: LogOptions): Logger {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const base = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!isPretty) return pino(base, pino.destination({ fd: 1, sync: false, minLength: 0 }));
  return pino(
    base,
    pretty({
      destination: 1,
      sync: true,
      colorize: process.stdout.isTTY,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
    }),
  );
}
