/** Enrollments: one-time paths to an authenticator. */
import { badReference, invalidField } from '../../domain/errors.js';
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { linksOf } from '../fields.js';
import { requireMayEnroll, requireMaySeeEnrollment, subjectOf, whereAllowed } from '../delegation/delegation.js';
import { enrollmentFor, toEnrollmentDetail } from '../forms/enrollment-model.js';
import { requireUsername } from '../login/updb.js';

/**
 * GET /enrollments: what is outstanding, but for identities above the caller. Tokens are shown to those who may make
 * such enrollments.
 */
export const listEnrollments: Handler<'management', 'listEnrollments'> = async (
  { query, caller },
  { stores, elementCache },
) => keptListOf(await stores.enrollments.list({ ...query, caller }), enrollmentFor(caller), elementCache);

/** POST /enrollments. Fails: `enrollmentExists`, `badReference` (identity, CA), `invalidField`, `unauthenticated`. */
export const createEnrollment: Handler<'management', 'createEnrollment'> = async (
  { body, caller },
  { stores, enrollments, newId },
) => {
  await requireMaySeeEnrollment(caller, body.identityId, stores);
  const expiresAt = new Date(body.expiresAt);
  const username = body.username ?? '';
  if (!isFuture(expiresAt)) throw badReference('expiresAt must be in the future', 'expiresAt', body.expiresAt);
  const caId = body.method === 'ottca' ? (body.caId ?? '') : null;
  if (caId === '') throw badReference('ca not found', 'caId', '');
  if (body.method === 'updb') {
    if (username === '') throw badReference('username not provided', 'username', '');
    requireUsername(username);
  }
  const draft = {
    id: newId(),
    method: body.method,
    caId,
    username: body.method === 'updb' ? username : null,
    expiresAt,
    ...(await enrollments.issue(body.identityId, body.method, expiresAt)),
  };
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayEnroll(caller, body.identityId, tx),
    (on) => on.enrollments.create(body.identityId, draft),
  );
  return created('enrollments', draft.id);
};

/** GET /enrollments/{id}. Fails: `notFound`, `unauthenticated`. */
export const detailEnrollment: Handler<'management', 'detailEnrollment'> = async ({ params, caller }, { stores }) => {
  const enrollment = await stores.enrollments.get(params.id);
  await requireMaySeeEnrollment(caller, subjectOf(enrollment), stores);
  return ok(toEnrollmentDetail(enrollment, caller));
};

/** DELETE /enrollments/{id}: its token is worth nothing from then on. */
export const deleteEnrollment: Handler<'management', 'deleteEnrollment'> = async ({ params, caller }, { stores }) => {
  await whereAllowed(
    caller,
    stores,
    async (tx) => requireMayEnroll(caller, subjectOf(await tx.enrollments.get(params.id)), tx),
    (on) => on.enrollments.remove(params.id),
  );
  return noData();
};

/** POST /enrollments/{id}/refresh: new token, JWT and end; expired ones too. Fails: `notFound`, `invalidField`. */
export const refreshEnrollment: Handler<'management', 'refreshEnrollment'> = async (
  { params, body, caller },
  { stores, enrollments },
) => {
  const expiresAt = new Date(body.expiresAt);
  const current = await stores.enrollments.get(params.id);
  await requireMaySeeEnrollment(caller, subjectOf(current), stores);
  if (!isFuture(expiresAt)) throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
  const subject = current.identity ?? current.edgeRouter ?? current.transitRouter ?? current;
  const issued = await enrollments.issue(subject.id, current.method, expiresAt);
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayEnroll(caller, subjectOf(current), tx),
    (on) => on.enrollments.refresh(params.id, { expiresAt, ...issued }),
  );
  return ok({ _links: linksOf('enrollments', params.id), id: params.id });
};

/** False as well for a time that no clock shows, such as a leap second. */
const isFuture = (time: Date): boolean => time.getTime() > Date.now();
