/** POST /oauth/introspect (RFC 7662): what a token is, to its own user and to administrators. */
import { clientOf } from '../../domain/oidc/clients.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import type * as Response from '../../generated/oidc/response.js';
import { isOwnClient } from '../login/possession.js';
import type { BareReply, Caller } from '../reply.js';
import { jsonReply } from './exchange.js';
import type { OidcContext, OidcInput } from './exchange.js';
import { hashOfId } from './tokens.js';

/** Says nothing of why: a token that is over, of another user and no token at all look alike. */
const INACTIVE = { active: false } as const;
const NOT_STORED = { 'cache-control': 'no-store' };

type Input = OidcInput<'client_id' | 'token'> & { readonly caller: Caller };

export async function introspect(input: Input, context: OidcContext): Promise<BareReply<200, Response.Introspection>> {
  const { parameters, connection, caller } = input;
  const [named, basic] = [parameters.get('client_id'), connection.basicAuthorization()];
  if (named !== undefined || basic !== undefined) clientOf(named, basic);
  const text = parameters.get('token');
  if (text === undefined) throw new OauthFault('invalid_request', 'token is missing');
  const token = context.loginProvider.read(text);
  const isShown = token !== undefined && (token.identityId === caller.identityId || (await mayReadAll(input, context)));
  const facts = isShown ? await factsOf(token, context) : undefined;
  return jsonReply(200, facts ?? INACTIVE, NOT_STORED);
}

/** Needs what the management API needs: routers may know the token of a session that has a certificate. */
async function mayReadAll({ connection, caller }: Input, { stores }: OidcContext): Promise<boolean> {
  const { isAdmin, bearer, apiSessionId } = caller;
  if (!isAdmin || bearer?.isCertificateBound !== true) return isAdmin && bearer !== null;
  return isOwnClient({ apiSessionId }, bearer.certificateHash, connection.peerCertificates(), stores);
}

/** Undefined for a token that is not good any more: a refresh token is while it is in force. */
async function factsOf(token: SessionToken, { stores }: OidcContext): Promise<Response.Introspection | undefined> {
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
