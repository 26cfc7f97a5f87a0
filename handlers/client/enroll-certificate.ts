/**
 * Enrollment by a certificate that a known CA has issued: with a one-time token (`ottca`), or with the certificate
 * alone (`ca`). The certificate is the one of the TLS handshake; its key never leaves the client.
 */
import { knownControllers } from '../enrollment/known-controllers.js';
import { DomainError } from '../../domain/errors.js';
import { identityName, numberedName } from '../../domain/enrollment/identity-name.js';
import type { Ca, Enrollment } from '../../domain/credentials.js';
import { newIdentity } from '../../domain/new-identity.js';
import { commonNamesOf } from '../../domain/pki/ca-certificate.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { externalIdOf } from '../../domain/pki/external-id-claim.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { noData, ok } from '../handler.js';
import type { RequestConnection, Handler, Note } from '../handler.js';
import type { Context } from '../context.js';
import { verifyCurrentPeer } from '../../domain/pki/peer.js';
import { noteLeaf } from '../login/note-leaf.js';
import { enrollmentOf, tokenUnknown, useUp } from './enroll-tokens.js';

export interface CertificateInput {
  readonly connection: Pick<RequestConnection, 'peerCertificates'>;
  readonly note: Note;
  /** `name`, if it has one, is what the identity asks to be called. */
  readonly body?: unknown;
}

type Nothing = Record<string, never>;

/** POST /enroll/ottca: the token comes in the query or in the body. Fails: as `byOttCa`. */
export const enrollOttCa: Handler<'client', 'enrollOttCa'> = async ({ query, body, connection, note }, context) => {
  await byOttCa(await enrollmentOf('ottca', query, body, context, note), { connection, note }, context);
  return ok({ controllers: await knownControllers(context) });
};

/** POST /enroll/ca. Fails: as `byCa`. */
export const enrollCa: Handler<'client', 'enrollCa'> = async ({ connection, note }, context) => {
  await byCa({ connection, note }, context);
  return noData();
};

/**
 * Gives the enrollment's identity the certificate that the client shows, and uses the enrollment up.
 * @param enrollment  of method `ottca`, not expired
 * @throws DomainError `caNotValid`, `certificateNotOfCa`, `certificateInUse`, `certificateClaimMissing`: the token
 * stays good;
 *   `enrollmentTokenUnknown` when another request was first
 */
export async function byOttCa(
  enrollment: Enrollment,
  { connection, note }: CertificateInput,
  context: Context,
): Promise<Nothing> {
  const { stores, newId } = context;
  const { identity } = enrollment;
  noteLeaf(connection.peerCertificates(), note);
  if (identity === null || enrollment.ca === null)
    throw tokenUnknown('the enrollment is for nothing that this method can enroll');
  const known = requireOttCa(await stores.cas.find(enrollment.ca.id));
  const shown = await verified(connection.peerCertificates(), [known], 'certificateNotOfCa', context);
  await stores.transaction(async (tx) => {
    const ca = requireOttCa(await tx.cas.lockForUse(known.id));
    await useUp(tx, enrollment);
    const externalId = await claimedId(tx, ca, shown);
    if (externalId === null) return createAuthenticator(tx, ca, identity.id, newId(), shown);
    if (!(await withoutClash(shown, () => tx.identities.claimExternalId(identity.id, externalId)))) {
      throw new DomainError('certificateNotOfCa', {
        causeMessage: 'the certificate is not one of this identity',
        logReason: 'the claim names another identity',
      });
    }
  });
  return {};
}

/** How often another name is tried after one was taken; each time one of those who want it gets it. */
const NAME_ATTEMPTS = 64;

/**
 * Makes an identity for the certificate that the client shows.
 * @throws DomainError `noValidCas`, `certificateNotTrusted`, `certificateInUse`, `certificateClaimMissing`,
 * `tooManyRequests`
 */
export async function byCa({ connection, body, note }: CertificateInput, context: Context): Promise<Nothing> {
  const { stores, newId } = context;
  noteLeaf(connection.peerCertificates(), note);
  const cas = await stores.cas.forAutoEnrollment();
  if (cas.length === 0 && !(await stores.cas.isThereAny())) throw new DomainError('noValidCas');
  const shown = await verified(connection.peerCertificates(), cas, 'certificateNotTrusted', context);
  const [identityId, authenticatorId] = [newId(), newId()];
  for (let attempt = 1; ; attempt += 1) {
    try {
      await stores.transaction((tx) =>
        enrollNew(
          tx,
          { identityId, authenticatorId, requestedName: requestedName(body), isNumbered: attempt > 1 },
          shown,
        ),
      );
      note({ identityId });
      return {};
    } catch (error) {
      if (attempt === NAME_ATTEMPTS || !isTaken(error, 'name')) throw error;
    }
  }
}

interface Newcomer {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly requestedName: string;
  readonly isNumbered: boolean;
}

async function enrollNew(
  tx: StoreSet,
  { identityId, authenticatorId, requestedName, isNumbered }: Newcomer,
  shown: VerifiedChain,
): Promise<void> {
  const ca = await tx.cas.lockForUse(shown.caId ?? '');
  if (ca === undefined || !ca.isVerified || !ca.isAutoCaEnrollmentEnabled)
    throw new DomainError('certificateNotTrusted', { logReason: 'the CA no longer allows it' });
  const externalId = await claimedId(tx, ca, shown);
  const name = identityName(ca.identityNameFormat, {
    caName: ca.name,
    caId: ca.id,
    commonName: commonNamesOf(shown.leaf)[0] ?? '',
    requestedName,
    identityId,
  });
  const draft = newIdentity({
    name: isNumbered ? numberedName(name, (await tx.identities.highestNumber(name)) + 1) : name,
    externalId,
    roleAttributes: ca.identityRoles,
  });
  await withoutClash(shown, () => tx.identities.create(identityId, draft, []));
  if (externalId === null) await createAuthenticator(tx, ca, identityId, authenticatorId, shown);
}

/** @throws DomainError `caNotValid` unless certificates of the CA may be used with a token */
function requireOttCa(ca: Ca | undefined): Ca {
  if (ca === undefined || !ca.isVerified || !ca.isOttCaEnrollmentEnabled) {
    throw new DomainError('caNotValid', { logReason: 'the CA is gone, not verified or not for enrollment by token' });
  }
  return ca;
}

/**
 * The client's chain to one of `cas`, within its time.
 * @throws DomainError of the given kind, which says no more; `tooManyRequests`
 */
async function verified(
  sent: readonly Buffer[],
  cas: readonly Ca[],
  kind: 'certificateNotOfCa' | 'certificateNotTrusted',
  { yieldQueue }: Context,
): Promise<VerifiedChain> {
  try {
    return await yieldQueue.run(() => verifyCurrentPeer(sent, { own: null, cas }));
  } catch (fault) {
    throw fault instanceof ChainFault ? new DomainError(kind, { cause: fault, logReason: fault.message }) : fault;
  }
}

/**
 * The external id of a certificate whose CA has a claim; null for a CA without one.
 * @throws DomainError `certificateInUse` when the certificate is an authenticator already, `certificateClaimMissing`
 */
async function claimedId(
  { authenticators }: StoreSet,
  { externalIdClaim }: Ca,
  { leaf, fingerprint }: VerifiedChain,
): Promise<string | null> {
  if (await authenticators.hasCertificate(fingerprint)) throw inUse(fingerprint);
  if (externalIdClaim === null) return null;
  const externalId = externalIdOf(externalIdClaim, leaf);
  if (externalId === undefined) throw new DomainError('certificateClaimMissing');
  return externalId;
}

async function createAuthenticator(
  tx: StoreSet,
  ca: Ca,
  identityId: string,
  id: string,
  shown: VerifiedChain,
): Promise<void> {
  const { leafPem: certPem, fingerprint, publicKeyFingerprint } = shown;
  await withoutClash(shown, () =>
    tx.authenticators.createCert({
      id,
      identityId,
      certPem,
      fingerprint,
      publicKeyFingerprint,
      isIssuedByNetwork: false,
      caId: ca.id,
      tags: {},
    }),
  );
}

/** @throws DomainError `certificateInUse` when the certificate, or the external id in it, belongs to an identity */
async function withoutClash<T>({ fingerprint }: VerifiedChain, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isTaken(error, 'certFingerprint') || isTaken(error, 'externalId') ? inUse(fingerprint, error) : error;
  }
}

function inUse(fingerprint: string, cause?: unknown): DomainError {
  return new DomainError('certificateInUse', {
    causeMessage: 'the certificate is in use',
    causeData: { fingerprint },
    cause,
  });
}

function isTaken(error: unknown, field: 'name' | 'certFingerprint' | 'externalId'): boolean {
  return error instanceof DomainError && error.kind === 'duplicate' && error.field?.field === field;
}

function requestedName(body: unknown): string {
  const { name } = ((typeof body === 'object' ? body : null) as { name?: unknown } | null) ?? {};
  return typeof name === 'string' ? name : '';
}
