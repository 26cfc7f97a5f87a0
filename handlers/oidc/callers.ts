/** Callers of the endpoints that take an access token, by the rules of the APIs. */
import { OauthFault } from '../../domain/oidc/fault.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { OidcContext, OidcInput } from './exchange.js';

/** @throws OauthFault 401 without an access token that is good, or with a second factor that is owed */
export async function callerOfToken(
  { connection }: Pick<OidcInput, 'connection'>,
  { stores, loginProvider, secondTokens }: OidcContext,
): Promise<SessionOwner> {
  const shown = connection.bearerTokens();
  if (shown.length === 0) throw new OauthFault('invalid_request', 'access token missing', 401);
  const invalid = () => new OauthFault('invalid_token', 'the access token is good no longer', 401);
  const token = shown.map((text) => loginProvider.read(text)).find((each) => each?.type === 'a');
  if (token === undefined || token.expiresAt.getTime() <= Date.now()) throw invalid();
  if (await stores.revocations.isTokenRevoked(token.tokenId)) throw invalid();
  const owner = await stores.apiSessions.findOwnerById(token.apiSessionId);
  if (owner === undefined || owner.session.identity.id !== token.identityId || owner.session.owesTotp) throw invalid();
  const { requiredSigner } = owner.session;
  if (requiredSigner !== null && (await secondTokens.owed(shown, requiredSigner)) !== null) throw invalid();
  return owner;
}
