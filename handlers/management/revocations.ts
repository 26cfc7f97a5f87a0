/** Revocations: what ends before its time, on every controller. */
import { SESSION_TOKEN_SECONDS } from '../../domain/auth/signed-jwt.js';
import { invalidField } from '../../domain/errors.js';
import type { Revocation } from '../../domain/administration.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, isoTime, linksOf, tagsFrom } from '../fields.js';
import { created, listOf, ok } from '../handler.js';
import type { Handler } from '../handler.js';

const COLLECTION = 'revocations';

/** GET /revocations. */
export const listRevocations: Handler<'management', 'listRevocations'> = async ({ query }, { stores }) =>
  listOf(await stores.revocations.list(query), toDetail);

/** POST /revocations. Fails: `notFound` for an unknown identity. */
export const createRevocation: Handler<'management', 'createRevocation'> = async (
  { body: { id, type, tags } },
  { stores },
) => {
  if (type !== 'IDENTITY') requireId(id);
  await stores.transaction(async ({ revocations }) => {
    if (type === 'IDENTITY') await revocations.endIdentity(id);
    else if (type === 'API_SESSION') await revocations.endApiSession(id);
    else await revocations.endSession(id);
    await revocations.put(id, { type, lifetimeSeconds: SESSION_TOKEN_SECONDS, tags: tagsFrom(tags) });
  });
  return created(COLLECTION, id);
};

/** GET /revocations/{id}. Fails: `notFound`. */
export const detailRevocation: Handler<'management', 'detailRevocation'> = async ({ params }, { stores }) =>
  ok(toDetail(await stores.revocations.get(params.id)));

/** Ids of tokens and of API sessions. */
const ID = /^(?:[0-9A-Za-z]{22}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/** @throws DomainError `invalidField` */
function requireId(id: string): void {
  if (!ID.test(id)) throw invalidField('id', 'must be a UUID, or an id of 22 letters and digits', id);
}

function toDetail(revocation: Revocation): Response.RevocationDetail {
  return {
    expiresAt: isoTime(revocation.expiresAt),
    type: revocation.type,
    ...baseFields(revocation, linksOf(COLLECTION, revocation.id)),
  };
}
