/** The wire form of an API session. Only its owner is shown the token. */
import type { ApiSession } from '../../domain/model.js';
import { tokenDigest } from '../../domain/auth/tokens.js';
import type * as Response from '../../generated/management/response.js';
import type { LiveSession } from '../services.js';
import { baseFields, linksOf, refTo } from '../wire.js';

/** As administrators read it: `token` identifies the session and opens nothing. */
export function toApiSessionDetail(session: ApiSession, token = tokenDigest(session.tokenHash), cachedLastActivityAt = session.lastActivityAt): Response.ApiSessionDetail {
  return {
    authQueries: [], authenticatorId: session.authenticatorId, cachedLastActivityAt: cachedLastActivityAt.toISOString(),
    configTypes: session.configTypes, identity: refTo('identities', session.identity), identityId: session.identity.id,
    ipAddress: session.ipAddress, isCertExtendable: session.isCertExtendable, isMfaComplete: session.isMfaComplete,
    isMfaRequired: session.isMfaRequired, lastActivityAt: session.lastActivityAt.toISOString(), token,
    ...(session.isCertExtendRequested ? { isCertExtendRequested: true, isCertKeyRollRequested: session.isCertKeyRollRequested } : {}),
    ...(session.improperClientCertChain ? { improperClientCertChain: true } : {}),
    ...baseFields(session, linksOf('api-sessions', session.id)),
  };
}

/** As its owner reads it, with the token it sent and the time it has left. */
export function toCurrentApiSession({ session, cachedLastActivityAt }: LiveSession, token: string, timeoutSeconds: number): Response.CurrentApiSessionDetail {
  return {
    expirationSeconds: timeoutSeconds, expiresAt: new Date(cachedLastActivityAt.getTime() + timeoutSeconds * 1000).toISOString(),
    ...toApiSessionDetail(session, token, cachedLastActivityAt),
  };
}
