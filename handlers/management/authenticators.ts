/** Authenticators, as an administrator sees and sets them. */
import { DomainError, invalidField } from '../../domain/errors.js';
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenTags, tagsFrom } from '../wire.js';
import { toAuthenticatorDetail } from '../shared/authenticator-model.js';
import { changeUpdb, requireUsername } from '../shared/updb.js';

/** GET /authenticators. */
export const listAuthenticators: Handler<'management', 'listAuthenticators'> = async ({ query }, { stores }) =>
  listOf(await stores.authenticators.list(query), (item) => toAuthenticatorDetail(item));

/** POST /authenticators. Fails: `notFound` (identity), `authenticatorLimit`, `duplicate` (username), `invalidField`. */
export const createAuthenticator: Handler<'management', 'createAuthenticator'> = async ({ body }, services) => {
  const { stores, passwords, newId } = services;
  if (body.method === 'cert') throw new DomainError('notImplemented', { causeMessage: 'certificate authenticators cannot be created yet; use method updb' });
  if (body.method !== 'updb') throw invalidField('method', 'method must be updb or cert', body.method);
  const policy = await stores.authPolicies.ofIdentity(body.identityId);
  const username = given(body.username) ?? '';
  const password = given(body.password) ?? '';
  if (username === '') throw invalidField('username', 'username is required', username);
  if (password === '') throw invalidField('password', 'password is required', '');
  requireUsername(username);
  checkPassword(policy, password);
  const id = newId();
  const passwordHash = await passwords.hash(password);
  await stores.authenticators.createUpdb({ id, identityId: body.identityId, username, passwordHash, tags: tagsFrom(body.tags) });
  return created('authenticators', id);
};

/** GET /authenticators/{id}. Fails: `notFound`. */
export const detailAuthenticator: Handler<'management', 'detailAuthenticator'> = async ({ params }, { stores }) =>
  ok(toAuthenticatorDetail(await stores.authenticators.get(params.id)));

/** PUT /authenticators/{id}: username and password; without effect on one that has neither. */
export const updateAuthenticator: Handler<'management', 'updateAuthenticator'> = async ({ params, body }, services) => {
  await changeUpdb(services, params.id, undefined, { username: body.username, password: body.password, tags: tagsFrom(body.tags) });
  return noData();
};

/** PATCH /authenticators/{id}. Open sessions stay valid. */
export const patchAuthenticator: Handler<'management', 'patchAuthenticator'> = async ({ params, body }, services) => {
  await changeUpdb(services, params.id, undefined, { username: given(body.username), password: given(body.password), tags: givenTags(body.tags) });
  return noData();
};

/** DELETE /authenticators/{id}. */
export const deleteAuthenticator: Handler<'management', 'deleteAuthenticator'> = async ({ params }, { stores }) => {
  await stores.authenticators.remove(params.id);
  return noData();
};
