/** The sign of life of a controller: a small change in the database again and again, and how the last one went. */
import { outageOf } from '../../db/postgres/outages.js';
import type { Outage } from '../../db/postgres/outages.js';

export interface Heartbeat {
  /** How the last one failed, if it did. */
  readonly outage: () => Outage | undefined;
  readonly stop: () => void;
}

export interface HeartbeatTimes {
  readonly everyMs: number;
  /** Pause after a heartbeat that failed: readiness waits for the next. */
  readonly againMs: number;
}

export function startHeartbeat(touch: () => Promise<void>, { everyMs, againMs }: HeartbeatTimes): Heartbeat {
  let outage: Outage | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    if (!isStopped) timer = setTimeout(() => void beat(), outage === undefined ? everyMs : againMs).unref();
  };
  const beat = async () => {
    outage = await touch().then(() => undefined, outageOf);
    schedule();
  };
  schedule();
  return {
    outage: () => outage,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
