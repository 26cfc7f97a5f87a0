/** How many entities of each kind there are, from the totals that triggers keep. */
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';

/** Counts by table, as `entity_counts` keeps them; a kind of which none was ever made is not there. */
export type EntityCounts = ReadonlyMap<string, number>;

export interface SummaryStore {
  /** `edge_routers` are those routers that take part in access. */
  counts(): Promise<EntityCounts>;
}

const COUNTS = slowRead<{ kind: string; total: number }>(
  'summary',
  `SELECT kind, sum(total)::int AS total FROM entity_counts GROUP BY kind
  UNION ALL SELECT 'edge_routers', count(*)::int FROM routers WHERE is_edge`,
);

export function summaryStore(db: Db): SummaryStore {
  return {
    async counts() {
      const rows = await db.many(COUNTS);
      return new Map(rows.map(({ kind, total }) => [kind, total]));
    },
  };
}
