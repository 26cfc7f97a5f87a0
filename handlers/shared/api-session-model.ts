/** The wire form of an API session. Only its owner is shown the token. */
import type { ApiSession } from '../../domain/model.js';
import { tokenDigest } from '../../domain/auth/tokens.js';
import type * as Response from '../../generated/management/response.js';
import type { LiveApiSession } from '../context.js';
import { baseFields, isoTime, linksOf, refTo } from '../fields.js';

/** As administrators read it: `token` identifies the session and opens nothing. */
export function toApiSessionDetail(
  session: ApiSession,
  token = tokenDigest(session.tokenHash),
  cachedLastActivityAt = session.lastActivityAt,
): Response.ApiSessionDetail {
  return {
    authQueries: session.owesTotp ? [totpQuery(session)] : [],
    authenticatorId: session.authenticatorId,
    cachedLastActivityAt: isoTime(cachedLastActivityAt),
    configTypes: session.configTypes,
    identity: refTo('identities', session.identity),
    identityId: session.identity.id,
    ipAddress: session.ipAddress,
    isCertExtendable: session.isCertExtendable,
    isMfaComplete: session.isMfaComplete,
    isMfaRequired: session.isMfaRequired,
    lastActivityAt: isoTime(session.lastActivityAt),
    token,
    ...(session.isCertExtendRequested
      ? { isCertExtendRequested: true, isCertKeyRollRequested: session.isCertKeyRollRequested }
      : {}),
    ...(session.improperClientCertChain ? { improperClientCertChain: true } : {}),
    ...baseFields(session, linksOf('api-sessions', session.id)),
  };
}

/** How a client is told that it must give a code. */
function totpQuery({ isMfaRequired }: ApiSession): Response.AuthQueryDetail {
  return {
    format: 'alphaNumeric',
    httpMethod: 'POST',
    httpUrl: './authenticate/mfa',
    maxLength: 6,
    minLength: 4,
    provider: 'ziti',
    typeId: 'MFA',
    ...(isMfaRequired ? { isTotpEnrolled: true } : {}),
  };
}

/** As its owner reads it, with the token it sent and the time it has left. */
export function toCurrentApiSession(
  { session, cachedLastActivityAt }: LiveApiSession,
  token: string,
  timeoutSeconds: number,
): Response.CurrentApiSessionDetail {
  return {
    expirationSeconds: timeoutSeconds,
    expiresAt: isoTime(new Date(cachedLastActivityAt.getTime() + timeoutSeconds * 1000)),
    ...toApiSessionDetail(session, token, cachedLastActivityAt),
  };
}
