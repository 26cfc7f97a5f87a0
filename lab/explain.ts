/**
 * Explains the hot statements in a network of a given size: to compare their plans with those of another run, and to
 * fail when a statement reads a big table from end to end without a reason that is written down.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ClientConfig } from 'pg';
import { parseConnectionUrl } from '../db/postgres/connection-url.js';
import { serversOf } from '../db/postgres/servers.js';
import { differencesOf } from './explain/compare.js';
import { fill } from './explain/fill.js';
import { withNetwork, withServer } from './explain/network.js';
import type { OpenNetwork } from './explain/network.js';
import type { Scale } from './explain/scale.js';
import { summaryOf } from './explain/plan.js';
import { indexOf } from './explain/report.js';
import type { StatementReport } from './explain/report.js';
import { factsOf, hotStatements } from './explain/statements.js';

const USAGE = `Usage: npm run explain -- [options]

Fills a database and explains every hot statement of the stores. Exits with 1 when a big table is read from end to end
without a reason, or when plans differ from those to compare with.

  --identities N   identities to have (100000)
  --services M     services to have (2000)
  --database URL   an empty database to fill, as a superuser; without, an embedded one that goes away
  --data DIR       an embedded database in DIR: filled unless it is, and kept, for a controller with EDGE_DATA_DIR=DIR
  --write DIR      write each plan to DIR, and plans.md, the table of docs/performance/plans.md
  --compare DIR    compare with the plans that an earlier run wrote to DIR: kinds of nodes, tables, indexes, depths
  --only NAME      only statements whose name contains it; their plans are printed, and --write is not taken
  -h, --help       show this text and exit
`;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

interface Options extends Scale {
  readonly database: string | undefined;
  readonly data: string | undefined;
  readonly write: string | undefined;
  readonly compare: string | undefined;
  readonly only: string | undefined;
}

function parse(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      identities: text,
      services: text,
      database: text,
      data: text,
      write: text,
      compare: text,
      only: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const whole = (name: string, value: string | undefined, fallback: number): number => {
    const number = Number(value ?? fallback);
    if (!Number.isInteger(number) || number < 100)
      throw new Error(`${name} must be a whole number from 100, not ${value ?? ''}`);
    return number;
  };
  if (values.only !== undefined && values.write !== undefined)
    throw new Error('--write takes the plans of all statements: without --only');
  if (values.data !== undefined && values.database !== undefined)
    throw new Error('--data is an embedded database: without --database');
  return {
    identities: whole('--identities', values.identities, 100_000),
    services: whole('--services', values.services, 2000),
    database: values.database,
    data: values.data,
    write: values.write,
    compare: values.compare,
    only: values.only,
  };
}

/** Runs `use` with a database that holds nothing yet, unless it is one that is kept. */
async function withDatabase<T>(
  { database: url, data }: Pick<Options, 'database' | 'data'>,
  use: (connection: ClientConfig) => Promise<T>,
): Promise<T> {
  if (url !== undefined) return use(serversOf(parseConnectionUrl(url)));
  if (data !== undefined) return withServer(resolve(data), use);
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-explain-'));
  try {
    return await withServer(dataDir, use);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function explainAll(
  { stores, recorder, client, isEmpty }: OpenNetwork,
  { identities, services, data, only }: Options,
): Promise<StatementReport[]> {
  if (!isEmpty && data === undefined) throw new Error('the database is not empty');
  if (isEmpty) {
    say(`filling: ${identities} identities, ${services} services`);
    await fill(stores, client, { identities, services });
  }
  const facts = await factsOf(stores, { identities, services });
  const { rows } = await client.query<{ relname: string; rows: number }>(
    `SELECT relname, reltuples::int AS rows FROM pg_class WHERE relkind = 'r'
      AND relnamespace = 'public'::regnamespace`,
  );
  const rowsOf = new Map(rows.map((row) => [row.relname, row.rows]));
  const reports: StatementReport[] = [];
  for (const { name, act, scans = {} } of hotStatements.filter((hot) => hot.name.includes(only ?? ''))) {
    say(name);
    const explained = await recorder.record(() => act(stores, facts));
    reports.push(
      ...explained.map((item, index) => ({
        file: explained.length === 1 ? name : `${name}-${index + 1}`,
        statement: item.name,
        allowed: scans,
        ...summaryOf(item, rowsOf),
      })),
    );
  }
  return reports;
}

const plansIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.txt'));

function write(folder: string, reports: readonly StatementReport[], scale: Scale): void {
  mkdirSync(folder, { recursive: true });
  for (const file of plansIn(folder)) rmSync(join(folder, file));
  for (const { file, text } of reports) writeFileSync(join(folder, `${file}.txt`), text);
  writeFileSync(join(folder, 'plans.md'), indexOf(reports, scale));
}

/** Says how plans differ from those in `folder`. @returns whether none does */
function areEqual(folder: string, reports: readonly StatementReport[], only = ''): boolean {
  const names = plansIn(folder).filter((name) => name.includes(only));
  if (names.length === 0) throw new Error(`no plans in ${folder}`);
  const before = new Map(names.map((name) => [name.slice(0, -4), readFileSync(join(folder, name), 'utf8')]));
  const differences = differencesOf(before, new Map(reports.map(({ file, text }) => [file, text])));
  differences.forEach(say);
  say(`${reports.length} plans compared with ${before.size}: ${differences.length} differ in their nodes`);
  return differences.length === 0;
}

async function main(args: readonly string[]): Promise<void> {
  const options = parse(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const reports = await withDatabase(options, (connection) =>
    withNetwork(connection, (network) => explainAll(network, options)),
  );
  if (options.write !== undefined) write(options.write, reports, options);
  if (options.only !== undefined)
    process.stdout.write(reports.map(({ file, text }) => `== ${file}\n${text}\n`).join(''));
  const bad = reports.filter(({ scanned, allowed }) => scanned.some((table) => allowed[table] === undefined));
  for (const { file, scanned } of bad) say(`reads a big table from end to end: ${file} (${scanned.join(', ')})`);
  const isEqual = options.compare === undefined || areEqual(options.compare, reports, options.only);
  if (bad.length > 0 || !isEqual) process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    say(`explain: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exitCode = 1;
  });
}
