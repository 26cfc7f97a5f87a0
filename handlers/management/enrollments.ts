/** Enrollments: one-time paths to an authenticator. */
import { badReference, invalidField } from '../../domain/errors.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { linksOf } from '../fields.js';
import { requireMayEnroll } from '../shared/delegation.js';
import { toEnrollmentDetail } from '../shared/enrollment-model.js';
import { requireUsername } from '../shared/updb.js';

/** GET /enrollments: what is outstanding, but for identities above the caller. */
export const listEnrollments: Handler<'management', 'listEnrollments'> = async ({ query, caller }, { stores }) =>
  listOf(await stores.enrollments.list({ ...query, caller }), toEnrollmentDetail);

/** POST /enrollments. Fails: `enrollmentExists`, `badReference` (identity, CA), `invalidField`, `unauthenticated`. */
export const createEnrollment: Handler<'management', 'createEnrollment'> = async (
  { body, caller },
  { stores, enrollments, newId },
) => {
  await requireMayEnroll(caller, body.identityId, stores);
  const expiresAt = new Date(body.expiresAt);
  const username = body.username ?? '';
  if (!isFuture(expiresAt)) throw badReference('expiresAt must be in the future', 'expiresAt', body.expiresAt);
  const caId = body.method === 'ottca' ? (body.caId ?? '') : null;
  if (caId === '') throw badReference('ca not found', 'caId', '');
  if (body.method === 'updb') {
    if (username === '') throw badReference('username not provided', 'username', '');
    requireUsername(username);
  }
  const id = newId();
  await stores.enrollments.create(body.identityId, {
    id,
    method: body.method,
    caId,
    username: body.method === 'updb' ? username : null,
    expiresAt,
    ...(await enrollments.issue(body.identityId, body.method, expiresAt)),
  });
  return created('enrollments', id);
};

/** GET /enrollments/{id}. Fails: `notFound`, `unauthenticated`. */
export const detailEnrollment: Handler<'management', 'detailEnrollment'> = async ({ params, caller }, { stores }) => {
  const enrollment = await stores.enrollments.get(params.id);
  await requireMayEnroll(caller, enrollment.identity?.id, stores);
  return ok(toEnrollmentDetail(enrollment));
};

/** DELETE /enrollments/{id}: its token is worth nothing from then on. */
export const deleteEnrollment: Handler<'management', 'deleteEnrollment'> = async ({ params, caller }, { stores }) => {
  if (!caller.isAdmin) await requireMayEnroll(caller, (await stores.enrollments.get(params.id)).identity?.id, stores);
  await stores.enrollments.remove(params.id);
  return noData();
};

/** POST /enrollments/{id}/refresh: new token, JWT and end; expired ones too. Fails: `notFound`, `invalidField`. */
export const refreshEnrollment: Handler<'management', 'refreshEnrollment'> = async (
  { params, body, caller },
  { stores, enrollments },
) => {
  const expiresAt = new Date(body.expiresAt);
  const current = await stores.enrollments.get(params.id);
  await requireMayEnroll(caller, current.identity?.id, stores);
  if (!isFuture(expiresAt)) throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
  const subject = current.identity ?? current.edgeRouter ?? current.transitRouter ?? current;
  await stores.enrollments.refresh(params.id, {
    expiresAt,
    ...(await enrollments.issue(subject.id, current.method, expiresAt)),
  });
  return ok({ _links: linksOf('enrollments', params.id), id: params.id });
};

/** False as well for a time that no clock shows, such as a leap second. */
const isFuture = (time: Date): boolean => time.getTime() > Date.now();
