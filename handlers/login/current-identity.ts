/** The caller's own identity and authenticators; ownership is part of every query. */
import { mayEnroll } from '../../domain/auth/rights.js';
import type { Authenticator } from '../../domain/credentials.js';
import { elementOfRow } from '../element-cache.js';
import { keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Links } from '../reply.js';
import { given, givenTags, tagsFrom } from '../fields.js';
import { changeOwnUpdb } from './updb.js';
import { toIdentityDetail } from '../forms/identity-model.js';
import { toAuthenticatorDetail } from '../forms/authenticator-model.js';

/** GET /current-identity. */
export const getCurrentIdentity: Handler<'client', 'getCurrentIdentity'> = async (
  { caller },
  { stores, edgeConnections },
) =>
  ok(
    toIdentityDetail(await stores.identities.get(caller.identityId), caller, edgeConnections.of(caller.identityId), {
      links: { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } },
      // A router that has the token of a client session must not learn how to enroll as its identity.
      showsTokens: caller.openedAt === 'management' && mayEnroll(caller, 'identity'),
    }),
  );

/** GET /current-identity/authenticators. */
export const listCurrentIdentityAuthenticators: Handler<'client', 'listCurrentIdentityAuthenticators'> = async (
  { query, caller },
  { stores, elementCache },
) => {
  const page = await stores.authenticators.list({ ...query, ofIdentity: caller.identityId, isForClient: true });
  return keptListOf(page, OWN_AUTHENTICATOR, elementCache);
};

/** GET /current-identity/authenticators/{id}. Fails: `notFound` for one that is not the caller's. */
export const detailCurrentIdentityAuthenticator: Handler<'client', 'detailCurrentIdentityAuthenticator'> = async (
  { params, caller },
  { stores },
) => ok(toOwn(await stores.authenticators.get(params.id, caller.identityId)));

/**
 * PUT /current-identity/authenticators/{id}: the caller's other API sessions end. Fails: `unauthenticated` for a wrong
 * `currentPassword`.
 */
export const updateCurrentIdentityAuthenticator: Handler<'client', 'updateCurrentIdentityAuthenticator'> = async (
  { params, body, caller },
  context,
) => {
  await changeOwnUpdb(context, params.id, caller, body.currentPassword, {
    username: body.username,
    password: body.password,
    tags: tagsFrom(body.tags),
  });
  return noData();
};

/** PATCH /current-identity/authenticators/{id}: as PUT, if there is a new password. */
export const patchCurrentIdentityAuthenticator: Handler<'client', 'patchCurrentIdentityAuthenticator'> = async (
  { params, body, caller },
  context,
) => {
  await changeOwnUpdb(context, params.id, caller, body.currentPassword, {
    username: given(body.username),
    password: given(body.password),
    tags: givenTags(body.tags),
  });
  return noData();
};

const OWN_AUTHENTICATOR = elementOfRow('own authenticator', toOwn);

function toOwn(item: Authenticator) {
  const links: Links = { self: { href: `./current-identity/authenticators/${item.id}` } };
  return toAuthenticatorDetail(item, links);
}
