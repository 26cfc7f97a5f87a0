/**
 * One log line for each change of the database's state, however many requests meet it: when a cause first shows
 * itself, then once a minute with a count, and when it is over. `error` when a person must act, `warn` when it is
 * expected to mend itself.
 */
import { DatabaseError } from 'pg';
import { DatabaseUnavailable, OUTAGES, outageOf, reasonOf } from '../../db/postgres/outages.js';
import type { Outage } from '../../db/postgres/outages.js';
import type { Logger } from './log.js';

export interface OutageLog {
  /** A request failed; an error that is not about the database is ignored. */
  seen(error: unknown): void;
  /** The database was found not to be usable; that lasts until `recovered`. */
  lost(error: unknown): void;
  recovered(): void;
  /** A change is refused because changes wait for a standby, or that is over. */
  confirmed(isConfirmed: boolean): void;
  /** The state in which no caller can change anything, if there is one whose end is certain to be noticed. */
  stopping(): Outage | undefined;
  close(): void;
}

export interface OutageTimes {
  /** Between two lines about the same cause. */
  readonly repeatMs: number;
  /** A cause that no request met for so long is over. */
  readonly quietMs: number;
  readonly tickMs: number;
}

/** Asks whether a cause is over; undefined when that is unknown. A cause without one is over when it is quiet. */
export type Probes = Partial<Record<Outage, () => Promise<boolean | undefined>>>;

interface State {
  readonly since: number;
  last: number;
  reported: number;
  /** Requests that failed since the last line. */
  failed: number;
  isUrgent: boolean;
  /** Lasts until the database is found usable, though no request meets it. */
  isHeld: boolean;
  /** Its probe is under way. */
  isProbed: boolean;
  error: unknown;
}

const TIMES: OutageTimes = { repeatMs: 60_000, quietMs: 30_000, tickMs: 1_000 };

type Lines = Pick<Logger, 'info' | 'warn' | 'error'>;

export function createOutageLog(log: Lines, probes: Probes = {}, { repeatMs, quietMs, tickMs } = TIMES): OutageLog {
  const open = new Map<Outage, State>();
  let timer: NodeJS.Timeout | undefined;

  const report = (outage: Outage, state: State) => {
    const now = performance.now();
    const { state: text, advice, patienceSeconds } = OUTAGES[outage];
    state.isUrgent = now - state.since >= patienceSeconds * 1000;
    const facts = {
      outage,
      reason: reasonOf(state.error),
      ...detailOf(outage, state.error),
      failed: state.failed,
      seconds: seconds(now - state.since),
    };
    log[state.isUrgent ? 'error' : 'warn'](facts, `${text}; requests that need it are refused. ${advice}.`);
    [state.reported, state.failed] = [now, 0];
  };
  const end = (outage: Outage, { since, failed }: State) => {
    open.delete(outage);
    log.info({ outage, failed, seconds: seconds(performance.now() - since) }, `over: ${OUTAGES[outage].state}`);
  };
  const probe = async (outage: Outage, state: State) => {
    if (state.isProbed) return;
    state.isProbed = true;
    const isOver = await probes[outage]?.();
    state.isProbed = false;
    if (open.get(outage) !== state || isOver === undefined) return;
    if (isOver) end(outage, state);
    else state.last = performance.now();
  };
  const tick = () => {
    const now = performance.now();
    for (const [outage, state] of open) {
      void probe(outage, state);
      const isUrgentNow = !state.isUrgent && now - state.since >= OUTAGES[outage].patienceSeconds * 1000;
      if (!state.isHeld && now - state.last >= quietMs) end(outage, state);
      else if (isUrgentNow || now - state.reported >= repeatMs) report(outage, state);
    }
    if (open.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const note = (error: unknown, outage: Outage, isHeld: boolean) => {
    const now = performance.now();
    const known = open.get(outage);
    const state = known ?? {
      since: now,
      last: now,
      reported: now,
      failed: 0,
      isUrgent: false,
      isHeld,
      isProbed: false,
      error,
    };
    state.last = now;
    if (isHeld) state.isHeld = true;
    else state.failed += 1;
    if (known !== undefined) return;
    open.set(outage, state);
    report(outage, state);
    timer ??= setInterval(tick, tickMs).unref();
  };

  return {
    seen(error) {
      const outage = error instanceof DatabaseUnavailable ? error.outage : undefined;
      if (outage !== undefined) note((error as Error).cause ?? error, outage, false);
    },
    lost(error) {
      note(error, outageOf(error) ?? 'unreachable', true);
    },
    recovered() {
      for (const [outage, state] of open) if (state.isHeld || OUTAGES[outage].breaksConnection) end(outage, state);
      log.info('the database answers again');
    },
    confirmed(isConfirmed) {
      const state = open.get('unconfirmed');
      if (!isConfirmed) note(new DatabaseUnavailable('unconfirmed', undefined), 'unconfirmed', true);
      else if (state !== undefined) end('unconfirmed', state);
    },
    stopping: () =>
      [...open].find(
        ([outage, { isHeld }]) => OUTAGES[outage].stopsChanges && (isHeld || probes[outage] !== undefined),
      )?.[0],
    close() {
      clearInterval(timer);
    },
  };
}

const seconds = (ms: number) => Math.round(ms / 100) / 10;

/** Outages whose message from the server names a file or a resource, and never a part of DATABASE_URL. */
const WITH_DETAIL: ReadonlySet<Outage> = new Set<Outage>(['diskFull', 'outOfMemory', 'faulty']);

function detailOf(outage: Outage, error: unknown): { detail?: string } {
  return WITH_DETAIL.has(outage) && error instanceof DatabaseError ? { detail: error.message } : {};
}

/**
 * For work in the background that is tried again: a warning with the stack, or a mere note while the database is out,
 * which has its own line.
 */
export function noteFailure(
  log: Pick<Logger, 'debug' | 'warn'>,
  error: unknown,
  message: string,
  facts: object = {},
): void {
  if (outageOf(error) === undefined) log.warn({ ...facts, err: error }, message);
  else log.debug({ ...facts, reason: reasonOf(error) }, message);
}
