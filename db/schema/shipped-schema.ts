/** The schema of this release, as db/schema/schema.sql has it, and the migrations that make it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { migrationNames } from './migrate.js';

/** A migration and the SHA-256 of its file in hex: two releases with equal ones have the same schema. */
export interface MigrationHash {
  readonly name: string;
  readonly sha256: string;
}

export function migrationHashes(): MigrationHash[] {
  return migrationNames.map((name) => {
    const text = readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url));
    return { name, sha256: createHash('sha256').update(text).digest('hex') };
  });
}

/** The statements of db/schema/schema.sql, in its order, without the semicolons. */
export function shippedStatements(): string[] {
  return statementsOf(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'));
}

/** Ends of statements: a semicolon at the end of a line, but within the body of a function. */
export function statementsOf(schema: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let isInBody = false;
  for (const line of schema.split('\n')) {
    if (lines.length === 0 && (line === '' || line.startsWith('--'))) continue;
    lines.push(line);
    if (line.split('$function$').length % 2 === 0) isInBody = !isInBody;
    if (isInBody || !line.endsWith(';')) continue;
    statements.push(lines.join('\n').slice(0, -1));
    lines = [];
  }
  return statements;
}

/** Kept by the tool that migrates; every other table holds what the network is. */
const OF_MIGRATIONS = new Set(['schema_migrations', 'schema_migrations_lock']);

/**
 * Tables that hold the network, sorted: what operators made next to them is not ours. A partition is part of its
 * table.
 */
export function networkTables(statements: readonly string[] = shippedStatements()): string[] {
  return statements
    .map((statement) => /^CREATE TABLE (\w+) \(/.exec(statement)?.[1])
    .filter((name): name is string => name !== undefined && !OF_MIGRATIONS.has(name))
    .sort();
}
