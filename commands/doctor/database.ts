/** The database: whether it is there, and is one of this release. Nothing of it is changed. */
import { existsSync } from 'node:fs';
import { DatabaseError } from 'pg';
import { holderOf } from '../../db/embedded/lock.js';
import { clusterIn, masterKeyIn } from '../../db/embedded/paths.js';
import { clusterProcesses } from '../../db/embedded/processes.js';
import { CHECKS } from '../../db/stores/integrity-checks.js';
import type { CheckOptions, Seals } from '../../db/stores/integrity-check.js';
import { missingStatements } from '../../db/schema/schema-checks.js';
import { unusable } from '../../db/schema/schema-error.js';
import { hasExtension, refuseUnfit } from '../../db/schema/server-checks.js';
import { appliedIn, connectForMigration, migrationNames } from '../../db/schema/migrate.js';
import { outageOf } from '../../db/postgres/outages.js';
import type { Db } from '../../db/postgres/contracts.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { Settings } from '../../server/settings/config.js';
import { refuseTransactionPooler } from '../../server/data/database.js';
import { explain } from '../shared/explain.js';
import { failed, faultOf, passed, skipped, warning } from '../../server/maintenance/finding.js';
import type { Finding } from '../../server/maintenance/finding.js';

const LOCK = 'lock';

export interface FoundHolder {
  readonly finding: Finding;
  /** The process that runs a controller on this data directory. */
  readonly pid?: number;
}

/** Returns the process that owns the data directory; none with a database of the operator's own. */
export function examineLock({ dataDir }: Settings): FoundHolder {
  try {
    const pid = holderOf(dataDir);
    if (pid !== undefined)
      return { finding: passed(LOCK, `A controller runs on the data directory (process ${pid}).`), pid };
  } catch (error) {
    return { finding: faultOf(LOCK, explain(error)) };
  }
  const left = clusterProcesses(clusterIn(dataDir));
  const finding =
    left.length === 0
      ? passed(LOCK, 'No controller runs on the data directory.')
      : warning(
          LOCK,
          `PostgreSQL runs on the data directory without a controller (processes ${left.join(', ')}).`,
          'Start the controller, which stops it in good order first.',
        );
  return { finding };
}

/** Why the embedded database must not be started for an examination; undefined when it may, or runs. */
export function hindranceOf({ dataDir }: Settings): Finding | undefined {
  if (existsSync(clusterIn(dataDir))) return undefined;
  return existsSync(masterKeyIn(dataDir))
    ? failed(
        'database',
        `${clusterIn(dataDir)} is missing, though the directory has the master.key of a network.`,
        'Restore the directory from a backup, or a snapshot with `edge-controller restore`.',
      )
    : failed(
        'database',
        `There is no network in ${dataDir}.`,
        'Use the settings that its controller is started with, or start a controller, which makes a new one.',
      );
}

export interface FoundDatabase {
  readonly findings: readonly Finding[];
  /** It has the schema of this release: what is in it can be looked at. */
  readonly isOfRelease: boolean;
}

/** @param how  in words, how it is reached */
export async function examineServer(config: Settings, connection: ServerConfig, how: string): Promise<FoundDatabase> {
  const findings: Finding[] = [];
  let client;
  try {
    client = await connectForMigration(connection);
  } catch (error) {
    return { findings: [faultOf('database', explain(error))], isOfRelease: false };
  }
  try {
    await refuseUnfit(client);
    if (config.databaseUrl !== null) await refuseTransactionPooler(connection);
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
    findings.push(passed('database', `PostgreSQL ${rows[0]?.version ?? ''} answers (${how}).`));
    const applied = await appliedIn(client);
    const extension = await examineExtension(client, applied.size === 0);
    findings.push(extension);
    const pending = migrationNames.filter((name) => !applied.has(name));
    if (pending.length > 0) findings.push(schemaOf(applied.size, pending));
    const newer = [...applied].filter((name) => !migrationNames.includes(name));
    if (newer.length > 0) findings.push(newerSchema(newer));
    return { findings, isOfRelease: pending.length + newer.length === 0 && extension.level === 'ok' };
  } catch (error) {
    const known = outageOf(error) === undefined ? error : unusable(error, connection);
    return { findings: [...findings, faultOf('database', explain(known))], isOfRelease: false };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function examineExtension(client: Parameters<typeof hasExtension>[0], isNew: boolean): Promise<Finding> {
  try {
    if (await hasExtension(client)) return passed('extension', 'The extension pg_trgm is there.');
    return isNew
      ? warning('extension', 'The extension pg_trgm is not there yet.', 'A start makes it, where its role may.')
      : failed('extension', 'The extension pg_trgm is gone.', 'Run as its administrator: CREATE EXTENSION pg_trgm;');
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    return faultOf('extension', explain(error));
  }
}

function schemaOf(applied: number, pending: readonly string[]): Finding {
  return applied === 0
    ? failed(
        'schema',
        'The database is empty: there is no network in it.',
        'Start a controller, which makes a new network, or restore a snapshot.',
      )
    : warning(
        'schema',
        `The schema is of an earlier release: it lacks ${pending.join(', ')}.`,
        'Make a backup, then start the controller or run `edge-controller migrate`.',
      );
}

/** Reports a schema of a newer release with which this one can work; its contents are left to that release. */
const newerSchema = (newer: readonly string[]): Finding =>
  warning(
    'schema',
    `The schema is of a newer release, with which this one can work: it has ${newer.join(', ')}.`,
    'Bring this controller to that release (docs/operations/upgrades.md), and let that one examine the database.',
  );

const OF_SCHEMA = new Set(['structure', 'functions, triggers and indexes']);
const ALWAYS = new Set([...OF_SCHEMA, 'sealed keys']);
/** More of one check are not shown. */
const MOST = 10;
const REPAIR = 'Start the controller, then repair it: ziti edge db start-check-integrity -f';
const RESTORE = 'Undo that change, or restore a backup.';

/**
 * The checks of data integrity, without repairs: those of the schema and of keys, or all of them.
 * @param seals  undefined when the master key is not there
 */
export async function examineContent(tx: Db, seals: Seals | undefined, isThorough: boolean): Promise<Finding[]> {
  let known: Promise<readonly string[]> | undefined;
  const missing = (db: Db) => (known ??= missingStatements(db));
  const found: Finding[] = [];
  for (const check of CHECKS) {
    const { name, canFix } = check;
    if (!isThorough && !ALWAYS.has(name)) continue;
    if (name === 'sealed keys' && seals === undefined) {
      found.push(skipped(name, 'Without the master key it cannot be known whether they open.'));
      continue;
    }
    const options: CheckOptions = { isFixing: false, room: MOST, seals: seals ?? NONE, missing };
    const sentences = await check.run(tx, options);
    const title = OF_SCHEMA.has(name) ? 'schema' : name;
    if (sentences.length === 0) found.push(passed(title, `No fault was found (${name}).`));
    for (const sentence of sentences.slice(0, MOST))
      found.push(
        sentence.endsWith(': restore it') || sentence.endsWith(': remove it')
          ? faultOf(title, sentence)
          : failed(title, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, canFix ? REPAIR : RESTORE),
      );
  }
  return found;
}

const NONE: Seals = { pki: () => true, secret: () => true, mfa: () => true, webhook: () => true };
