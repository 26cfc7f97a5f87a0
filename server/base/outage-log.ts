/**
 * One log line for each change of the database's state, however many requests meet it: when a cause first shows
 * itself, then once a minute with a count, and when it is over. `error` when a person must act, `warn` when it is
 * expected to mend itself.
 */
import { DatabaseError } from 'pg';
import { DatabaseUnavailable, OUTAGES, outageOf, reasonOf } from '../../db/postgres/outages.js';
import type { Outage } from '../../db/postgres/outages.js';
import type { Logger } from './log.js';

export interface OutageTimes {
  /** Time between two lines about the same cause. */
  readonly repeatMs: number;
  /** A cause that no request met for so long is over. */
  readonly quietMs: number;
  readonly tickMs: number;
}

/** Asks whether a cause is over; undefined when that is unknown. A cause without one is over when it is quiet. */
export type Probes = Partial<Record<Outage, () => Promise<boolean | undefined>>>;

/** A cause that is not over, and what is known of it. */
class OpenOutage {
  readonly since = performance.now();
  last = this.since;
  reported = this.since;
  /** Requests that failed since the last line. */
  failed = 0;
  isUrgent = false;
  /** Its probe is under way. */
  isProbed = false;

  /** @param lastsUntilUsable  it lasts until the database is found usable, though no request meets it */
  constructor(
    readonly error: unknown,
    public lastsUntilUsable: boolean,
  ) {}
}

const TIMES: OutageTimes = { repeatMs: 60_000, quietMs: 30_000, tickMs: 1_000 };

type Lines = Pick<Logger, 'info' | 'warn' | 'error'>;

export class OutageLog {
  readonly #log: Lines;
  readonly #probes: Probes;
  readonly #times: OutageTimes;
  readonly #open = new Map<Outage, OpenOutage>();
  /** Runs while a cause is open. */
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Lines, probes: Probes = {}, times = TIMES) {
    this.#log = log;
    this.#probes = probes;
    this.#times = times;
  }

  /** A request failed; an error that is not about the database is ignored. */
  seen(error: unknown): void {
    if (error instanceof DatabaseUnavailable) this.#note(error.cause ?? error, error.outage, false);
  }

  /** The database was found not to be usable; that lasts until `recovered`. */
  lost(error: unknown): void {
    this.#note(error, outageOf(error) ?? 'unreachable', true);
  }

  recovered(): void {
    for (const [outage, state] of this.#open)
      if (state.lastsUntilUsable || OUTAGES[outage].breaksConnection) this.#end(outage, state);
    this.#log.info('the database answers again');
  }

  /** A change is refused because changes wait for a standby, or that is over. */
  confirmed(isConfirmed: boolean): void {
    const state = this.#open.get('unconfirmed');
    if (!isConfirmed) this.#note(new DatabaseUnavailable('unconfirmed', undefined), 'unconfirmed', true);
    else if (state !== undefined) this.#end('unconfirmed', state);
  }

  /** The state in which no caller can change anything, if there is one whose end is certain to be noticed. */
  stopping(): Outage | undefined {
    const isNoticed = (outage: Outage, lastsUntilUsable: boolean) =>
      lastsUntilUsable || this.#probes[outage] !== undefined;
    return [...this.#open].find(
      ([outage, { lastsUntilUsable }]) => OUTAGES[outage].stopsChanges && isNoticed(outage, lastsUntilUsable),
    )?.[0];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #note(error: unknown, outage: Outage, lastsUntilUsable: boolean): void {
    const known = this.#open.get(outage);
    const state = known ?? new OpenOutage(error, lastsUntilUsable);
    state.last = performance.now();
    if (lastsUntilUsable) state.lastsUntilUsable = true;
    else state.failed += 1;
    if (known !== undefined) return;
    this.#open.set(outage, state);
    this.#report(outage, state);
    this.#timer ??= setInterval(() => {
      this.#tick();
    }, this.#times.tickMs).unref();
  }

  #tick(): void {
    const now = performance.now();
    for (const [outage, state] of this.#open) {
      void this.#probe(outage, state);
      const isUrgentNow = !state.isUrgent && now - state.since >= OUTAGES[outage].patienceSeconds * 1000;
      if (!state.lastsUntilUsable && now - state.last >= this.#times.quietMs) this.#end(outage, state);
      else if (isUrgentNow || now - state.reported >= this.#times.repeatMs) this.#report(outage, state);
    }
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  async #probe(outage: Outage, state: OpenOutage): Promise<void> {
    if (state.isProbed) return;
    state.isProbed = true;
    const isOver = await this.#probes[outage]?.();
    state.isProbed = false;
    if (this.#open.get(outage) !== state || isOver === undefined) return;
    if (isOver) this.#end(outage, state);
    else state.last = performance.now();
  }

  #report(outage: Outage, state: OpenOutage): void {
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
    this.#log[state.isUrgent ? 'error' : 'warn'](facts, `${text}; requests that need it are refused. ${advice}.`);
    [state.reported, state.failed] = [now, 0];
  }

  #end(outage: Outage, { since, failed }: OpenOutage): void {
    this.#open.delete(outage);
    this.#log.info({ outage, failed, seconds: seconds(performance.now() - since) }, `over: ${OUTAGES[outage].state}`);
  }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10;

/** Outages whose message from the server names a file or a resource, and never a part of DATABASE_URL. */
const WITH_DETAIL: ReadonlySet<Outage> = new Set<Outage>(['diskFull', 'outOfMemory', 'faulty']);

function detailOf(outage: Outage, error: unknown): { detail?: string } {
  return WITH_DETAIL.has(outage) && error instanceof DatabaseError ? { detail: error.message } : {};
}

/**
 * Logs a failure of background work that is tried again: a warning with the stack, or a mere note while the database
 * is out, which has its own line.
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
