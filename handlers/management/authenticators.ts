/** Authenticators, as an administrator sees and sets them. */
import { DomainError, invalidField } from '../../domain/errors.js';
import { checkPassword } from '../../domain/auth/auth-policy.js';
import type { AuthenticatorMethod, EnrollmentMethod } from '../../domain/credentials.js';
import type { AuthenticatorCreate } from '../../generated/management/request.js';
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenTags, tagsFrom } from '../fields.js';
import type { Context } from '../context.js';
import { AUTHENTICATOR, toAuthenticatorDetail } from '../forms/authenticator-model.js';
import { acceptedCertificate, readChain } from '../enrollment/certificate-authenticator.js';
import { changeUpdb, requireUsername } from '../login/updb.js';

/** GET /authenticators. */
export const listAuthenticators: Handler<'management', 'listAuthenticators'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.authenticators.list(query), AUTHENTICATOR, elementCache);

/**
 * POST /authenticators. A password ends the API sessions of its identity. Fails: `notFound` (identity),
 * `authenticatorLimit`, `duplicate` (username, certificate), `invalidField`, `certificatePemInvalid`,
 * `certificateInvalid`.
 */
export const createAuthenticator: Handler<'management', 'createAuthenticator'> = async ({ body }, context) => {
  const { stores, passwords, newId } = context;
  if (body.method === 'cert') return createCert(body, context);
  const policy = await stores.authPolicies.ofIdentity(body.identityId);
  const username = given(body.username) ?? '';
  const password = given(body.password) ?? '';
  if (username === '') throw invalidField('username', 'username is required', username);
  if (password === '') throw invalidField('password', 'password is required', '');
  requireUsername(username);
  checkPassword(policy, password);
  const id = newId();
  const passwordHash = await passwords.hash(password);
  const { identityId } = body;
  await stores.transaction(async (tx) => {
    await tx.authenticators.createUpdb({ id, identityId, username, passwordHash, tags: tagsFrom(body.tags) });
    await tx.apiSessions.removeOf(identityId);
  });
  return created('authenticators', id);
};

async function createCert(body: AuthenticatorCreate, { stores, pki, newId }: Context) {
  await stores.authPolicies.ofIdentity(body.identityId);
  const certPem = given(body.certPem) ?? '';
  if (certPem === '') throw invalidField('certPem', 'certPem is required', '');
  const { leafPem, fingerprint, publicKeyFingerprint, caId } = acceptedCertificate(readChain(certPem), {
    own: pki,
    cas: await stores.cas.allVerified(),
  });
  const id = newId();
  await stores.authenticators.createCert({
    id,
    identityId: body.identityId,
    certPem: leafPem,
    fingerprint,
    publicKeyFingerprint,
    caId,
    isIssuedByNetwork: caId === null,
    tags: tagsFrom(body.tags),
  });
  return created('authenticators', id);
}

/** GET /authenticators/{id}. Fails: `notFound`. */
export const detailAuthenticator: Handler<'management', 'detailAuthenticator'> = async ({ params }, { stores }) =>
  ok(toAuthenticatorDetail(await stores.authenticators.get(params.id)));

/**
 * PUT /authenticators/{id}: username and password; without effect on one that has neither. The API sessions of its
 * identity end.
 */
export const updateAuthenticator: Handler<'management', 'updateAuthenticator'> = async ({ params, body }, context) => {
  await changeUpdb(context, params.id, {
    username: body.username,
    password: body.password,
    tags: tagsFrom(body.tags),
  });
  return noData();
};

/** PATCH /authenticators/{id}. A new password ends the API sessions of its identity. */
export const patchAuthenticator: Handler<'management', 'patchAuthenticator'> = async ({ params, body }, context) => {
  await changeUpdb(context, params.id, {
    username: given(body.username),
    password: given(body.password),
    tags: givenTags(body.tags),
  });
  return noData();
};

/** DELETE /authenticators/{id}: the API sessions it opened end with it. Fails: `notFound`, `notDeletable`. */
export const deleteAuthenticator: Handler<'management', 'deleteAuthenticator'> = async ({ params }, { stores }) => {
  if (await stores.authenticators.removeOrdinary(params.id)) return noData();
  const { identity } = await stores.authenticators.get(params.id);
  await stores.transaction((tx) =>
    tx.administrators.keep(identity.id, 'notDeletable', () => tx.authenticators.take(params.id)),
  );
  return noData();
};

/**
 * POST /authenticators/{id}/request-extend. Fails: `notFound`, `authenticatorNotUpdatable` for one that this network
 * did not issue.
 */
export const requestExtendAuthenticator: Handler<'management', 'requestExtendAuthenticator'> = async (
  { params, body },
  { stores },
) => {
  const identityId = await stores.authenticators.requestExtension(params.id, body.rollKeys ?? false);
  if (identityId === undefined) {
    await stores.authenticators.get(params.id);
    throw new DomainError('authenticatorNotUpdatable', {
      causeMessage: 'only a certificate that this network issued can be extended',
    });
  }
  return noData();
};

/**
 * POST /authenticators/{id}/re-enroll: an enrollment takes the place of the authenticator, and the API sessions of its
 * identity end. Fails: `notFound`, `invalidField` (expiresAt), `enrollmentExists`, `notUpdatable`.
 */
export const reEnrollAuthenticator: Handler<'management', 'reEnrollAuthenticator'> = async (
  { params, body },
  { stores, enrollments, newId },
) => {
  const expiresAt = new Date(body.expiresAt);
  const { identity, method: current, cert } = await stores.authenticators.get(params.id);
  // False as well for a time that no clock shows.
  if (!(expiresAt.getTime() > Date.now()))
    throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
  const method = enrollmentMethodFor(current, cert?.caId ?? null);
  const id = newId();
  const issued = await enrollments.issue(identity.id, method, expiresAt);
  const present = cert?.caId ?? null;
  await stores.transaction((tx) =>
    tx.administrators.keep(identity.id, 'notUpdatable', async () => {
      if (present !== null) await tx.cas.lockForUse(present);
      const { username, caId } = await tx.authenticators.take(params.id);
      await tx.enrollments.create(identity.id, { id, method, caId, username, expiresAt, ...issued });
      await tx.apiSessions.removeOf(identity.id);
    }),
  );
  return created('enrollments', id);
};

/** The way to get an authenticator of its kind again; the kind never changes. */
function enrollmentMethodFor(method: AuthenticatorMethod, caId: string | null): EnrollmentMethod {
  if (method === 'updb') return 'updb';
  return caId === null ? 'ott' : 'ottca';
}
