/**
 * Enrollment by a token of an external JWT signer: whoever the signer names becomes an identity, which logs in with a
 * certificate from then on, or with tokens. The token is a credential of the caller's own, so that what a proven one
 * lacks is said; why one is not proven is not.
 */
import { knownControllers } from '../enrollment/known-controllers.js';
import type { ControllersList } from '../../generated/client/response.js';
import { loginFault } from '../../domain/auth/auth-policy.js';
import { attributesAt, claimAt, endOf, TokenFault, useOfToken } from '../../domain/auth/external-token.js';
import type { Claims } from '../../domain/auth/external-token.js';
import type { ExternalJwtSigner } from '../../domain/auth/external-signer.js';
import { DomainError } from '../../domain/errors.js';
import type { IdentityDraft } from '../../domain/model.js';
import { newIdentity } from '../../domain/new-identity.js';
import { sortedSet } from '../../domain/sorted-set.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { ok } from '../handler.js';
import type { RequestConnection, Handler, Note } from '../handler.js';
import type { Context, IssuedChain } from '../context.js';
import { readRequest } from '../enrollment/signing-request.js';
import { proveToken, signerNamedBy } from '../login/token-proof.js';

export interface TokenInput {
  readonly connection: Pick<RequestConnection, 'bearerTokens'>;
  readonly note: Note;
  /** PEM; with one the identity gets a certificate, without one it logs in with tokens. */
  readonly clientCsr: string | null | undefined;
  /** The id of the only signer whose token will do; '' and undefined: any. */
  readonly signerId: string | null | undefined;
}

type Newcomer = Pick<IdentityDraft, 'name' | 'externalId' | 'authPolicyId' | 'roleAttributes'>;

/** `ca` is what to trust, `cert` the leaf and its intermediates, PEM; absent without a CSR. */
export interface TokenEnrollment {
  readonly ca?: string;
  readonly cert?: string;
  readonly controllers: ControllersList;
}

/** POST /enroll/token. Fails: as `byToken`. */
export const enrollToken: Handler<'client', 'enrollToken'> = async ({ headers, body, connection, note }, context) => {
  const signerId = headers['ziti-token-issuer-id'];
  return ok(await byToken({ connection, note, clientCsr: body.clientCsr, signerId }, context));
};

/**
 * Makes an identity for the subject of the token.
 * @throws DomainError `enrollmentTokenInvalid`, `enrollmentNotAllowed`, `identityEnrolled`, `csrInvalid`, `duplicate`
 * (name), `tokenUsed`, `tooManyRequests`
 */
export async function byToken(
  { connection, note, clientCsr, signerId }: TokenInput,
  context: Context,
): Promise<TokenEnrollment> {
  const [token] = connection.bearerTokens();
  const { signer, claims } = await proven(token, signerId ?? '', context, note);
  const csrPem = clientCsr ?? '';
  const newcomer = newcomerOf(signer, claims);
  await requireAllowed(signer, csrPem !== '', context);
  await requireNew(newcomer.externalId, signer, context);
  const identityId = context.newId();
  const issued =
    csrPem === '' ? undefined : await context.pki.issueForIdentity(await readRequest(csrPem, context), identityId);
  const used = { hash: useOfToken(token ?? ''), expiresAt: endOf(claims) };
  try {
    await context.stores.transaction((tx) => enroll(tx, { signer, identityId, newcomer, issued, used }, context));
  } catch (error) {
    // All but one of several requests for one subject find its name or its external id taken.
    if (isTaken(error)) await requireNew(newcomer.externalId, signer, context);
    throw error;
  }
  note({ identityId });
  const controllers = await knownControllers(context);
  return issued === undefined ? { controllers } : { ca: context.pki.caBundlePem(), cert: issued.chainPem, controllers };
}

interface Proven {
  readonly signer: ExternalJwtSigner;
  readonly claims: Claims;
}

/** @throws DomainError `enrollmentTokenInvalid`, whatever was wrong */
async function proven(token: string | undefined, signerId: string, context: Context, note: Note): Promise<Proven> {
  try {
    if (token === undefined) throw new TokenFault('there is no bearer token');
    const { signer, kid } = await signerNamedBy(token, context, note);
    if (signerId !== '' && signerId !== signer.id) throw new TokenFault('the issuer is not the signer that was named');
    return { signer, claims: (await proveToken(token, kid, signer, context)).claims };
  } catch (error) {
    if (!(error instanceof TokenFault)) throw error;
    throw new DomainError('enrollmentTokenInvalid', { logReason: error.message });
  }
}

/**
 * An identity is made only if it can then log in by what it enrolls for.
 * @throws DomainError `enrollmentNotAllowed`
 */
async function requireAllowed(
  signer: ExternalJwtSigner,
  isToCert: boolean,
  { stores }: Pick<Context, 'stores'>,
): Promise<void> {
  const causeMessage =
    signerFault(signer, isToCert) ??
    loginFault(
      await stores.authPolicies.get(signer.enrollAuthPolicyId),
      isToCert ? { by: 'certificate' } : { by: 'token', signerId: signer.id },
    );
  if (causeMessage !== undefined)
    throw new DomainError('enrollmentNotAllowed', { causeMessage, logReason: causeMessage });
}

function signerFault(signer: ExternalJwtSigner, isToCert: boolean): string | undefined {
  if (isToCert)
    return signer.enrollToCertEnabled ? undefined : 'the signer does not enroll to certificates: send no clientCsr';
  if (!signer.enrollToTokenEnabled) return 'the signer does not enroll to tokens: send a clientCsr';
  // Its tokens name identities by an id, which a new identity cannot choose: no identity could log in.
  return signer.useExternalId ? undefined : 'the signer enrolls to tokens only with useExternalId';
}

/** @throws DomainError `enrollmentTokenInvalid` for a claim that is missing or of no use */
function newcomerOf(signer: ExternalJwtSigner, claims: Claims): Newcomer & { readonly externalId: string } {
  const read = <T>(what: string, pointer: string, from: (claims: Claims, pointer: string) => T): T => {
    try {
      return from(claims, pointer);
    } catch (error) {
      if (!(error instanceof TokenFault)) throw error;
      const causeMessage = `the claim ${pointer}, for the ${what} of the identity, is missing or of no use`;
      throw new DomainError('enrollmentTokenInvalid', { causeMessage, logReason: error.message });
    }
  };
  return {
    externalId: read('external id', signer.claimsProperty, claimAt),
    name: read('name', signer.enrollNameClaimsSelector, claimAt),
    roleAttributes: sortedSet(read('role attributes', signer.enrollAttributeClaimsSelector, attributesAt)),
    authPolicyId: signer.enrollAuthPolicyId,
  };
}

/** @throws DomainError `identityEnrolled` */
async function requireNew(
  subject: string,
  { id, useExternalId }: ExternalJwtSigner,
  { stores: { logins } }: Pick<Context, 'stores'>,
): Promise<void> {
  const byId = { by: 'token', signerId: id, useExternalId, claim: subject, tokenId: null, issuedAt: null } as const;
  const holder =
    (await logins.identityByExternalId(subject)) ?? (useExternalId ? undefined : await logins.identityForToken(byId));
  if (holder !== undefined) throw new DomainError('identityEnrolled', { logReason: 'the subject has an identity' });
}

interface Enrollment {
  readonly signer: ExternalJwtSigner;
  readonly identityId: string;
  readonly newcomer: Newcomer;
  readonly issued: IssuedChain | undefined;
  readonly used: { readonly hash: Buffer; readonly expiresAt: Date };
}

/** @throws DomainError `enrollmentNotAllowed` when the signer has changed, `duplicate`, `tokenUsed` */
async function enroll(
  tx: StoreSet,
  { signer, identityId, newcomer, issued, used }: Enrollment,
  { newId }: Pick<Context, 'newId'>,
): Promise<void> {
  if (!(await tx.externalJwtSigners.lock(signer))) {
    const causeMessage = 'the signer was changed at the same time: try again';
    throw new DomainError('enrollmentNotAllowed', { causeMessage, logReason: causeMessage });
  }
  await tx.identities.create(identityId, newIdentity(newcomer), []);
  if (!(await tx.usedTokens.spend(used.hash, used.expiresAt)))
    throw new DomainError('tokenUsed', { logReason: 'the token made an identity that is gone' });
  if (issued === undefined) return;
  const { leafPem: certPem, fingerprint, publicKeyFingerprint, record } = issued;
  await tx.authenticators.createCert({
    id: newId(),
    identityId,
    certPem,
    fingerprint,
    publicKeyFingerprint,
    isIssuedByNetwork: true,
    caId: null,
    tags: {},
  });
  await tx.issuedCertificates.add([record]);
}

const isTaken = (error: unknown): boolean => error instanceof DomainError && error.kind === 'duplicate';
