/** Enrollments: one-time paths to an authenticator. */
import type { Enrollment } from '../../domain/model.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type * as Response from '../../generated/management/response.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields, linksOf, refTo } from '../wire.js';

/** GET /enrollments: what is outstanding. */
export const listEnrollments: Handler<'management', 'listEnrollments'> = async ({ query }, { stores }) =>
  listOf(await stores.enrollments.list(query), toEnrollmentDetail);

/** POST /enrollments. Fails: `enrollmentExists`, `badReference` (identity, CA), `invalidField`. */
export const createEnrollment: Handler<'management', 'createEnrollment'> = async ({ body }, { stores, enrollments, newId }) => {
  const expiresAt = new Date(body.expiresAt);
  const username = body.username ?? '';
  if (expiresAt.getTime() <= Date.now()) throw refused('expiresAt', body.expiresAt, 'expiresAt must be in the future');
  if (body.method === 'ottca') throw refused('caId', body.caId ?? '', 'ca not found');
  if (body.method === 'updb' && username === '') throw refused('username', '', 'username not provided');
  if ((await stores.identities.find(body.identityId)) === undefined) throw refused('identityId', body.identityId, 'identity not found');
  const id = newId();
  await stores.enrollments.create(body.identityId, {
    id, method: body.method, caId: null, username: body.method === 'updb' ? username : null, expiresAt,
    ...(await enrollments.issue(body.identityId, body.method, expiresAt)),
  });
  return created('enrollments', id);
};

/** GET /enrollments/{id}. Fails: `notFound`. */
export const detailEnrollment: Handler<'management', 'detailEnrollment'> = async ({ params }, { stores }) =>
  ok(toEnrollmentDetail(await stores.enrollments.get(params.id)));

/** DELETE /enrollments/{id}: its token is worth nothing from then on. */
export const deleteEnrollment: Handler<'management', 'deleteEnrollment'> = async ({ params }, { stores }) => {
  await stores.enrollments.remove(params.id);
  return noData();
};

/** POST /enrollments/{id}/refresh: new token, JWT and end; expired ones too. Fails: `notFound`, `invalidField`. */
export const refreshEnrollment: Handler<'management', 'refreshEnrollment'> = async ({ params, body }, { stores, enrollments }) => {
  const expiresAt = new Date(body.expiresAt);
  const current = await stores.enrollments.get(params.id);
  if (expiresAt.getTime() <= Date.now()) throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
  const subjectId = current.identity?.id ?? current.id;
  await stores.enrollments.refresh(params.id, { expiresAt, ...(await enrollments.issue(subjectId, current.method, expiresAt)) });
  return ok({ _links: linksOf('enrollments', params.id), id: params.id });
};

export function toEnrollmentDetail(item: Enrollment): Response.EnrollmentDetail {
  return {
    ...baseFields(item, linksOf('enrollments', item.id)),
    expiresAt: item.expiresAt.toISOString(), jwt: item.jwt, method: item.method, token: item.token,
    ...(item.identity === null ? {} : { identity: refTo('identities', item.identity), identityId: item.identity.id }),
    ...(item.username === null ? {} : { username: item.username }),
  };
}

function refused(field: string, value: string, reason: string): DomainError {
  return new DomainError('badReference', {
    message: `The field contains an invalid value: ${reason}`,
    causeMessage: `the value '${value}' for '${field}' is invalid: ${reason}`,
  });
}
