/**
 * How far a server is in the log of changes that a primary writes and its standbys follow. Numbers of places in it can
 * be compared within one cluster and one timeline alone: a standby that did not follow a failover may be further on its
 * old timeline.
 */
import type { ClientBase } from 'pg';
import { read } from '../statement.js';

export interface WalPosition {
  readonly place: bigint;
  readonly timeline: number;
  /** Name of the cluster, which its standbys have too. */
  readonly system: string;
}

interface PositionRow {
  readonly place: string | null;
  readonly timeline: number;
  readonly system: string;
}

const SYSTEM = '(SELECT system_identifier::text FROM pg_control_system()) AS system';

/**
 * Asks a primary up to where its log is on the disk. All changes that were answered are before that, but for counts of
 * failed logins, which wait for no disk: their records show a moment later.
 */
export const WRITTEN = read<PositionRow>(
  'wal-written',
  `SELECT w.place::text AS place, ('x' || left(pg_walfile_name(w.place), 8))::bit(32)::int AS timeline, ${SYSTEM}
  FROM (SELECT pg_current_wal_flush_lsn() AS place OFFSET 0) w`,
);

/**
 * The timeline that is received is shown to roles of `pg_monitor`; for others it is that of the last checkpoint, which
 * follows a failover minutes later.
 */
const FOLLOWED = `SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn()::text AS place,
  coalesce((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint()))
    AS timeline, ${SYSTEM}`;

const positionFrom = ({ place, timeline, system }: PositionRow): WalPosition => ({
  place: placeFrom(place ?? '0/0'),
  timeline,
  system,
});

/** `16/B374D848` */
function placeFrom(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

export function writtenFrom(row: PositionRow | undefined): WalPosition {
  if (row === undefined) throw new Error('the server does not say how far it is');
  return positionFrom(row);
}

/** How far a standby has followed; undefined when the server is none. */
export async function followedBy(client: ClientBase): Promise<WalPosition | undefined> {
  const {
    rows: [row],
  } = await client.query<PositionRow & { isStandby: boolean }>(FOLLOWED);
  return row?.isStandby === true ? positionFrom(row) : undefined;
}
