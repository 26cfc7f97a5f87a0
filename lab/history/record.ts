/**
 * The record of a run: what clients asked for, when, and what they were answered; what broke meanwhile; what readers of
 * events got; and what was there in the end. One JSON line each. The checker knows nothing else. Times are milliseconds
 * of one clock, that of the process in which all clients run.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/** `failed`: certainly not done. `unknown`: the answer does not say, or there was none. */
export type Outcome = 'ok' | 'failed' | 'unknown';

interface Operation {
  readonly client: string;
  /** Name of the controller that was asked. */
  readonly at: string;
  readonly start: number;
  readonly end: number;
  readonly outcome: Outcome;
  /** Status and code of the answer, or why there was none. */
  readonly answer: string;
}

/** A register is one member of one entity; each write has a value of its own. */
export interface Write extends Operation {
  readonly kind: 'write';
  readonly key: string;
  readonly value: string;
  /** The version in `If-Match`. */
  readonly base?: number;
  /** The version that the answer names. */
  readonly version?: number;
}

export interface Read extends Operation {
  readonly kind: 'read';
  readonly key: string;
  readonly value?: string;
  readonly version?: number;
}

/** An entity with a name of its own comes or goes. */
export interface Presence extends Operation {
  readonly kind: 'create' | 'remove';
  readonly name: string;
}

/** Access that is given and taken again, by its one owner. */
export interface Change extends Operation {
  readonly kind: 'give' | 'take';
  readonly subject: string;
}

/** An attempt to use it. */
export interface Use extends Operation {
  readonly kind: 'use';
  readonly subject: string;
  /** What was tried, such as a dial. */
  readonly what: string;
  readonly isGranted?: boolean;
}

/** Something that was broken on purpose. */
export interface Fault {
  readonly kind: 'fault';
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

/** An event as one reader got it. */
export interface Received {
  readonly kind: 'event';
  readonly reader: string;
  readonly time: number;
  readonly id: string;
  readonly auditId: number;
  readonly entityId: string;
  readonly event: string;
}

/** Why a reader could not simply go on. */
export interface Notice {
  readonly kind: 'notice';
  readonly reader: string;
  readonly time: number;
  readonly event: string;
  readonly reason: string;
}

/** A record of the audit, read in the end. */
export interface Audited {
  readonly kind: 'audit';
  readonly seq: number;
  readonly event: string;
  readonly entityId: string;
  readonly name?: string;
  /** The register before and after. */
  readonly before?: string;
  readonly after?: string;
}

/** An entity of the run that was there in the end. */
export interface Left {
  readonly kind: 'left';
  readonly name: string;
}

/** Facts of the whole run. */
export interface Head {
  readonly kind: 'head';
  readonly seed: number;
  readonly minutes: number;
  /** Kinds of events that the webhook is sent, as its filter has them; a trailing `*` is for all that begin so. */
  readonly hooked: string;
}

export type Entry = Head | Write | Read | Presence | Change | Use | Fault | Received | Notice | Audited | Left;

/** The reader whose deliveries may be repeated: a webhook. */
export const WEBHOOK = 'webhook';

/** Writes entries to a file in batches, and keeps them. */
export class RecordFile {
  readonly entries: Entry[] = [];
  #written = 0;

  constructor(private readonly file: string) {
    writeFileSync(file, '');
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    if (this.entries.length - this.#written >= 500) this.flush();
  }

  flush(): void {
    const lines = this.entries.slice(this.#written).map((entry) => `${JSON.stringify(entry)}\n`);
    this.#written = this.entries.length;
    appendFileSync(this.file, lines.join(''));
  }
}

export const readRecord = (file: string): Entry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** Entries of these kinds, in the order of the record. */
export function ofKind<K extends Entry['kind']>(
  entries: readonly Entry[],
  ...kinds: readonly K[]
): Extract<Entry, { readonly kind: K }>[] {
  const wanted = new Set<string>(kinds);
  return entries.filter((entry): entry is Extract<Entry, { readonly kind: K }> => wanted.has(entry.kind));
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
