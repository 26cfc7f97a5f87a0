/** Routers that are being emptied: no path passes them, and dials take their terminators when there are no others. */
import { TOUCHED } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { change } from '../postgres/statement.js';

export interface QuiescedRouterStore {
  /** Call both in a transaction. A router that is so already, or is not there, stays as it is. */
  quiesce(routerId: string): Promise<void>;
  dequiesce(routerId: string): Promise<void>;
}

/** Joined to terminators `t`: `q` is null unless their router is quiesced. */
export const QUIESCED_JOIN = 'LEFT JOIN quiesced_routers q ON q.router_id = t.router_id';
/** The precedence that counts of such a terminator. */
export const PRECEDENCE = "CASE WHEN q.router_id IS NULL THEN t.precedence ELSE 'failed' END";

const QUIESCE = change(
  'router-quiesce',
  ({ returningActor }) => `INSERT INTO quiesced_routers (router_id) SELECT id FROM routers WHERE id = $1
  ON CONFLICT DO NOTHING${returningActor}`,
);

const DEQUIESCE = change(
  'router-dequiesce',
  ({ returningActor }) => `DELETE FROM quiesced_routers WHERE router_id = $1${returningActor}`,
);

/** They show another precedence than before. */
const TERMINATORS_TOUCH = change(
  'router-quiesce-terminators',
  ({ returningActor }) => `UPDATE terminators SET ${TOUCHED} WHERE router_id = $1${returningActor}`,
);

export function quiescedRouterStore(db: Db): QuiescedRouterStore {
  return {
    async quiesce(routerId) {
      if ((await db.count(QUIESCE, [routerId])) > 0) await db.execute(TERMINATORS_TOUCH, [routerId]);
    },
    async dequiesce(routerId) {
      if ((await db.count(DEQUIESCE, [routerId])) > 0) await db.execute(TERMINATORS_TOUCH, [routerId]);
    },
  };
}
