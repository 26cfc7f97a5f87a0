/** Sums of traffic and dials, one row for each hour and each service, router or link. */
import type { Db } from '../postgres/contracts.js';
import { asyncChange } from '../postgres/statement.js';
import { sweeping } from './sweep.js';

export type UsageKind = 'service' | 'router' | 'link';

export interface UsageSum {
  readonly hour: Date;
  readonly kind: UsageKind;
  readonly entityId: string;
  /** Bytes: from clients to hosts of a service, into the network at a router, from the dialing end of a link. */
  readonly bytesIn: number;
  /** Bytes the other way. */
  readonly bytesOut: number;
  readonly dials: number;
  readonly failedDials: number;
}

export interface UsageStore {
  /** Adds to what is there. Services and routers that do not exist are left out, since routers say what they like. */
  add(sums: readonly UsageSum[]): Promise<void>;
  /** Removes up to `max` rows that are older; answers how many there were. */
  sweep(max: number, keepDays: number): Promise<number>;
}

/** Keeps a sum that a router makes too large from failing all that is written with it. */
const MOST = '9000000000000000000';

/** Adds in order of the key, so that two controllers cannot deadlock; dials of the minute too. */
const ADD = asyncChange(
  'usage-add',
  ({
    returningActor,
  }) => `WITH n AS MATERIALIZED (SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::bigint[],
    $5::bigint[], $6::bigint[], $7::bigint[]) AS n (hour, kind, entity_id, bytes_in, bytes_out, dials, failed_dials)),
  over AS (DELETE FROM dial_minutes WHERE minute < now() - interval '2 hours'),
  minute AS (INSERT INTO dial_minutes AS d (minute, dials, failed_dials)
    SELECT date_trunc('minute', now(), 'UTC'), sum(dials), sum(failed_dials) FROM n WHERE kind = 'router'
    HAVING sum(dials) > 0
    ON CONFLICT (minute) DO UPDATE SET dials = d.dials + excluded.dials,
      failed_dials = d.failed_dials + excluded.failed_dials)
  INSERT INTO usage_hours AS u (hour, kind, entity_id, bytes_in, bytes_out, dials, failed_dials)
  SELECT n.* FROM n
  WHERE CASE n.kind WHEN 'service' THEN EXISTS (SELECT FROM services s WHERE s.id = n.entity_id)
    WHEN 'router' THEN EXISTS (SELECT FROM routers r WHERE r.id = n.entity_id) ELSE true END
  ORDER BY n.hour, n.kind, n.entity_id
  ON CONFLICT (hour, kind, entity_id) DO UPDATE SET
    bytes_in = least(u.bytes_in::numeric + excluded.bytes_in, ${MOST})::bigint,
    bytes_out = least(u.bytes_out::numeric + excluded.bytes_out, ${MOST})::bigint, dials = u.dials + excluded.dials,
    failed_dials = u.failed_dials + excluded.failed_dials${returningActor}`,
);

const SWEEP = sweeping({ table: 'usage_hours', key: 'ctid', where: "hour < now() - $2 * interval '1 day'" });

export function usageStore(db: Db): UsageStore {
  return {
    async add(sums) {
      const each = <K extends keyof UsageSum>(key: K) => sums.map((sum) => sum[key]);
      await db.execute(ADD, [
        each('hour'),
        each('kind'),
        each('entityId'),
        each('bytesIn'),
        each('bytesOut'),
        each('dials'),
        each('failedDials'),
      ]);
    },
    sweep: (max, keepDays) => db.count(SWEEP, [max, keepDays]),
  };
}
