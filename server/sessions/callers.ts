/** Callers as their API sessions make them, and the refusal of one whose session is not there. */
import { DomainError } from '../../domain/errors.js';
import { apiSessionIdOf, identityIdOf } from '../../domain/ids.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { Caller } from '../../handlers/reply.js';

export const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';

/** The same for tokens that ended and for tokens that never were: who tries tokens learns of none that it was one. */
export const SESSION_OVER = 'the session is unknown or has ended; log in again';

export function sessionUnknown(): DomainError {
  const headers = { 'www-authenticate': INVALID_SESSION };
  return new DomainError('unauthenticated', {
    headers,
    causeMessage: SESSION_OVER,
    logReason: 'no such session, or it has ended',
  });
}

export function callerOf(token: string, owner: SessionOwner): Caller {
  const { session } = owner;
  const { requiredSigner: signer } = session;
  return {
    apiSessionId: apiSessionIdOf(session.id),
    token,
    bearer: null,
    identityId: identityIdOf(session.identity.id),
    identityName: session.identity.name,
    openedAt: owner.api,
    isComplete: !session.owesTotp && signer === null,
    owedToken: signer && { signerId: signer.id, issuer: signer.issuer, fault: 'missing' },
    isAdmin: owner.isAdmin,
    permissions: owner.permissions,
    roleAttributes: owner.roleAttributes,
    configTypes: session.configTypes,
    postureRevision: owner.postureRevision,
    trace: owner.trace,
  };
}
