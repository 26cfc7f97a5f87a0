/** What a database holds, to see that a refused request has changed nothing. */
import type { TestDatabase } from './database.js';

/**
 * Every table with everything in it, but the times of last use, which any call may move, and the controller's own
 * heartbeat. Of the audit record, not that something was refused, which is written whenever that is; and not how far
 * events were read, which moves by itself.
 */
export async function contentsOf(database: TestDatabase): Promise<Record<string, string>> {
  const { rows: tables } = await database.query(
    `SELECT relname AS tablename FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
    AND relname NOT IN ('event_batches', 'webhook_progress')
    AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  const found: Record<string, string> = {};
  for (const { tablename } of tables as { tablename: string }[]) {
    const touched = ['api_sessions', 'controllers'].includes(tablename) ? 'updated_at' : '';
    const {
      rows: [row],
    } = await database.query(`SELECT coalesce(jsonb_agg(line ORDER BY line), '[]')::text AS text
      FROM (SELECT to_jsonb(t) - 'last_activity_at' - 'last_seen_at' - '${touched}' AS line
        FROM "${tablename}" t ${tablename === 'audit_records' ? "WHERE kind NOT LIKE '%.failed'" : ''}) lines`);
    found[tablename] = String(row?.['text']);
  }
  return found;
}
