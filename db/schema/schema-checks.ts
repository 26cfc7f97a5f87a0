/** The schema of a database against the one of this release. What operators added to it is not looked at. */
import type { Db } from '../postgres/contracts.js';
import { quoted } from './catalog.js';
import { dumpSchema } from './schema-dump.js';
import { networkTables, shippedStatements, statementsOf } from './shipped-schema.js';
import { unprepared } from '../postgres/statement.js';

/** Versions of PostgreSQL write brackets and white space in different ways. */
const bare = (statement: string) => statement.replaceAll(/[()\s]/g, '');

/** Statements of this release whose object a database lacks, or has in another form. */
export async function missingStatements(tx: Db): Promise<string[]> {
  const query = async (sql: string) => tx.execute(unprepared<Record<string, unknown>>('check', sql));
  const present = new Set(statementsOf(await dumpSchema(query, { leavesOutUnknown: true })).map(bare));
  return shippedStatements().filter((statement) => !present.has(bare(statement)));
}

const FUNCTION = /^CREATE OR REPLACE FUNCTION (?:public\.)?(\w+)/;
const TRIGGER = /^CREATE (?:CONSTRAINT )?TRIGGER (\w+) [^]*? ON (\w+) /;
const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) /;
const isRebuildable = (statement: string) => [FUNCTION, TRIGGER, INDEX].some((pattern) => pattern.test(statement));

/** Tables, constraints, sequences and the extension. */
export interface SchemaCheckOptions {
  readonly isFixing: boolean;
  /** Most findings that are wanted, and are repaired. */
  readonly room: number;
  /** `missingStatements` of this run, which two checks share: they read the whole catalog. */
  readonly missing: (tx: Db) => Promise<readonly string[]>;
}

export async function checkStructure(tx: Db, { room, missing }: SchemaCheckOptions): Promise<string[]> {
  const wrong = (await missing(tx)).filter((statement) => !isRebuildable(statement));
  return wrong.slice(0, room).map((statement) => `not as this release made it: ${headOf(statement)}`);
}

function headOf(statement: string): string {
  const line = statement.split('\n')[0] ?? '';
  return line
    .replace(/^(?:CREATE|ALTER) /, '')
    .replace(/ \($/, '')
    .slice(0, 200);
}

/** Functions, triggers and indexes: what this release ships makes them again. */
export async function checkRebuildable(tx: Db, { isFixing, room, missing }: SchemaCheckOptions): Promise<string[]> {
  const found: string[] = [];
  for (const statement of (await missing(tx)).filter(isRebuildable).slice(0, room)) {
    const [what, remove] = objectOf(statement);
    found.push(`${what} is missing or was changed`);
    if (!isFixing) continue;
    if (remove !== undefined) await tx.execute(unprepared('DELETE', remove));
    await tx.execute(unprepared('ALTER', statement));
  }
  const rows = await tx.many(
    unprepared<{ name: string; of: string }>(
      'SELECT',
      `SELECT g.tgname AS name, c.relname AS of FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
    WHERE NOT g.tgisinternal AND g.tgenabled = 'D' AND c.relnamespace = current_schema()::regnamespace
      AND c.relname = ANY ($1) ORDER BY 2, 1 LIMIT $2`,
    ),
    [networkTables(), room - found.length],
  );
  for (const { name, of } of rows) {
    found.push(`the trigger ${name} of ${of} is switched off`);
    if (isFixing) await tx.execute(unprepared('ALTER', `ALTER TABLE ${quoted(of)} ENABLE TRIGGER ${quoted(name)}`));
  }
  return found;
}

/** Names what a statement makes, and what must go before it. */
function objectOf(statement: string): [what: string, remove?: string] {
  const trigger = TRIGGER.exec(statement);
  if (trigger !== null) {
    const [, name = '', of = ''] = trigger;
    return [`the trigger ${name} of ${of}`, `DROP TRIGGER IF EXISTS ${quoted(name)} ON ${quoted(of)}`];
  }
  const index = INDEX.exec(statement)?.[1];
  if (index !== undefined) return [`the index ${index}`, `DROP INDEX IF EXISTS ${quoted(index)}`];
  return [`the function ${FUNCTION.exec(statement)?.[1] ?? ''}`];
}
