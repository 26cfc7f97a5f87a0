/** The caller's own identity and authenticators; ownership is part of every query. */
import { ownAuthenticatorSymbols as symbols } from '../../db/client-symbols.js';
import type { Authenticator } from '../../domain/model.js';
import { listOf, noData, ok } from '../handler.js';
import type { Handler, Links } from '../handler.js';
import { given, givenTags, tagsFrom } from '../wire.js';
import { changeUpdb, requireCurrentPassword } from './updb.js';
import { toIdentityDetail } from './identity-model.js';
import { toAuthenticatorDetail } from './authenticator-model.js';

/** GET /current-identity. */
export const getCurrentIdentity: Handler<'client', 'getCurrentIdentity'> = async ({ caller }, { stores }) =>
  ok(toIdentityDetail(await stores.identities.get(caller.identityId), {
    self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' },
  }));

/** GET /current-identity/authenticators. */
export const listCurrentIdentityAuthenticators: Handler<'client', 'listCurrentIdentityAuthenticators'> = async ({ query, caller }, { stores }) => {
  const scope = { name: 'of-identity', where: 't.identity_id = $1', values: [caller.identityId] };
  return listOf(await stores.authenticators.list({ ...query, symbols, scope }), toOwn);
};

/** GET /current-identity/authenticators/{id}. Fails: `notFound` for one that is not the caller's. */
export const detailCurrentIdentityAuthenticator: Handler<'client', 'detailCurrentIdentityAuthenticator'> = async ({ params, caller }, { stores }) =>
  ok(toOwn(await stores.authenticators.get(params.id, caller.identityId)));

/** PUT /current-identity/authenticators/{id}. Fails: `unauthenticated` for a wrong `currentPassword`. */
export const updateCurrentIdentityAuthenticator: Handler<'client', 'updateCurrentIdentityAuthenticator'> = async ({ params, body, caller }, services) => {
  await requireCurrentPassword(services, params.id, caller.identityId, body.currentPassword);
  await changeUpdb(services, params.id, caller.identityId, { username: body.username, password: body.password, tags: tagsFrom(body.tags) });
  return noData();
};

/** PATCH /current-identity/authenticators/{id}. */
export const patchCurrentIdentityAuthenticator: Handler<'client', 'patchCurrentIdentityAuthenticator'> = async ({ params, body, caller }, services) => {
  await requireCurrentPassword(services, params.id, caller.identityId, body.currentPassword);
  await changeUpdb(services, params.id, caller.identityId, { username: given(body.username), password: given(body.password), tags: givenTags(body.tags) });
  return noData();
};

function toOwn(item: Authenticator) {
  const links: Links = { self: { href: `./current-identity/authenticators/${item.id}` } };
  return toAuthenticatorDetail(item, links);
}
