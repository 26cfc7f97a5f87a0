/** The wire form of an API session. Only its owner is shown the token. */
import type { ApiSession } from '../../domain/credentials.js';
import type { RequiredSigner } from '../../domain/auth/external-signer.js';
import { tokenDigest } from '../../domain/auth/tokens.js';
import type * as Response from '../../generated/management/response.js';
import type { LiveApiSession } from '../context.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, identityRef, isoTime, linksOf } from '../fields.js';

/**
 * Form for administrators: `token` is only an identifier of the session, and `authQueries` always lists what is
 * required.
 */
export function toApiSessionDetail(
  session: ApiSession,
  token = tokenDigest(session.tokenHash),
  cachedLastActivityAt = session.lastActivityAt,
  isTokenOwed = true,
): Response.ApiSessionDetail {
  const { owesTotp, requiredSigner } = session;
  return {
    authQueries: [
      ...(owesTotp ? [totpQuery(session)] : []),
      ...(requiredSigner !== null && isTokenOwed ? [tokenQuery(requiredSigner)] : []),
    ],
    authenticatorId: session.authenticatorId,
    cachedLastActivityAt: isoTime(cachedLastActivityAt),
    configTypes: session.configTypes,
    identity: identityRef(session.identity),
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

export const API_SESSION = elementOfRow('API session', (session: ApiSession) => toApiSessionDetail(session));

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

/** How a client is told that a token of the signer must come with every request, and where to get one. */
function tokenQuery({ id, clientId, externalAuthUrl, scopes }: RequiredSigner): Response.AuthQueryDetail {
  return {
    id,
    provider: 'url',
    scopes: [...scopes],
    typeId: 'EXT-JWT',
    ...(clientId === '' ? {} : { clientId }),
    ...(externalAuthUrl === null ? {} : { httpUrl: externalAuthUrl }),
  };
}

/** Form for the session's owner, with the token it sent and the time it has left. */
export function toCurrentApiSession(
  { session, cachedLastActivityAt }: LiveApiSession,
  { token, isTokenOwed, timeoutSeconds }: { token: string; isTokenOwed: boolean; timeoutSeconds: number },
): Response.CurrentApiSessionDetail {
  return {
    expirationSeconds: timeoutSeconds,
    expiresAt: isoTime(new Date(cachedLastActivityAt.getTime() + timeoutSeconds * 1000)),
    ...toApiSessionDetail(session, token, cachedLastActivityAt, isTokenOwed),
  };
}
