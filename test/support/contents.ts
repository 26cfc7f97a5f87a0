/** What a database holds, to see that a refused request has changed nothing. */
import type { TestDatabase } from './database.js';

/**
 * Every table with everything in it, but the times of last use, which any call may move, and the controller's own
 * heartbeat.
 */
export async function contentsOf(database: TestDatabase): Promise<Record<string, string>> {
  const { rows: tables } = await database.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  const found: Record<string, string> = {};
  for (const { tablename } of tables as { tablename: string }[]) {
    const touched = ['api_sessions', 'controllers'].includes(tablename) ? 'updated_at' : '';
    const {
      rows: [row],
    } = await database.query(`SELECT coalesce(jsonb_agg(line ORDER BY line), '[]')::text AS text
      FROM (SELECT to_jsonb(t) - 'last_activity_at' - 'last_seen_at' - '${touched}' AS line
        FROM "${tablename}" t) lines`);
    found[tablename] = String(row?.['text']);
  }
  return found;
}
