/** External JWT signers: providers whose tokens log identities in. Administrators only. */
import { keySourceOf } from '../../domain/auth/external-signer.js';
import type { KeySource } from '../../domain/auth/external-signer.js';
import { badReference } from '../../domain/errors.js';
import type { Context } from '../context.js';
import { requireAdministrator } from '../delegation/delegation.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenTags } from '../fields.js';
import { signerChangesFrom, signerFrom, toExternalJwtSignerDetail } from '../forms/external-jwt-signer-model.js';

/** Its tokens log in as whom they name, administrators too. */
const NAMES_ANYBODY =
  'non-admins may not create, modify or delete external JWT signers, whose tokens can name any identity';

/** GET /external-jwt-signers. */
export const listExternalJwtSigners: Handler<'management', 'listExternalJwtSigners'> = async ({ query }, { stores }) =>
  listOf(await stores.externalJwtSigners.list(query), toExternalJwtSignerDetail);

/**
 * POST /external-jwt-signers. Fails: `duplicate` (name, issuer, fingerprint), `badReference` (certPem, jwksEndpoint),
 * `signerCertificateInvalid`, `invalidField`, `notFound` for an auth policy that does not exist.
 */
export const createExternalJwtSigner: Handler<'management', 'createExternalJwtSigner'> = async (
  { body, caller },
  { stores, newId, targetFault },
) => {
  requireAdministrator(caller, NAMES_ANYBODY);
  const draft = signerFrom(body);
  requireReachable(draft.keySource, targetFault);
  const id = newId();
  await stores.externalJwtSigners.create(id, draft);
  return created('external-jwt-signers', id);
};

/** GET /external-jwt-signers/{id}. Fails: `notFound`. */
export const detailExternalJwtSigner: Handler<'management', 'detailExternalJwtSigner'> = async (
  { params },
  { stores },
) => ok(toExternalJwtSignerDetail(await stores.externalJwtSigners.get(params.id)));

/** PUT /external-jwt-signers/{id}. Fails: as create, `notFound`. */
export const updateExternalJwtSigner: Handler<'management', 'updateExternalJwtSigner'> = async (
  { params, body, caller },
  { stores, targetFault },
) => {
  requireAdministrator(caller, NAMES_ANYBODY);
  const draft = signerFrom(body);
  requireReachable(draft.keySource, targetFault);
  await stores.externalJwtSigners.update(params.id, draft);
  return noData();
};

/**
 * PATCH /external-jwt-signers/{id}. A certificate takes the place of an endpoint, and the other way round. Fails: as
 * PUT.
 */
export const patchExternalJwtSigner: Handler<'management', 'patchExternalJwtSigner'> = async (
  { params, body, caller },
  { stores, targetFault },
) => {
  requireAdministrator(caller, NAMES_ANYBODY);
  const changes = { ...signerChangesFrom(body), tags: givenTags(body.tags) };
  const [certPem, jwksEndpoint] = [given(body.certPem), given(body.jwksEndpoint)];
  await stores.transaction(async ({ externalJwtSigners }) => {
    if (certPem === undefined && jwksEndpoint === undefined) return externalJwtSigners.update(params.id, changes);
    const { keySource: present } = await externalJwtSigners.lockForChange(params.id);
    const keySource = keySourceOf(
      certPem ?? (jwksEndpoint === '' ? present.certificate?.certPem : undefined),
      jwksEndpoint ?? (certPem === '' ? (present.jwksEndpoint ?? undefined) : undefined),
    );
    const isNewEndpoint = keySource.jwksEndpoint !== present.jwksEndpoint;
    if (isNewEndpoint) requireReachable(keySource, targetFault);
    await externalJwtSigners.update(params.id, { ...changes, keySource });
  });
  return noData();
};

/**
 * DELETE /external-jwt-signers/{id}: its API sessions end. Fails: `notFound`, `inUse` naming the auth policies,
 * `unauthenticated`.
 */
export const deleteExternalJwtSigner: Handler<'management', 'deleteExternalJwtSigner'> = async (
  { params, caller },
  { stores },
) => {
  requireAdministrator(caller, NAMES_ANYBODY);
  await stores.externalJwtSigners.remove(params.id);
  return noData();
};

/**
 * Judges an endpoint that is set by the rules that it will be asked by. Addresses behind a name are judged only then.
 * @throws DomainError `badReference` with the reason; a URL that may hold a password is not repeated
 */
function requireReachable(keySource: KeySource, targetFault: Context['targetFault']): KeySource {
  const url = keySource.jwksEndpoint;
  const fault = url === null ? undefined : targetFault(url);
  if (url === null || fault === undefined) return keySource;
  throw badReference(fault, 'jwksEndpoint', url.includes('@') ? '' : url.slice(0, 200));
}
