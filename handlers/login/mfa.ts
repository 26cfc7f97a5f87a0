/** The caller's own second factor: enrolling, giving codes, recovery codes, removal. */
import { randomUUID } from 'node:crypto';
import { newRecoveryCodes, UNDO_SECONDS } from '../../domain/auth/second-factor.js';
import { DomainError } from '../../domain/errors.js';
import { totpTokenClaims } from '../../domain/oidc/claims.js';
import type { Mfa } from '../../db/stores/mfas.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type * as Response from '../../generated/client/response.js';
import { baseFields } from '../fields.js';
import { noData, ok, raw } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Caller, Links } from '../reply.js';
import { incomplete } from './owed-token.js';
import { newSealedMfa, openCodes, provisioningUrlOf, sealCodes, withCode } from './second-factor.js';

const PATH = './current-identity/mfa';

/** POST /current-identity/mfa. Fails: `mfaExists`. */
export const enrollMfa: Handler<'client', 'enrollMfa'> = async ({ caller }, { stores, secrets, newId }) => {
  const id = newId();
  await stores.mfas.create(newSealedMfa({ id, identityId: caller.identityId }, secrets));
  return { status: 201, data: { _links: { self: { href: PATH } }, id } };
};

/** GET /current-identity/mfa: the secret and the recovery codes until the enrollment is verified. Fails: `notFound`. */
export const detailMfa: Handler<'client', 'detailMfa'> = async ({ caller }, context) => {
  const mfa = enrolled(await context.stores.mfas.find(caller.identityId));
  const detail = { isVerified: mfa.isVerified, ...baseFields(mfa, linksOf(mfa)) };
  if (mfa.isVerified) return ok(detail);
  const recoveryCodes = openCodes(mfa, context.secrets);
  return ok({ ...detail, recoveryCodes, provisioningUrl: await provisioningUrlOf(mfa, context) });
};

/** GET /current-identity/mfa/qr-code. Fails: `notFound` unless the enrollment waits to be verified. */
export const detailMfaQrCode: Handler<'client', 'detailMfaQrCode'> = async ({ caller }, context) => {
  const url = await provisioningUrlOf(unverified(await context.stores.mfas.find(caller.identityId)), context);
  return raw('image/png', await context.qrCodes.png(url));
};

/**
 * POST /current-identity/mfa/verify: from then on every session of the identity must give a code; this one has. Fails:
 * `notFound` unless the enrollment waits to be verified; `mfaCodeInvalid`, `rateLimited`.
 */
export const verifyMfa: Handler<'client', 'verifyMfa'> = async ({ caller, body }, context) => {
  const proof = { ...ownerOf(caller), code: body.code, isRecoveryAccepted: false, require: unverified };
  await withCode(proof, context, async (mfa, tx) => {
    await tx.mfas.setVerified(mfa);
    await complete(caller, tx);
  });
  return noData();
};

/** POST /authenticate/mfa. Fails: `mfaNotEnrolled`, `mfaCodeInvalid`, `rateLimited`. */
export const authenticateMfa: Handler<'client', 'authenticateMfa'> = async ({ caller, body }, context) => {
  const require = (mfa: Mfa | undefined) => {
    if (mfa?.isVerified !== true) throw new DomainError('mfaNotEnrolled');
    return mfa;
  };
  const proof = { ...ownerOf(caller), code: body.code, isRecoveryAccepted: true, require };
  await withCode(proof, context, (_mfa, tx) => complete(caller, tx));
  return noData();
};

/**
 * DELETE /current-identity/mfa: sessions of the identity go back to what its policy asks. Sessions that were fully
 * authenticated when it was verified undo it without a code for a day, also while they owe one (docs/decisions/0028).
 * Fails: `notFound`; `mfaCodeInvalid`, `rateLimited` once it is verified; `unauthenticated`.
 */
export const deleteMfa: Handler<'client', 'deleteMfa'> = async ({ caller, headers, body }, context) => {
  const { identityId, apiSessionId, owedToken } = caller;
  const { mfas } = context.stores;
  const isUndone = owedToken === null && (await mfas.undo(identityId, apiSessionId, UNDO_SECONDS));
  if (!isUndone && !caller.isComplete) throw incomplete(caller);
  const isRemoved = isUndone || (await removeUnverified(identityId, mfas));
  if (!isRemoved) {
    const code = headers['mfa-validation-code'] ?? body?.code;
    const proof = { ...ownerOf(caller), code, isRecoveryAccepted: true, require: enrolled };
    await withCode(proof, context, (_mfa, tx) => tx.mfas.remove(identityId));
  }
  return noData();
};

/**
 * GET /current-identity/mfa/recovery-codes: for a TOTP code alone. Fails: `notFound`, `mfaCodeInvalid`, `rateLimited`.
 */
export const detailMfaRecoveryCodes: Handler<'client', 'detailMfaRecoveryCodes'> = async (
  { caller, headers, body },
  context,
) => {
  const code = headers['mfa-validation-code'] ?? body?.code;
  const proof = { ...ownerOf(caller), code, isRecoveryAccepted: false, require: verified };
  return ok(await withCode(proof, context, async (mfa) => toRecoveryCodes(mfa, openCodes(mfa, context.secrets))));
};

/** POST /current-identity/mfa/recovery-codes: new ones in place of all. Fails: as the view of them. */
export const createMfaRecoveryCodes: Handler<'client', 'createMfaRecoveryCodes'> = async (
  { caller, body },
  context,
) => {
  const codes = newRecoveryCodes();
  const proof = { ...ownerOf(caller), code: body.code, isRecoveryAccepted: false, require: verified };
  return ok(
    await withCode(proof, context, async (mfa, tx) => {
      await tx.mfas.setCodes(mfa.id, sealCodes(mfa, codes, context.secrets));
      return toRecoveryCodes(mfa, codes);
    }),
  );
};

/**
 * POST /current-api-session/totp-token: a proof for routers that a code was given, for a session of signed tokens. It
 * has no end of its own: its session has.
 * Fails: `sessionWithoutBacking`, `mfaNotEnrolled`, `mfaCodeInvalid`, `rateLimited`.
 */
export const createTotpToken: Handler<'client', 'createTotpToken'> = async ({ caller, body }, context) => {
  const { loginProvider, network, stores } = context;
  const family =
    caller.bearer === null || loginProvider === null ? undefined : await stores.tokenFamilies.find(caller.apiSessionId);
  if (loginProvider === null || family === undefined)
    throw new DomainError('sessionWithoutBacking', { logReason: 'the session was not opened by an OIDC login' });
  const proof = { ...ownerOf(caller), code: body.code, isRecoveryAccepted: false, require: usable };
  await withCode(proof, context, async () => undefined);
  const { apiSessionId, identityId } = caller;
  const now = new Date();
  const issuer = `https://${network.advertise}`;
  const claims = totpTokenClaims({ issuer, apiSessionId, identityId, clientId: family.clientId }, randomUUID(), now);
  return ok({ issuedAt: now.toISOString(), token: await loginProvider.signer().sign(claims) });
};

function usable(mfa: Mfa | undefined): Mfa {
  if (mfa?.isVerified !== true) throw new DomainError('mfaNotEnrolled');
  return mfa;
}

const complete = ({ apiSessionId }: Caller, { apiSessions }: Pick<StoreSet, 'apiSessions'>) =>
  apiSessions.completeMfa(apiSessionId);

const ownerOf = ({ identityId, apiSessionId }: Caller) => ({ identityId, apiSessionId });

async function removeUnverified(identityId: string, mfas: StoreSet['mfas']): Promise<boolean> {
  const present = enrolled(await mfas.find(identityId));
  return !present.isVerified && mfas.removeUnverified(identityId);
}

function enrolled(mfa: Mfa | undefined): Mfa {
  if (mfa === undefined) throw new DomainError('notFound');
  return mfa;
}

function verified(mfa: Mfa | undefined): Mfa {
  if (mfa?.isVerified !== true) throw new DomainError('notFound');
  return mfa;
}

function unverified(mfa: Mfa | undefined): Mfa {
  if (mfa?.isVerified !== false) throw new DomainError('notFound');
  return mfa;
}

function toRecoveryCodes(mfa: Mfa, recoveryCodes: string[]): Response.DetailMfaRecoveryCodes {
  return { recoveryCodes, ...baseFields(mfa, linksOf(mfa)) };
}

function linksOf({ isVerified }: Mfa): Links {
  const links = { 'self': { href: PATH }, 'current-identity': { href: './current-identity' } };
  if (isVerified) return { ...links, 'recovery-codes': { href: `${PATH}/recovery-codes` } };
  return { ...links, verify: { href: `${PATH}/verify` }, qr: { href: `${PATH}/qr-code` } };
}
