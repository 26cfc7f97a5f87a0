/** The one way to end several API sessions in a statement. */

/** Ends all for which the condition holds, as `t`, in the order in which everything locks them (Order of locks). */
export const endAll = (condition: string): string =>
  `WITH chosen AS MATERIALIZED (SELECT ARRAY (SELECT id FROM api_sessions WHERE ${condition}) AS ids),
  held AS MATERIALIZED (SELECT ids, hold_api_sessions(ids) AS n FROM chosen)
DELETE FROM api_sessions t USING held h WHERE h.n > 0 AND t.id = ANY (h.ids)`;
