/** Identities that routers report as connected, as each host writes it and the other hosts read it. */
import type { Db } from '../postgres/contracts.js';
import { asyncChange, read } from '../postgres/statement.js';
import { HOST_IS_ALIVE } from './router-channels.js';

export interface ConnectedIdentityRow {
  readonly identityId: string;
  /** Counted up by the host with each row that it writes. */
  readonly number: number;
  readonly isConnected: boolean;
  /** Milliseconds since the last router went that had reported it; null unless no other reports it. */
  readonly lostForMs: number | null;
}

/** Rows of a host that its reader did not know. */
export interface HostIdentities {
  readonly hostId: string;
  /** Time at which the host joined, in milliseconds: a host that was restarted has none of its earlier rows. */
  readonly joinedAt: number;
  /** Rows in the order of their numbers. */
  readonly rows: readonly ConnectedIdentityRow[];
}

export interface KnownIdentities {
  readonly hostId: string;
  readonly joinedAt: number;
  /** The greatest number that was read. */
  readonly number: number;
}

export interface ConnectedIdentityStore {
  /** Writes what the host knows of some identities. Those that do not exist are left out. */
  write(hostId: string, rows: readonly ConnectedIdentityRow[]): Promise<void>;
  /** All hosts that live but one, each with up to `most` rows beyond what is known of it. */
  elsewhere(hostId: string, known: readonly KnownIdentities[], most: number): Promise<HostIdentities[]>;
}

const CONNECTED_IDENTITIES_WRITE = asyncChange(
  'connected-identities-write',
  ({ returningActor }) => `INSERT INTO connected_identities AS c (host_id, identity_id, number, is_connected, lost_at)
SELECT $1, u."identityId", u.number, u."isConnected", now() - u."lostForMs" * interval '1 ms'
FROM jsonb_to_recordset($2::jsonb)
  AS u ("identityId" text, number bigint, "isConnected" boolean, "lostForMs" double precision)
JOIN identities i ON i.id = u."identityId"
ON CONFLICT (host_id, identity_id) DO UPDATE
SET number = excluded.number, is_connected = excluded.is_connected, lost_at = excluded.lost_at
WHERE c.number < excluded.number${returningActor}`,
);

const CONNECTED_IDENTITIES_ELSEWHERE = read<HostIdentities>(
  'connected-identities-elsewhere',
  `SELECT h.id AS "hostId", round(extract(epoch FROM h.joined_at) * 1000)::float8 AS "joinedAt", coalesce((
    SELECT json_agg(json_build_object('identityId', c.identity_id, 'number', c.number, 'isConnected', c.is_connected,
      'lostForMs', round(extract(epoch FROM now() - c.lost_at) * 1000)) ORDER BY c.number)
    FROM (SELECT * FROM connected_identities i WHERE i.host_id = h.id AND i.number > coalesce(k.number, 0)
      ORDER BY i.number LIMIT $3) AS c), '[]') AS rows
  FROM router_hosts h LEFT JOIN jsonb_to_recordset($2::jsonb)
    AS k ("hostId" text, "joinedAt" double precision, number bigint)
    ON k."hostId" = h.id AND k."joinedAt" = round(extract(epoch FROM h.joined_at) * 1000)::float8
  WHERE h.id <> $1 AND ${HOST_IS_ALIVE}`,
);

export function connectedIdentityStore(db: Db): ConnectedIdentityStore {
  return {
    async write(hostId, rows) {
      if (rows.length > 0) await db.execute(CONNECTED_IDENTITIES_WRITE, [hostId, JSON.stringify(rows)]);
    },
    elsewhere: (hostId, known, most) => db.many(CONNECTED_IDENTITIES_ELSEWHERE, [hostId, JSON.stringify(known), most]),
  };
}
