/** Ends of tokens and of logins: revocation (RFC 7009) and logout (OpenID Connect RP-Initiated Logout). */
import { clientOf, isClient } from '../../domain/oidc/clients.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { isRegistered, withParameters } from '../../domain/oidc/redirects.js';
import { plainText, redirect } from './exchange.js';
import type { EmptyReply, RawReply } from '../reply.js';
import type { OidcHandler } from './exchange.js';

const DONE: EmptyReply<200> = { status: 200, isEmpty: true };

/**
 * POST /revoke: a refresh token ends its session, an access token itself alone. What is no token of ours and of this
 * client is answered in the same way, and nothing is done.
 */
export const revoke: OidcHandler<'client_id' | 'token', EmptyReply<200>> = async (
  { parameters, connection },
  { stores, loginProvider },
) => {
  const clientId = clientOf(parameters.get('client_id'), connection.basicAuthorization());
  const text = parameters.get('token');
  if (text === undefined) throw new OauthFault('invalid_request', 'token is missing');
  const token = loginProvider.read(text);
  if (token === undefined || token.clientId !== clientId) return DONE;
  if (token.type === 'r') await stores.apiSessions.removeIfThere(token.apiSessionId);
  else if (token.expiresAt.getTime() > Date.now()) {
    const lifetimeSeconds = loginProvider.seconds.access;
    await stores.revocations.put(token.tokenId, { type: 'JTI', lifetimeSeconds, tags: {} });
  }
  return DONE;
};

type LogoutName = 'client_id' | 'post_logout_redirect_uri' | 'state';

/**
 * GET and POST /end_session. An id token does not name its session, and whoever has one is not its user: it ends
 * nothing. A client ends its login with `revoke`, or with `DELETE current-api-session`.
 */
export const endSession: OidcHandler<LogoutName, EmptyReply<302>> = async ({ parameters }, { loginProvider }) => {
  const clientId = parameters.get('client_id');
  if (clientId !== undefined && !isClient(clientId)) throw new OauthFault('invalid_client', 'client not found');
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri === undefined) return redirect('/oidc/logged-out');
  if (!isRegistered(uri, loginProvider.logoutUris))
    throw new OauthFault('invalid_request', 'post_logout_redirect_uri is not registered');
  return redirect(withParameters(uri, { state: parameters.get('state') }));
};

/** GET /logged-out. */
export const loggedOut: OidcHandler<never, RawReply<200>> = async () => plainText('signed out successfully');
