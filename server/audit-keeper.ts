/** Makes the months of the audit record before they begin, and drops those whose time is over. On every controller. */
import { SingleTurn } from '../domain/scheduling/single-turn.js';
import type { Stores } from '../db/stores.js';
import type { Logger } from './log.js';
import { noteFailure } from './outage-log.js';

const EVERY_MS = 3_600_000;
/** Months that are there before they begin. */
const AHEAD = 2;

export interface AuditKeeper {
  /** One turn; never throws. */
  turn(): Promise<void>;
  /** Waits for the turn that is running. */
  close(): Promise<void>;
}

export interface AuditKeeperOptions {
  readonly stores: Pick<Stores, 'auditRecords'>;
  /** How long a record is kept at least; 0: for ever. */
  readonly keepDays: number;
  readonly log: Logger;
}

export function createAuditKeeper({ stores: { auditRecords }, keepDays, log }: AuditKeeperOptions): AuditKeeper {
  const turns = new SingleTurn(async () => {
    try {
      const made = await auditRecords.makePartitions(AHEAD);
      const dropped = keepDays === 0 ? 0 : await auditRecords.dropPartitions(keepDays);
      if (made + dropped > 0) log.info({ made, dropped }, 'months of the audit record were made or dropped');
    } catch (error) {
      noteFailure(log, error, 'the months of the audit record could not be kept; it is tried again');
    }
  });
  const timer = setInterval(() => void turns.run(), EVERY_MS).unref();
  void turns.run();
  return {
    turn: () => turns.run(),
    async close() {
      clearInterval(timer);
      await turns.close();
    },
  };
}
