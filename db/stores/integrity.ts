/** Runs the checks of data integrity one after the other, and keeps what they found where every controller reads it. */
import { DomainError } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { DatabaseUnavailable } from '../postgres/outages.js';
import { noteAudit } from './audit-records.js';
import { MAINTENANCE_LOCK } from '../postgres/advisory-locks.js';
import type { MaintenanceLane } from '../postgres/maintenance-connection.js';
import { CHECKS } from './integrity-checks.js';
import type { IntegrityCheck, CheckOptions, Seals } from './integrity-check.js';
import { missingStatements } from '../schema/schema-checks.js';
import { slowRead, unprepared } from '../postgres/statement.js';

/** The last run, or that under way. */
export interface IntegrityRun {
  readonly isFixing: boolean;
  readonly isRunning: boolean;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** Why it did not get to its end; empty when it did. */
  readonly error: string;
  readonly hasTooMany: boolean;
  readonly findings: readonly IntegrityFinding[];
}

export interface IntegrityFinding {
  readonly description: string;
  readonly isFixed: boolean;
}

/** Kept of one run. */
const MOST_FINDINGS = 1_000;
const DATABASE = { entityType: 'database' };
/** A repair that waits longer for others gives up. */
const PATIENCE = '5s';

export interface IntegrityOptions {
  readonly isFixing: boolean;
  readonly seals: Seals;
  /** The results of the run before are gone, and this one shows as under way. */
  readonly onBegun: () => void;
  readonly onCheck: (name: string, findings: number) => void;
}

/** @returns how many were found */
export async function runChecks(lane: MaintenanceLane, options: IntegrityOptions): Promise<number> {
  await begin(lane, options.isFixing);
  options.onBegun();
  let known: Promise<readonly string[]> | undefined;
  const missing = (tx: Db) => (known ??= missingStatements(tx));
  let count = 0;
  try {
    for (const check of CHECKS) {
      const room = MOST_FINDINGS - count;
      const found = await runCheck(lane, check, { ...options, missing, room: room + 1 });
      await keep(lane, count, found.slice(0, room));
      count += Math.min(found.length, room);
      options.onCheck(check.name, found.length);
      if (found.length <= room) continue;
      await lane.run('UPDATE integrity_runs SET has_too_many = true');
      break;
    }
    await lane.run('UPDATE integrity_runs SET ended_at = clock_timestamp()');
    return count;
  } catch (error) {
    const reason = 'the check failed; the log of the controller that ran it says why';
    await lane
      .run('UPDATE integrity_runs SET ended_at = clock_timestamp(), error = $1', [reason])
      .catch(() => undefined);
    throw error;
  }
}

async function begin(lane: MaintenanceLane, isFixing: boolean): Promise<void> {
  await lane.transaction(async (tx) => {
    if (isFixing) await noteAudit(tx, { ...DATABASE, kind: 'database.integrityFixStarted', after: {} });
    await tx.execute(unprepared('DELETE', 'DELETE FROM integrity_findings'));
    await tx.execute(
      unprepared(
        'INSERT',
        `INSERT INTO integrity_runs (is_fixing, started_at) VALUES ($1, clock_timestamp())
      ON CONFLICT (singleton) DO UPDATE SET is_fixing = excluded.is_fixing, started_at = excluded.started_at,
        ended_at = NULL, error = '', has_too_many = false`,
      ),
      [isFixing],
    );
  });
}

/** A check that cannot repair what it found tells it all the same. */
async function runCheck(
  lane: MaintenanceLane,
  check: IntegrityCheck,
  options: CheckOptions,
): Promise<IntegrityFinding[]> {
  const attempt = async (isFixing: boolean) =>
    lane.transaction(async (tx) => {
      await tx.execute(unprepared('SET', `SET LOCAL lock_timeout = '${PATIENCE}'`));
      const found = await check.run(tx, { ...options, isFixing });
      if (isFixing && found.length > 0)
        await noteAudit(tx, {
          ...DATABASE,
          kind: 'database.integrityFixed',
          after: { check: check.name, findings: found.length },
        });
      return found;
    });
  const isFixing = options.isFixing && check.canFix;
  try {
    return (await attempt(isFixing)).map((description) => ({ description, isFixed: isFixing }));
  } catch (error) {
    if (!isFixing || error instanceof DatabaseUnavailable) throw error;
    const why = error instanceof DomainError ? error.kind : ((error as { code?: string }).code ?? 'unknown');
    return (await attempt(false)).map((description) => ({
      description: `${description}; it could not be repaired (${why})`,
      isFixed: false,
    }));
  }
}

async function keep(lane: MaintenanceLane, before: number, findings: readonly IntegrityFinding[]): Promise<void> {
  if (findings.length === 0) return;
  await lane.run(
    `INSERT INTO integrity_findings (position, description, is_fixed)
    SELECT $1 + position, description, is_fixed
    FROM unnest($2::text[], $3::boolean[]) WITH ORDINALITY u (description, is_fixed, position)`,
    [before, findings.map(({ description }) => description), findings.map(({ isFixed }) => isFixed)],
  );
}

interface RunRow {
  is_fixing: boolean;
  started_at: Date;
  ended_at: Date | null;
  error: string;
  has_too_many: boolean;
  is_held: boolean;
}

/** One that lost its controller or its connection has lost its lock, too. */
const RUN = slowRead<RunRow>(
  'integrity-run',
  `SELECT is_fixing, started_at, ended_at, error, has_too_many, EXISTS (SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 0 AND objid = ${MAINTENANCE_LOCK} AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS is_held
  FROM integrity_runs`,
);

export interface IntegrityStore {
  lastRun(): Promise<IntegrityRun>;
}

const FINDINGS = slowRead<IntegrityFinding>(
  'integrity-findings',
  'SELECT description, is_fixed AS "isFixed" FROM integrity_findings ORDER BY position',
);

export function integrityStore(db: Db): IntegrityStore {
  return {
    async lastRun() {
      const row = await db.one(RUN);
      if (row === undefined)
        return {
          isFixing: false,
          isRunning: false,
          startedAt: null,
          endedAt: null,
          error: '',
          hasTooMany: false,
          findings: [],
        };
      const rows = await db.many(FINDINGS);
      const isOver = row.ended_at !== null;
      return {
        isFixing: row.is_fixing,
        isRunning: !isOver && row.is_held,
        startedAt: row.started_at,
        endedAt: row.ended_at,
        error: isOver || row.is_held ? row.error : 'the controller that ran the check ended, or lost the database',
        hasTooMany: row.has_too_many,
        findings: rows,
      };
    },
  };
}
