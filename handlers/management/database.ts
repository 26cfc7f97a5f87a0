/** Work on the database as a whole. Administrators only. */
import { noData } from '../handler.js';
import type { Handler } from '../handler.js';

export { checkDataIntegrity, dataIntegrityResults, fixDataIntegrity } from '../data-integrity.js';

/** POST /database/snapshot. Fails: `rateLimited` while other work is under way, `unavailable`. */
export const createDatabaseSnapshot: Handler<'management', 'createDatabaseSnapshot'> = async (
  _input,
  { maintenance, stores },
) => {
  await maintenance.snapshot(stores.actor);
  return noData();
};
