/** POST /oauth/introspect (RFC 7662): what a token is, to its own user and to administrators. */
import { clientOf } from '../../domain/oidc/clients.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import { isOwnClient } from '../login/possession.js';
import { callerOfToken } from './callers.js';
import { jsonReply } from './exchange.js';
import type { OidcContext, OidcHandler, OidcInput } from './exchange.js';
import { hashOfId } from './tokens.js';

/** Says nothing of why: a token that is over, of another user and no token at all look alike. */
const INACTIVE = { active: false } as const;
const NOT_STORED = { 'cache-control': 'no-store' };

export const introspect: OidcHandler = async (input, context) => {
  const { parameters, authorization } = input;
  const caller = await callerOfToken(input, context);
  const named = parameters.get('client_id');
  if (named !== undefined || authorization !== undefined) clientOf(named, authorization);
  const text = parameters.get('token');
  if (text === undefined) throw new OauthFault('invalid_request', 'token is missing');
  const token = context.loginProvider.read(text);
  const isShown = token !== undefined && (isOf(caller, token) || (await mayReadAll(caller, input, context)));
  const facts = isShown ? await factsOf(token, context) : undefined;
  return jsonReply(200, facts ?? INACTIVE, NOT_STORED);
};

const isOf = ({ session }: SessionOwner, { identityId }: SessionToken): boolean => session.identity.id === identityId;

/** Needs what the management API needs: routers may know the token of a session that has a certificate. */
async function mayReadAll(
  { isAdmin, isCertificateBound, certificateHash, session }: SessionOwner,
  { connection }: OidcInput,
  { stores }: OidcContext,
): Promise<boolean> {
  if (!isAdmin || !isCertificateBound) return isAdmin;
  return isOwnClient({ apiSessionId: session.id }, certificateHash, connection.peerCertificates(), stores);
}

/** Undefined for a token that is not good any more: a refresh token is while it is in force. */
async function factsOf(token: SessionToken, { stores }: OidcContext): Promise<object | undefined> {
  const { tokenId, apiSessionId, identityId, clientId, expiresAt, issuedAt, issuer, type } = token;
  if (expiresAt.getTime() <= Date.now()) return undefined;
  const login = await stores.tokenFamilies.findLogin(apiSessionId, tokenId);
  if (login === undefined || login.isRevoked || login.owner.session.identity.id !== identityId) return undefined;
  const { owner, family } = login;
  if (owner.session.owesTotp) return undefined;
  if (type === 'r' && family.refresh?.current.equals(hashOfId(tokenId)) !== true) return undefined;
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  return {
    active: true,
    scope: family.scopes.join(' '),
    client_id: clientId,
    username: owner.session.identity.name,
    ...(type === 'a' ? { token_type: 'Bearer' } : {}),
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    sub: identityId,
    aud: [clientId],
    iss: issuer,
    jti: tokenId,
  };
}
