/** Inspections under way: what is asked, and the answer of each process that holds channels of routers. */
import { DatabaseError } from 'pg';
import { MOST_INSPECTIONS } from '../../domain/fabric/inspection.js';
import type { InspectionAnswer } from '../../domain/fabric/inspection.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, read } from '../postgres/statement.js';
import { HOST_IS_ALIVE } from './router-channels.js';

export interface InspectionDraft {
  readonly pattern: string;
  readonly requested: readonly string[];
  readonly forMs: number;
}

/** The part of an inspection that one process has. */
export interface InspectionTask {
  readonly requested: readonly string[];
  /** Routers of the process that are meant. */
  readonly routerIds: readonly string[];
  /** The controller itself is meant. */
  readonly isForController: boolean;
}

export interface AskedHost {
  readonly hostId: string;
  readonly controllerId: string;
}

export interface HostAnswer extends InspectionAnswer {
  readonly hostId: string;
}

export interface InspectionStore {
  /**
   * Asks all processes that hold channels of routers. `full`: so many as there may be are under way; `badPattern`: the
   * regular expression is none.
   */
  open(id: string, draft: InspectionDraft): Promise<readonly AskedHost[] | 'full' | 'badPattern'>;
  /** The part of this process; undefined when the time is over. */
  task(id: string, controllerId: string, routerIds: readonly string[]): Promise<InspectionTask | undefined>;
  answer(id: string, hostId: string, answer: InspectionAnswer): Promise<void>;
  answers(id: string): Promise<HostAnswer[]>;
  close(id: string): Promise<void>;
}

/** The text is matched once, so that one that is no regular expression is refused. */
const OPEN = asyncChange<{ isOpen: boolean }>(
  'inspection-open',
  ({ returningActor }) => `WITH swept AS (DELETE FROM inspections WHERE ends_at < now() - interval '1 minute'),
made AS (INSERT INTO inspections (id, pattern, requested, ends_at)
  SELECT $1, CASE WHEN '' ~ $2 THEN $2 ELSE $2 END, $3, now() + $4::float8 * interval '1 ms'
  WHERE (SELECT count(*) FROM inspections WHERE ends_at > now()) < ${MOST_INSPECTIONS}${returningActor})
SELECT true AS "isOpen", pg_notify('edge', concat('inspect ', $1)) FROM made`,
);

const HOSTS = read<AskedHost>(
  'inspection-hosts',
  `SELECT h.id AS "hostId", h.controller_id AS "controllerId" FROM router_hosts h WHERE ${HOST_IS_ALIVE}`,
);

const TASK = read<InspectionTask>(
  'inspection-task',
  `SELECT i.requested, $2 ~ i.pattern AS "isForController",
  ARRAY(SELECT r.id FROM unnest($3::text[]) r (id) WHERE r.id ~ i.pattern) AS "routerIds"
FROM inspections i WHERE i.id = $1 AND i.ends_at > now()`,
);

const ANSWER = asyncChange(
  'inspection-answer',
  ({ returningActor }) => `INSERT INTO inspection_answers (inspection_id, host_id, answer)
SELECT id, $2, $3::jsonb FROM inspections WHERE id = $1 ON CONFLICT DO NOTHING${returningActor}`,
);

const ANSWERS = read<{ hostId: string; answer: InspectionAnswer }>(
  'inspection-answers',
  'SELECT host_id AS "hostId", answer FROM inspection_answers WHERE inspection_id = $1',
);

const CLOSE = asyncChange(
  'inspection-close',
  ({ returningActor }) => `DELETE FROM inspections WHERE id = $1${returningActor}`,
);

const BAD_PATTERN = '2201B';

export function inspectionStore(db: Db): InspectionStore {
  return {
    async open(id, { pattern, requested, forMs }) {
      try {
        const made = await db.many(OPEN, [id, pattern, requested, forMs]);
        return made.length === 0 ? 'full' : await db.many(HOSTS);
      } catch (error) {
        if (error instanceof DatabaseError && error.code === BAD_PATTERN) return 'badPattern';
        throw error;
      }
    },
    task: (id, controllerId, routerIds) => db.one(TASK, [id, controllerId, routerIds]),
    async answer(id, hostId, answer) {
      await db.execute(ANSWER, [id, hostId, JSON.stringify(answer)]);
    },
    async answers(id) {
      const rows = await db.many(ANSWERS, [id]);
      return rows.map(({ hostId, answer }) => ({ hostId, ...answer }));
    },
    async close(id) {
      await db.execute(CLOSE, [id]);
    },
  };
}
