/**
 * What the control channel writes into the log: a router decides how often there is something to say, so each kind of
 * line has one a minute for each router. The last of those that were left out follows at the end of the minute, with
 * how many there were: what the log says last is what is true.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { FabricServices } from '../services.js';

const QUIET_MS = 60_000;
/** Between two looks whether a minute is over. */
const LOOK_MS = 5_000;
/** Kinds, of all routers, that are remembered. */
const MAX_KINDS = 20_000;

type Level = 'debug' | 'info' | 'warn' | 'error';

/** @param most  lines of this kind in a minute; 1 by default */
export type WriteLine = (facts: object, message: string, most?: number) => void;
export type FabricLog = Readonly<Record<Level, WriteLine>>;

interface Kind {
  since: number;
  lines: number;
  left: number;
  /** Writes the last that was left out. */
  last: ((more: object) => void) | undefined;
}

export interface RouterLog {
  readonly log: FabricLog;
  readonly noteFailure: FabricServices['noteFailure'];
  /** Writes what was left out and is due. */
  readonly look: () => void;
  /** Writes what was left out. */
  readonly close: () => void;
}

export function createRouterLog(
  out: { readonly log: Pick<Logger, Level>; readonly noteFailure: FabricServices['noteFailure'] },
  now: () => number = () => performance.now(),
): RouterLog {
  const kinds = new LRUCache<string, Kind>({ max: MAX_KINDS });
  let timer: NodeJS.Timeout | undefined;

  const writeLast = (kind: Kind) => {
    const { last, left } = kind;
    Object.assign(kind, { since: now(), lines: 1, left: 0, last: undefined });
    last?.(left > 1 ? { repeated: left } : {});
  };
  const look = (mayWait = true) => {
    clearTimeout(timer);
    timer = undefined;
    let isLeft = false;
    for (const kind of kinds.rvalues()) {
      if (kind?.last === undefined) continue;
      if (mayWait && now() - kind.since < QUIET_MS) isLeft = true;
      else writeLast(kind);
    }
    if (isLeft) timer = setTimeout(look, LOOK_MS).unref();
  };
  const line = (key: string, most: number, write: (more: object) => void) => {
    const kind = kinds.get(key);
    if (kind === undefined || (kind.last === undefined && now() - kind.since >= QUIET_MS)) {
      kinds.set(key, { since: now(), lines: 1, left: 0, last: undefined });
      write({});
    } else if (kind.last === undefined && kind.lines < most) {
      kind.lines += 1;
      write({});
    } else {
      kind.left += 1;
      kind.last = write;
      timer ??= setTimeout(look, LOOK_MS).unref();
    }
  };
  const keyOf = (facts: object, message: string) => `${routerIn(facts)} ${message}`;
  const writer =
    (level: Level): WriteLine =>
    (facts, message, most = 1) => {
      line(keyOf(facts, message), most, (more) => {
        out.log[level]({ ...facts, ...more }, message);
      });
    };
  return {
    log: { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') },
    noteFailure: (error, facts, message) => {
      line(keyOf(facts, message), 1, (more) => {
        out.noteFailure(error, { ...facts, ...more }, message);
      });
    },
    look: () => {
      look();
    },
    close: () => {
      look(false);
    },
  };
}

/** '' for a line about no router. */
const routerIn = (facts: object): string =>
  'routerId' in facts && typeof facts.routerId === 'string' ? facts.routerId : '';
