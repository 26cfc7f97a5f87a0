/** Posture checks: conditions on the state of a device, of six types. Administrators only. */
import { invalidField } from '../../domain/errors.js';
import { changedCriteria } from '../../domain/posture/criteria.js';
import type { Criteria } from '../../domain/posture/criteria.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { givenName, givenTags } from '../fields.js';
import {
  POSTURE_CHECK,
  criteriaChangeFrom,
  postureCheckFrom,
  toPostureCheckDetail,
  POSTURE_CHECK_TYPE,
  toPostureCheckTypeDetail,
} from '../forms/posture-check-model.js';

/** GET /posture-checks. */
export const listPostureChecks: Handler<'management', 'listPostureChecks'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.postureChecks.list(query), POSTURE_CHECK, elementCache);

/** POST /posture-checks. Fails: `duplicate` (name), `invalidField` (operating system, range of versions). */
export const createPostureCheck: Handler<'management', 'createPostureCheck'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  await stores.postureChecks.create(id, postureCheckFrom(body));
  return created('posture-checks', id);
};

/** GET /posture-checks/{id}. Fails: `notFound`. */
export const detailPostureCheck: Handler<'management', 'detailPostureCheck'> = async ({ params }, { stores }) =>
  ok(toPostureCheckDetail(await stores.postureChecks.get(params.id)));

/** PUT /posture-checks/{id}. Fails: as create, and `invalidField` for another type than the check has. */
export const updatePostureCheck: Handler<'management', 'updatePostureCheck'> = async ({ params, body }, { stores }) => {
  const { typeId, ...changes } = postureCheckFrom(body);
  const present = await stores.postureChecks.get(params.id);
  if (present.typeId !== typeId)
    throw invalidField('typeId', `the type of a posture check cannot change, it is ${present.typeId}`, body.typeId);
  await stores.postureChecks.update(params.id, changes);
  return noData();
};

/** PATCH /posture-checks/{id}. With another type than the check has, only what all types share is changed. */
export const patchPostureCheck: Handler<'management', 'patchPostureCheck'> = async ({ params, body }, { stores }) => {
  const change = criteriaChangeFrom(body);
  const changes = {
    name: givenName(body.name),
    roleAttributes: body.roleAttributes == null ? undefined : parseRoleAttributes(body.roleAttributes),
    tags: givenTags(body.tags),
  };
  const changesOf = (present: Criteria) => ({ ...changes, criteria: changedCriteria(present, change) });
  const seen = await stores.postureChecks.get(params.id);
  if (changesOf(seen).criteria === undefined) await stores.postureChecks.update(params.id, changes);
  else if (!(await stores.postureChecks.updateAsRead(seen, changesOf(seen))))
    await stores.transaction(async (tx) => {
      await tx.postureChecks.update(params.id, changesOf(await tx.postureChecks.lockCriteria(params.id)));
    });
  return noData();
};

/** DELETE /posture-checks/{id}: it leaves every policy that named it. */
export const deletePostureCheck: Handler<'management', 'deletePostureCheck'> = async ({ params }, { stores }) => {
  await stores.postureChecks.remove(params.id);
  return noData();
};

/** GET /posture-check-types. */
export const listPostureCheckTypes: Handler<'management', 'listPostureCheckTypes'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.postureChecks.listTypes(query), POSTURE_CHECK_TYPE, elementCache);

/** GET /posture-check-types/{id}. Fails: `notFound`. */
export const detailPostureCheckType: Handler<'management', 'detailPostureCheckType'> = async ({ params }, { stores }) =>
  ok(toPostureCheckTypeDetail(await stores.postureChecks.getType(params.id)));
