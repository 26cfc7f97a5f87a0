/** Snapshots by the paths of this API; the checks of data integrity are those of the management API. */
import { invalidField } from '../../domain/errors.js';
import { noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** POST /database. Fails: `rateLimited` while other work is under way, `unavailable`. */
export const createDatabaseSnapshot: Handler<'fabric', 'createDatabaseSnapshot'> = async (
  _input,
  { maintenance, stores },
) => {
  await maintenance.snapshot(stores.actor);
  return noData();
};

/** POST /database/snapshot: the same, and says where it is. Fails: as that, `invalidField` for a path. */
export const createDatabaseSnapshotWithPath: Handler<'fabric', 'createDatabaseSnapshotWithPath'> = async (
  { body },
  { maintenance, stores },
) => {
  if (body.path != null && body.path !== '')
    throw invalidField('path', 'the controller chooses the place of a snapshot: leave it out', body.path);
  return ok({ path: await maintenance.snapshot(stores.actor) });
};
