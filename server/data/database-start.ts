/**
 * A start waits for a database that is not there yet, as a running controller does for one that is gone; and fails at
 * once for what waiting does not mend.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { OUTAGES, outageOf, reasonOf } from '../../db/postgres/outages.js';
import { SchemaError } from '../../db/schema/schema-error.js';
import type { Logger } from '../base/log.js';

export interface Waiting {
  readonly patienceSeconds: number;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Ends the wait at once, also in the middle of an attempt. */
  readonly abort: AbortSignal;
}

const RETRY_MS = 500;
const REPORT_MS = 5_000;

/** @throws what the last attempt threw: when patience is over, or at once when waiting does not mend it */
export async function waitForDatabase<T>(attempt: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { patienceSeconds, log, abort } = waiting;
  const since = performance.now();
  let reported = -Infinity;
  for (;;) {
    try {
      const result = await unlessAborted(attempt(), abort);
      if (reported > 0) log.info('the database can be used now');
      return result;
    } catch (error) {
      abort.throwIfAborted();
      const cause = error instanceof SchemaError ? error.cause : error;
      const outage = outageOf(cause);
      const now = performance.now();
      if (outage === undefined || !OUTAGES[outage].isPassing || now - since >= patienceSeconds * 1000) throw error;
      if (now - reported >= REPORT_MS) {
        reported = now;
        const waited = Math.round((now - since) / 1000);
        const facts = { outage, reason: reasonOf(cause), waited, patience: patienceSeconds };
        log.warn(facts, `the start waits: ${OUTAGES[outage].state}`);
      }
    }
    await pause(RETRY_MS, undefined, { signal: abort });
  }
}

/** An abandoned attempt that still runs ends by its own time limit. */
async function unlessAborted<T>(work: Promise<T>, abort: AbortSignal): Promise<T> {
  abort.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(abort.reason as Error);
    };
    abort.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    abort.removeEventListener('abort', stop);
  }
}
