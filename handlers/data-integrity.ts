/** Checks of data integrity, which both APIs for administrators have. */
import { isoTimeOrNull } from './fields.js';
import type { Handler } from './handler.js';

/** POST /database/check-data-integrity. Fails: `rateLimited` while other work is under way. */
export const checkDataIntegrity: Handler<'management', 'checkDataIntegrity'> = async (
  _input,
  { maintenance, stores },
) => {
  await maintenance.checkIntegrity(false, stores.actor);
  return { status: 202, data: {} };
};

/** POST /database/fix-data-integrity: the same, and repairs. Fails: `rateLimited`. */
export const fixDataIntegrity: Handler<'management', 'fixDataIntegrity'> = async (_input, { maintenance, stores }) => {
  await maintenance.checkIntegrity(true, stores.actor);
  return { status: 202, data: {} };
};

/** GET /database/data-integrity-results: of the last check, or of the one under way so far. */
export const dataIntegrityResults: Handler<'management', 'dataIntegrityResults'> = async (_input, { stores }) => {
  const { isFixing, isRunning, startedAt, endedAt, error, hasTooMany, findings } = await stores.integrity.lastRun();
  return {
    status: 200,
    data: {
      endTime: isoTimeOrNull(endedAt),
      error,
      fixingErrors: isFixing,
      inProgress: isRunning,
      results: findings.map(({ description, isFixed }) => ({ description, fixed: isFixed })),
      startTime: isoTimeOrNull(startedAt),
      tooManyErrors: hasTooMany,
    },
    page: { filterableFields: [], limit: null, offset: 0, totalCount: findings.length },
  };
};
