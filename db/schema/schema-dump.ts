/** The schema of a database, read from PostgreSQL's own catalog, as SQL that makes it again. */

/** Runs one statement on the database that is to be described. */
export type RunQuery = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>;

const HEAD = '-- The schema after all migrations. Written by scripts/dump-schema.ts; do not edit.';
/** Functions come before the tables that some of them read, because tables may use functions. */
const UNCHECKED_BODIES = 'SET check_function_bodies = off;';

/**
 * Everything in the schema `public` that no extension brought, in a fixed order.
 * @throws Error for a kind of object that it does not know, unless those are to be left out
 */
export async function dumpSchema(query: RunQuery, { leavesOutUnknown = false } = {}): Promise<string> {
  const texts = async (sql: string) => (await query(sql)).rows.map((row) => String(row['text']));
  const unknown = leavesOutUnknown ? [] : await texts(UNKNOWN);
  if (unknown.length > 0) throw new Error(`db/schema/schema-dump.ts does not know how to write: ${unknown.join(', ')}`);
  const parts = [HEAD, UNCHECKED_BODIES];
  for (const kind of [EXTENSIONS, SEQUENCES, FUNCTIONS]) parts.push(...(await texts(kind)));
  parts.push(...(await tableTexts(query)), (await texts(DEFAULT_PARTITIONS)).join('\n'));
  parts.push(
    ...(await texts(VIEWS)),
    (await texts(VIEW_DEFAULTS)).join('\n'),
    ...(await texts(SEQUENCE_OWNERS)),
    (await texts(ADDED_CONSTRAINTS)).join('\n'),
    (await texts(INDEXES)).join('\n'),
    (await texts(TRIGGERS)).join('\n'),
  );
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

async function tableTexts(query: RunQuery): Promise<string[]> {
  const linesOf = new Map<string, string[]>();
  for (const kind of [COLUMNS, CONSTRAINTS]) {
    for (const { of: table, text } of (await query(kind)).rows) {
      const lines = linesOf.get(String(table)) ?? [];
      linesOf.set(String(table), lines);
      lines.push(`  ${String(text)}`);
    }
  }
  return (await query(TABLE_HEADS)).rows.map(({ name, partition, options }) => {
    const parts = [
      `CREATE TABLE ${String(name)} (\n${(linesOf.get(String(name)) ?? []).join(',\n')}\n)`,
      ...(typeof partition === 'string' ? [`PARTITION BY ${partition}`] : []),
      ...(typeof options === 'string' ? [`WITH (${options})`] : []),
    ];
    return `${parts.join(' ')};`;
  });
}

const OURS = `n.nspname = 'public'`;
/** `object` and `catalog` name a catalog row; true for what `CREATE EXTENSION` made. */
const fromExtension = (object: string, catalog: string) =>
  `EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${object}
    AND d.deptype = 'e')`;
const RELATIONS = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS}
  AND NOT ${fromExtension('c.oid', 'pg_class')}`;
/** Not the partitions of a table: which there are depends on the day. */
const TABLES = `${RELATIONS} AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

const DEFAULT_PARTITIONS = `
SELECT format('CREATE TABLE %I PARTITION OF %I DEFAULT;', c.relname, p.relname) AS text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_inherits h ON h.inhrelid = c.oid
JOIN pg_class p ON p.oid = h.inhparent
WHERE ${OURS} AND c.relkind = 'r' AND pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' ORDER BY c.relname`;

const TABLE_HEADS = `
SELECT c.relname AS name, array_to_string(c.reloptions, ', ') AS options,
  CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END AS partition ${TABLES} ORDER BY 1`;

const VIEWS = `SELECT format(E'CREATE VIEW %I AS\\n%s', c.relname, pg_get_viewdef(c.oid)) AS text ${RELATIONS}
  AND c.relkind = 'v' ORDER BY c.relname`;

const VIEW_DEFAULTS = `
SELECT format('ALTER VIEW %I ALTER %I SET DEFAULT %s;', c.relname, a.attname, pg_get_expr(b.adbin, b.adrelid)) AS text
FROM pg_attrdef b JOIN pg_attribute a ON a.attrelid = b.adrelid AND a.attnum = b.adnum
JOIN pg_class c ON c.oid = b.adrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OURS} AND c.relkind = 'v' ORDER BY c.relname, a.attnum`;

const UNKNOWN = `
SELECT c.relname || ' (kind ' || c.relkind::text || ')' AS text ${RELATIONS}
AND c.relkind NOT IN ('r', 'p', 'i', 'I', 'S', 't', 'v')
UNION ALL
SELECT t.typname || ' (type)' FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE ${OURS} AND t.typtype IN ('e', 'd', 'r', 'm') AND NOT ${fromExtension('t.oid', 'pg_type')}
UNION ALL
SELECT p.proname || ' (aggregate, window function or procedure)' FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE ${OURS} AND p.prokind <> 'f' AND NOT ${fromExtension('p.oid', 'pg_proc')}
UNION ALL
SELECT c.relname || '.' || a.attname || ' (identity or generated column)'
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE ${OURS} AND c.relkind IN ('r', 'p') AND NOT a.attisdropped AND a.attnum > 0
AND (a.attidentity <> '' OR a.attgenerated <> '')
UNION ALL
SELECT c.relname || ' (row security)' ${TABLES} AND c.relrowsecurity
ORDER BY 1`;

const EXTENSIONS = `SELECT format('CREATE EXTENSION IF NOT EXISTS %I;', extname) AS text FROM pg_extension
  WHERE extname <> 'plpgsql' ORDER BY extname`;

const SEQUENCES = `SELECT format('CREATE SEQUENCE %I AS %s;', sequencename, data_type) AS text FROM pg_sequences
  WHERE schemaname = 'public' ORDER BY sequencename`;

const SEQUENCE_OWNERS = `
SELECT format('ALTER SEQUENCE %I OWNED BY %I.%I;', s.relname, t.relname, a.attname) AS text
FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype = 'a'
JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
WHERE ${OURS} AND s.relkind = 'S' ORDER BY s.relname`;

const FUNCTIONS = `
SELECT rtrim(pg_get_functiondef(p.oid), E'\\n') || ';' AS text FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE ${OURS} AND NOT ${fromExtension('p.oid', 'pg_proc')}
ORDER BY p.proname, pg_get_function_identity_arguments(p.oid)`;

/** Columns of all tables and their partitions, each with its table. */
const COLUMNS = `
SELECT c.relname AS of, quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
  || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || quote_ident(l.collname) ELSE '' END
  || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
  || coalesce(' DEFAULT ' || pg_get_expr(b.adbin, b.adrelid), '') AS text
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation
LEFT JOIN pg_attrdef b ON b.adrelid = a.attrelid AND b.adnum = a.attnum
WHERE ${OURS} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum`;

/**
 * Keys and checks. References come last, when every table exists, and so does a check that holds for changes only: in
 * CREATE TABLE it would hold for all rows. NOT NULL is written with its column.
 */
const CONSTRAINTS = `
SELECT c.relname AS of, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) AS text
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OURS} AND k.contype IN ('p', 'u', 'c', 'x') AND k.convalidated
ORDER BY c.relname, array_position(ARRAY['p', 'u', 'c', 'x'], k.contype::text), k.conname`;

const ADDED_CONSTRAINTS = `
SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s;', c.relname, k.conname, pg_get_constraintdef(k.oid)) AS text
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OURS} AND (k.contype = 'f' OR (k.contype = 'c' AND NOT k.convalidated)) ORDER BY c.relname, k.conname`;

/** Indexes that no constraint brought; those of a partition come with the index of its table. */
const INDEXES = `
SELECT replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), ' ON public.', ' ON ') || ';' AS text
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OURS} AND NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid
AND k.contype IN ('p', 'u', 'x'))
ORDER BY (SELECT relname FROM pg_class WHERE oid = i.indrelid), c.relname`;

const TRIGGERS = `
SELECT replace(pg_get_triggerdef(g.oid), ' ON public.', ' ON ') || ';' AS text
FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OURS} AND NOT g.tgisinternal ORDER BY c.relname, g.tgname`;
