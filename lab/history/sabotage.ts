/** Faults that are put in on purpose, to prove that the checker finds them. None of them is in the product. */
import type { EventData } from '../../test/support/event-source.js';
import { NotificationFilter } from './link.js';
import type { Filter } from './link.js';
import type { HistoryDatabase } from './network.js';
import type { Sieve } from './readers.js';
import type { Entry, RecordFile } from './record.js';
import { pause } from './caller.js';
import type { Reading, Tamper } from './writers.js';

export const SABOTAGES = ['skipped-notice', 'lost-write', 'doubled-write', 'stale-read', 'lost-event'] as const;
export type Sabotage = (typeof SABOTAGES)[number];

export interface Saboteur {
  /** Of what the database sends to controller B. */
  readonly filter?: Filter;
  /** Of what one client reads. */
  readonly tamper?: Tamper;
  /** Of what one reader of events gets. */
  readonly sieve?: Sieve;
  /** Run beside the clients. */
  readonly acts?: readonly Act[];
}

type Act = (database: HistoryDatabase, record: RecordFile, signal: AbortSignal) => Promise<void>;

/** All of them at once. */
export function saboteurOf(kinds: readonly Sabotage[]): Saboteur {
  const all = kinds.map(saboteur);
  return { ...(Object.assign({}, ...all) as Saboteur), acts: all.flatMap(({ acts = [] }) => acts) };
}

function saboteur(kind: Sabotage): Saboteur {
  switch (kind) {
    case 'skipped-notice':
      return { filter: () => new NotificationFilter((channel) => channel === 'edge') };
    case 'lost-write':
      return { acts: [(database, record, signal) => everySoOften(record, signal, (write) => undo(database, write))] };
    case 'doubled-write':
      return { acts: [(database, record, signal) => everySoOften(record, signal, (write) => redo(database, write))] };
    case 'stale-read':
      return { tamper: remembering() };
    case 'lost-event':
      return { sieve: dropping() };
  }
}

const EVERY_MS = 1_500;
type AcknowledgedWrite = Extract<Entry, { kind: 'write' }>;

/** A few writes are enough: the last one that was acknowledged each time. */
async function everySoOften(
  record: RecordFile,
  signal: AbortSignal,
  act: (write: AcknowledgedWrite) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await pause(EVERY_MS, signal);
    const isDone = (entry: Entry): entry is AcknowledgedWrite => entry.kind === 'write' && entry.outcome === 'ok';
    const write = record.entries.findLast(isDone);
    // A database that is broken at this moment is no matter.
    if (write !== undefined && !signal.aborted) await act(write).catch(() => undefined);
  }
}

/** Takes a write back behind the controllers' backs, its record too, as a failover that loses it would. */
async function undo(database: HistoryDatabase, { key, value }: AcknowledgedWrite): Promise<void> {
  for (const table of ['services', 'identities'])
    await database.query(`BEGIN; SET LOCAL session_replication_role = replica;
      WITH gone AS (DELETE FROM audit_records WHERE entity_id = '${key}' AND after #>> '{tags,value}' = '${value}'
        RETURNING before)
      UPDATE ${table} e SET tags = gone.before -> 'tags', updated_at = updated_at - interval '1 second' FROM gone
        WHERE e.id = '${key}' AND e.tags ->> 'value' = '${value}';
      COMMIT`);
}

/** Applies a write a second time, as a retry behind a connection that broke would. */
async function redo(database: HistoryDatabase, { key, value }: AcknowledgedWrite): Promise<void> {
  for (const table of ['services', 'identities'])
    for (const text of ['again', value])
      await database.query(`UPDATE ${table} SET tags = jsonb_build_object('value', '${text}'),
        updated_at = greatest(clock_timestamp(), updated_at + interval '1 ms') WHERE id = '${key}'`);
}

const EACH = 25;

/** One read in some gets what was there at an earlier one, as from a memory that was not told. */
function remembering(): Tamper {
  const old = new Map<string, Reading>();
  let reads = 0;
  return (key, reading) => {
    const before = old.get(key);
    reads += 1;
    if (before !== undefined && reads % EACH === 0) return before;
    if (reads % 2 === 0) old.set(key, reading);
    return reading;
  };
}

function dropping(): Sieve {
  let count = 0;
  return (events: readonly EventData[]) => events.filter(() => (count += 1) % (4 * EACH) !== 0);
}
