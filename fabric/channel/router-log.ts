/**
 * Writes the lines of the control channel into the log. A router decides how often there is something to say, so each
 * kind of line appears once a minute for each router. The last of those that were left out follows at the end of the
 * minute, with their number: the last line of the log about something is true.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

const QUIET_MS = 60_000;
/** Time between two checks whether a minute is over. */
const CHECK_MS = 5_000;
/** Kinds that are remembered, of all routers together. */
const MAX_KINDS = 20_000;

type Level = 'debug' | 'info' | 'warn' | 'error';

/** @param most  lines of this kind in a minute; 1 by default */
export type WriteLine = (facts: object, message: string, most?: number) => void;
export type FabricLog = Readonly<Record<Level, WriteLine>>;

/**
 * Logs that something was refused or is tried again because something failed: as a warning, or as a mere note while
 * the database is away, which has lines of its own.
 */
export type NoteFailure = (error: unknown, facts: object, message: string) => void;

/** Logs with bounds for each router. */
export interface FailureLog {
  readonly log: FabricLog;
  readonly noteFailure: NoteFailure;
}

interface Kind {
  since: number;
  lines: number;
  left: number;
  /** Writes the last that was left out. */
  last: ((more: object) => void) | undefined;
}

export interface RouterLogTarget {
  readonly log: Pick<Logger, Level>;
  readonly noteFailure: NoteFailure;
}

export class RouterLog implements FailureLog {
  readonly log: FabricLog;
  readonly #target: RouterLogTarget;
  readonly #now: () => number;
  readonly #kinds = new LRUCache<string, Kind>({ max: MAX_KINDS });
  #timer: NodeJS.Timeout | undefined;

  constructor({ log, noteFailure }: RouterLogTarget, now: () => number = () => performance.now()) {
    this.#target = { log, noteFailure };
    this.#now = now;
    const writer =
      (level: Level): WriteLine =>
      (facts, message, most = 1) => {
        this.#write(facts, message, most, (more) => {
          log[level]({ ...facts, ...more }, message);
        });
      };
    this.log = { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
  }

  readonly noteFailure: NoteFailure = (error, facts, message) => {
    this.#write(facts, message, 1, (more) => {
      this.#target.noteFailure(error, { ...facts, ...more }, message);
    });
  };

  /** Writes the lines that were left out and are due. */
  writeDue(): void {
    this.#writeLeftOut(true);
  }

  /** Writes all lines that were left out. */
  close(): void {
    this.#writeLeftOut(false);
  }

  #write(facts: object, message: string, most: number, write: (more: object) => void): void {
    const key = `${routerIn(facts)} ${message}`;
    const kind = this.#kinds.get(key);
    if (kind === undefined || (kind.last === undefined && this.#now() - kind.since >= QUIET_MS)) {
      this.#kinds.set(key, { since: this.#now(), lines: 1, left: 0, last: undefined });
      write({});
    } else if (kind.last === undefined && kind.lines < most) {
      kind.lines += 1;
      write({});
    } else {
      kind.left += 1;
      kind.last = write;
      this.#schedule();
    }
  }

  #writeLeftOut(mayWait: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let isLeft = false;
    for (const kind of this.#kinds.rvalues()) {
      if (kind?.last === undefined) continue;
      if (mayWait && this.#now() - kind.since < QUIET_MS) isLeft = true;
      else this.#writeLast(kind);
    }
    if (isLeft) this.#schedule();
  }

  #writeLast(kind: Kind): void {
    const { last, left } = kind;
    Object.assign(kind, { since: this.#now(), lines: 1, left: 0, last: undefined });
    last?.(left > 1 ? { repeated: left } : {});
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.writeDue();
    }, CHECK_MS).unref();
  }
}

/** '' for a line about no router. */
const routerIn = (facts: object): string =>
  'routerId' in facts && typeof facts.routerId === 'string' ? facts.routerId : '';
