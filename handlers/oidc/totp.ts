/** Second factors within a login: giving a code, and enrolling where the auth policy asks for one. */
import { DomainError } from '../../domain/errors.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { AuthRequest } from '../../db/stores/auth-requests.js';
import type { Mfa } from '../../db/stores/mfas.js';
import { newSealedMfa, openCodes, provisioningUrlOf, withCode } from '../login/second-factor.js';
import type * as Response from '../../generated/oidc/response.js';
import type { BareReply, EmptyReply } from '../reply.js';
import { AnsweredRefusal, jsonReply, redirect, wantsPage } from './exchange.js';
import type { OidcContext, OidcHandler, OidcInput } from './exchange.js';
import { endedLogin, nextStep } from './login.js';
import type { NextStep } from './login.js';
import { loginOf } from './login-requests.js';
import type { LoginName } from './login-requests.js';
import { codePage } from './pages.js';

interface Pending {
  readonly request: AuthRequest;
  readonly owner: SessionOwner;
  readonly apiSessionId: string;
  readonly identityId: string;
}

/** A login whose credentials were accepted. @throws DomainError `unauthenticated` */
async function pendingLogin({ parameters, note }: OidcInput<LoginName>, { stores }: OidcContext): Promise<Pending> {
  const request = await loginOf(parameters, stores);
  const { apiSessionId } = request;
  const owner = apiSessionId === null ? undefined : await stores.apiSessions.findOwnerById(apiSessionId);
  if (apiSessionId === null || owner === undefined) throw endedLogin();
  const identityId = owner.session.identity.id;
  note({ identityId, authenticatorId: owner.session.authenticatorId });
  return { request, owner, apiSessionId, identityId };
}

type CodeName = LoginName | 'code';

const WRONG = { code: 'INVALID TOTP CODE', message: 'an invalid TOTP code was supplied' };

/** POST /login/totp: a code of the app, or a recovery code. Every fault looks alike, but for too many wrong codes. */
export const takeCode: OidcHandler<CodeName, EmptyReply<302>> = async (input, context) => {
  let request: AuthRequest | undefined;
  try {
    const pending = await pendingLogin(input, context);
    ({ request } = pending);
    const code = input.parameters.get('code');
    const proof = { ...pending, code, isRecoveryAccepted: true, require: verified };
    await withCode(proof, context, (_mfa, tx) => tx.apiSessions.completeMfa(pending.apiSessionId));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (request !== undefined && wantsPage(input))
      throw new AnsweredRefusal(error, codePage(request, 400, 'The code was not accepted.'));
    if (!['mfaCodeInvalid', 'mfaNotEnrolled', 'unauthenticated'].includes(error.kind)) throw error;
    throw new AnsweredRefusal(error, jsonReply(400, WRONG));
  }
  return redirect(`${request.issuer}/authorize/callback?id=${request.id}`);
};

/** POST /login/totp/enroll. Fails: `mfaExists`. */
export const beginTotp: OidcHandler<LoginName, BareReply<201, Response.TotpEnrollment>> = async (input, context) => {
  const { identityId } = await pendingLogin(input, context);
  const { stores, secrets, newId } = context;
  await stores.mfas.create(newSealedMfa({ id: newId(), identityId }, secrets));
  const mfa = unverified(await stores.mfas.find(identityId));
  const times = { createdAt: mfa.createdAt.toISOString(), updatedAt: mfa.updatedAt.toISOString() };
  const provisioningUrl = await provisioningUrlOf(mfa, context);
  const recoveryCodes = openCodes(mfa, secrets);
  return jsonReply(201, { _links: null, ...times, id: mfa.id, isVerified: false, provisioningUrl, recoveryCodes });
};

/** POST /login/totp/enroll/verify: from then on every session of the identity must give a code; this one has. */
export const verifyTotp: OidcHandler<CodeName, NextStep> = async (input, context) => {
  const { request, owner, apiSessionId, identityId } = await pendingLogin(input, context);
  const code = input.parameters.get('code');
  const proof = { apiSessionId, identityId, code, isRecoveryAccepted: false, require: unverified };
  await withCode(proof, context, async (mfa, tx) => {
    await tx.mfas.setVerified(mfa);
    await tx.apiSessions.completeMfa(apiSessionId);
  });
  const session = { ...owner.session, owesTotp: false };
  return nextStep(request, session, request.isSecondTokenShown, input, {});
};

/** DELETE /login/totp/enroll: a code is needed once the enrollment is verified. */
export const removeTotp: OidcHandler<CodeName, BareReply<200, Response.Nothing>> = async (input, context) => {
  const { apiSessionId, identityId } = await pendingLogin(input, context);
  const present = enrolled(await context.stores.mfas.find(identityId));
  if (!present.isVerified && (await context.stores.mfas.removeUnverified(identityId))) return jsonReply(200, {});
  const code = input.parameters.get('code');
  const proof = { apiSessionId, identityId, code, isRecoveryAccepted: true, require: enrolled };
  await withCode(proof, context, (_mfa, tx) => tx.mfas.remove(identityId));
  return jsonReply(200, {});
};

function enrolled(mfa: Mfa | undefined): Mfa {
  if (mfa === undefined) throw new DomainError('notFound');
  return mfa;
}

function unverified(mfa: Mfa | undefined): Mfa {
  if (mfa?.isVerified !== false) throw new DomainError('notFound');
  return mfa;
}

function verified(mfa: Mfa | undefined): Mfa {
  if (mfa?.isVerified !== true) throw new DomainError('mfaNotEnrolled');
  return mfa;
}
