/**
 * Makes the months of the audit record before they begin, drops those whose time is over, and writes the sums of what
 * was too much to be recorded one by one. On every controller.
 */
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Stores } from '../../db/stores/stores.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';

const EVERY_MS = 3_600_000;
/** Months that are there before they begin. */
const AHEAD = 2;
const SUMS_EVERY_MS = 15_000;
/** Least time between two sums of one kind and identity. */
const SUMMED_SECONDS = 60;

export interface AuditKeeper {
  /** One turn; never throws. */
  turn(): Promise<void>;
  /** Writes the sums that are due; never throws. */
  sums(): Promise<void>;
  /** Waits for the turn that is running. */
  close(): Promise<void>;
}

export interface AuditKeeperOptions {
  readonly stores: Pick<Stores, 'auditRecords'>;
  /** How long a record is kept at least; 0: for ever. */
  readonly keepDays: number;
  /** Name of this controller. */
  readonly controller: string;
  readonly log: Logger;
}

export function createAuditKeeper({
  stores: { auditRecords },
  keepDays,
  controller,
  log,
}: AuditKeeperOptions): AuditKeeper {
  const turns = new CoalescedTask(async () => {
    try {
      const made = await auditRecords.makePartitions(AHEAD);
      const dropped = keepDays === 0 ? 0 : await auditRecords.dropPartitions(keepDays);
      if (made + dropped > 0) log.info({ made, dropped }, 'months of the audit record were made or dropped');
    } catch (error) {
      noteFailure(log, error, 'the months of the audit record could not be kept; it is tried again');
    }
  });
  const sums = new CoalescedTask(async () => {
    try {
      await auditRecords.writeSums(SUMMED_SECONDS, controller);
    } catch (error) {
      noteFailure(log, error, 'sums could not be written into the audit record; they are kept and tried again');
    }
  });
  const timers = [
    setInterval(() => void turns.runNow(), EVERY_MS).unref(),
    setInterval(() => void sums.runNow(), SUMS_EVERY_MS).unref(),
  ];
  void turns.runNow();
  return {
    turn: () => turns.runNow(),
    sums: () => sums.runNow(),
    async close() {
      timers.forEach((timer) => {
        clearInterval(timer);
      });
      await sums.close();
      await turns.close();
    },
  };
}
