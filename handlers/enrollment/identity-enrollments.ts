/** Enrollments that an identity gets when it is made. */
import type * as Request from '../../generated/management/request.js';
import type { Context } from '../context.js';
import { requireUsername } from '../login/updb.js';

/** @throws DomainError `invalidField` for a username that cannot be one */
export function requireEnrollable(asked: Request.IdentityCreate['enrollment']): void {
  if (asked?.updb != null && asked.updb !== '') requireUsername(asked.updb, 'enrollment.updb');
}

/** Makes the enrollments asked for, each with its token and JWT. @throws DomainError `invalidField` */
export async function enrollmentsFrom(
  identityId: string,
  asked: Request.IdentityCreate['enrollment'],
  { enrollments, newId }: Pick<Context, 'enrollments' | 'newId'>,
) {
  requireEnrollable(asked);
  const expiresAt = enrollments.defaultExpiry();
  const draft = async (
    method: 'ott' | 'ottca' | 'updb',
    { username = null, caId = null }: { username?: string | null; caId?: string | null },
  ) => ({
    id: newId(),
    method,
    caId,
    username,
    expiresAt,
    ...(await enrollments.issue(identityId, method, expiresAt)),
  });
  const drafts = [];
  if (asked?.ott === true) drafts.push(await draft('ott', {}));
  if (asked?.updb != null && asked.updb !== '') {
    drafts.push(await draft('updb', { username: asked.updb }));
  }
  if (asked?.ottca != null && asked.ottca !== '') drafts.push(await draft('ottca', { caId: asked.ottca }));
  return drafts;
}
