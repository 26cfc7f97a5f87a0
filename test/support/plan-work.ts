/** How much work a statement is, as PostgreSQL counts it. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

type Query = (sql: string, values: unknown[]) => Promise<{ readonly rows: unknown[] }>;

/** Runs the statement, and returns how many rows its plan made or threw away. */
export async function rowsOfPlan(query: Query, text: string, values: unknown[]): Promise<number> {
  const { rows } = await query(`EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${text}`, values);
  const [plan] = rows as { 'QUERY PLAN': readonly [{ Plan: PlanNode }] }[];
  if (plan === undefined) throw new Error('there is no plan');
  return rowsOf(plan['QUERY PLAN'][0].Plan);
}

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) *
    node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0);
