/** Certificate authorities of others, whose certificates enroll and log in. */
import { X509Certificate, randomUUID } from 'node:crypto';
import type { Ca, ExternalIdClaim } from '../../domain/credentials.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import { readCaCertificates, readProof } from '../../domain/pki/ca-certificate.js';
import { ChainFault } from '../../domain/pki/chain.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import type * as Request from '../../generated/management/request.js';
import { created, keptListOf, noData, ok, raw } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import { given, givenName, givenTags, tagsFrom } from '../fields.js';
import { CA, caSettingsFrom, claimFrom, nameFormatFrom, toCaDetail } from '../forms/ca-model.js';
import { requireMayChangeCa, requireMayClaim, whereAllowed } from '../delegation/delegation.js';
import { verifyCurrentPeer } from '../../domain/pki/peer.js';

/** GET /cas. */
export const listCas: Handler<'management', 'listCas'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.cas.list(query), CA, elementCache);

/**
 * POST /cas. Fails: `invalidField` (certPem, identityRoles), `badReference` (externalIdClaim), `duplicate` (name,
 * certPem).
 */
export const createCa: Handler<'management', 'createCa'> = async ({ body, caller }, { stores, pki, newId }) => {
  const settings = caSettingsFrom(body);
  requireMayClaim(caller, settings.externalIdClaim !== null);
  const certificates = readCaCertificates(body.certPem);
  requireForeign(certificates.certPem, pki);
  const id = newId();
  await stores.transaction((tx) =>
    tx.cas.create(id, { ...settings, ...certificates, verificationToken: randomUUID(), tags: tagsFrom(body.tags) }),
  );
  return created('cas', id);
};

/** GET /cas/{id}. Fails: `notFound`. */
export const detailCa: Handler<'management', 'detailCa'> = async ({ params }, { stores }) =>
  ok(toCaDetail(await stores.cas.get(params.id)));

/** PUT /cas/{id}: all but the certificate, which stays. Fails: `notFound`, `notUpdatable`, otherwise as create. */
export const updateCa: Handler<'management', 'updateCa'> = async ({ params, body, caller }, { stores }) => {
  const settings = caSettingsFrom(body);
  const hasClaim = settings.externalIdClaim !== null;
  const change = { id: params.id, givesClaim: hasClaim, mayTakeLogins: !settings.isAuthEnabled || hasClaim };
  await changeCa(stores, caller, change, ({ cas }) =>
    cas.update(params.id, { ...settings, tags: tagsFrom(body.tags) }),
  );
  return noData();
};

/** PATCH /cas/{id}; `null` takes the claim away. Fails: as PUT. */
export const patchCa: Handler<'management', 'patchCa'> = async ({ params, body, caller }, { stores }) => {
  const changes = {
    name: givenName(body.name),
    isAuthEnabled: given(body.isAuthEnabled),
    isAutoCaEnrollmentEnabled: given(body.isAutoCaEnrollmentEnabled),
    isOttCaEnrollmentEnabled: given(body.isOttCaEnrollmentEnabled),
    identityNameFormat: body.identityNameFormat == null ? undefined : nameFormatFrom(body.identityNameFormat),
    identityRoles: body.identityRoles == null ? undefined : parseRoleAttributes(body.identityRoles, 'identityRoles'),
    tags: givenTags(body.tags),
  };
  const { externalIdClaim: claim } = body;
  const change = {
    id: params.id,
    givesClaim: claim != null && Object.keys(claim).length > 0,
    mayTakeLogins: changes.isAuthEnabled === false || claim != null,
  };
  await changeCa(stores, caller, change, async ({ cas }) => {
    const externalIdClaim =
      claim == null ? claim : mergeClaim((await cas.lockForChange(params.id)).externalIdClaim, claim);
    await cas.update(params.id, { ...changes, externalIdClaim });
  });
  return noData();
};

/**
 * DELETE /cas/{id}: its authenticators, enrollments and their API sessions go too. Fails: `notFound`, `notDeletable`,
 * `unauthenticated`.
 */
export const deleteCa: Handler<'management', 'deleteCa'> = async ({ params, caller }, { stores }) => {
  if (caller.isAdmin && (await stores.cas.removeUnused(params.id))) return noData();
  await stores.transaction((tx) =>
    tx.administrators.keepAny('notDeletable', async () => {
      await requireMayChangeCa(caller, params.id, false, tx);
      await tx.cas.remove(params.id);
    }),
  );
  return noData();
};

/** GET /cas/{id}/jwt: the bare JWT, whatever the state of the CA. Fails: `notFound`. */
export const getCaJwt: Handler<'management', 'getCaJwt'> = async ({ params }, { stores, enrollments }) => {
  const { id } = await stores.cas.get(params.id);
  return raw('application/jwt', await enrollments.caJwt(id));
};

/**
 * POST /cas/{id}/verify: a certificate that only the holder of the CA's key can have made since the CA was created.
 * Fails: `notFound`, `caAlreadyVerified`, `unparsableBody`, `commonNameInvalid`, `certificateNotOfCa`.
 */
export const verifyCa: Handler<'management', 'verifyCa'> = async ({ params, body, caller }, { stores }) => {
  const ca = await stores.cas.get(params.id);
  const requireVerifiable = ({ isVerified, externalIdClaim }: Ca) => {
    requireMayClaim(caller, externalIdClaim !== null);
    if (isVerified) throw new DomainError('caAlreadyVerified');
  };
  requireVerifiable(ca);
  requireProof(ca, readProof(body, ca.verificationToken));
  await stores.transaction(async (tx) => {
    requireVerifiable(await tx.cas.lockForChange(params.id));
    await tx.cas.setVerified(params.id);
  });
  return noData();
};

interface CaChange {
  readonly id: string;
  readonly givesClaim: boolean;
  /** Its certificates may log in as nobody then, or as somebody else. */
  readonly mayTakeLogins: boolean;
}

/** Makes a change of a CA: in a transaction, unless it can take no login away and the caller may do all. */
async function changeCa(
  stores: Stores,
  caller: Caller,
  { id, givesClaim, mayTakeLogins }: CaChange,
  write: (on: StoreSet) => Promise<void>,
): Promise<void> {
  const check = (tx: StoreSet) => requireMayChangeCa(caller, id, givesClaim, tx);
  if (!mayTakeLogins) return whereAllowed(caller, stores, check, write);
  await stores.transaction((tx) =>
    tx.administrators.keepAny('notUpdatable', async () => {
      await check(tx);
      await write(tx);
    }),
  );
}

/**
 * It proves the CA's key and nothing else, so any extended key usage will do.
 * @throws DomainError `certificateNotOfCa` for a chain that does not lead to the CA, or a leaf outside its time
 */
function requireProof(ca: Ca, sent: readonly Buffer[]): void {
  try {
    verifyCurrentPeer(sent, { own: null, cas: [ca], isAnyUse: true });
  } catch (fault) {
    throw fault instanceof ChainFault ? new DomainError('certificateNotOfCa', { causeMessage: fault.message }) : fault;
  }
}

/**
 * The network's own keys cannot be a third party's CA, whatever certificate carries them.
 * @throws DomainError `invalidField`
 */
function requireForeign(certPem: string, pki: Context['pki']): void {
  const { roots, intermediates } = pki.trust();
  // Not KeyObject.equals: for keys of two kinds it leaves an error behind that OpenSSL then reports of some connection.
  const keyOf = ({ publicKey }: X509Certificate) => JSON.stringify(publicKey.export({ format: 'jwk' }));
  const key = keyOf(new X509Certificate(certPem));
  if ([...roots, ...intermediates].some((own) => keyOf(own) === key)) {
    throw invalidField('certPem', 'certificate is one of this network itself', '');
  }
}

/**
 * Members that are given replace those of the present claim; without any it stays. Stock clients send `{}` with every
 * change.
 */
function mergeClaim(
  current: ExternalIdClaim | null,
  change: NonNullable<Request.ExternalIdClaimPatch>,
): ExternalIdClaim | undefined {
  const members = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<ExternalIdClaim>;
  return Object.keys(members).length === 0 ? undefined : claimFrom({ ...current, ...members });
}
