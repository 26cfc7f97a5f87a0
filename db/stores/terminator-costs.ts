/**
 * Costs that dials add to terminators, as each host writes its own. They add up over the hosts that live. The column
 * `terminators.dynamic_cost` is 0 everywhere and read by nothing: it stays while release 0.2.0, which reads it, may
 * share a database with this one during an upgrade.
 */
import { MAX_DYNAMIC_COST } from '../../domain/fabric/terminator-costs.js';
import type { TerminatorCost } from '../../domain/fabric/terminator-costs.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange } from '../postgres/statement.js';
import { HOST_IS_ALIVE } from './router-channels.js';

export interface TerminatorCostStore {
  /** Writes the costs of some terminators at a host, and takes out others. */
  write(hostId: string, present: readonly TerminatorCost[], gone: readonly string[]): Promise<void>;
}

const sumSql = (condition: string) => `least(${MAX_DYNAMIC_COST}, coalesce((SELECT sum(c.dynamic_cost)
  FROM terminator_costs c JOIN router_hosts h ON h.id = c.host_id
  WHERE c.id = t.id AND ${HOST_IS_ALIVE} ${condition}), 0))::integer`;

/** Expression over a terminator `t`: what all hosts add to its cost. */
export const DYNAMIC_COST = sumSql('');

/** The same of all but one. */
export const elsewhereCost = (hostId: string): string => sumSql(`AND c.host_id <> ${hostId}`);

const TERMINATOR_COSTS_WRITE = asyncChange(
  'terminator-costs-write',
  ({ returningActor }) => `INSERT INTO terminator_costs (id, host_id, dynamic_cost)
SELECT u.id, $1, u."dynamicCost" FROM jsonb_to_recordset($2::jsonb) AS u (id text, "dynamicCost" integer)
ON CONFLICT (id, host_id) DO UPDATE SET dynamic_cost = excluded.dynamic_cost${returningActor}`,
);

const TERMINATOR_COSTS_GONE = asyncChange(
  'terminator-costs-gone',
  ({ returningActor }) => `DELETE FROM terminator_costs WHERE host_id = $1 AND id = ANY ($2)${returningActor}`,
);

export function terminatorCostStore(db: Db): TerminatorCostStore {
  return {
    async write(hostId, present, gone) {
      if (gone.length > 0) await db.execute(TERMINATOR_COSTS_GONE, [hostId, gone]);
      if (present.length > 0) await db.execute(TERMINATOR_COSTS_WRITE, [hostId, JSON.stringify(present)]);
    },
  };
}
