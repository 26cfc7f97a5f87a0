/** The two ends of a login: what a client asks for, and the code that it gets (RFC 6749 section 4.1, RFC 9207). */
import { randomUUID } from 'node:crypto';
import { readAuthorizeRequest, readReturnAddress } from '../../domain/oidc/authorize-request.js';
import type { AuthorizeName, AuthorizeRequest, ReturnAddress } from '../../domain/oidc/authorize-request.js';
import { codeFor } from '../../domain/oidc/codes.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { withParameters } from '../../domain/oidc/redirects.js';
import type { EmptyReply } from '../reply.js';
import { redirect } from './exchange.js';
import type { OidcHandler, OidcInput } from './exchange.js';
import { requestIdIn } from './login-requests.js';
import type { LoginName } from './login-requests.js';

/** GET and POST /authorize. @throws OauthFault while it is not known that the redirect URI may be told of it */
export const beginLogin: OidcHandler<AuthorizeName, EmptyReply<302>> = async (input, { stores, loginProvider }) => {
  const { parameters, issuer, connection, fault } = input;
  const address = readReturnAddress(parameters, loginProvider.redirectUris);
  if (fault !== undefined) return refusedTo(address, issuer, new OauthFault('invalid_request', fault.message));
  let asked: AuthorizeRequest;
  try {
    asked = readAuthorizeRequest(parameters, address);
  } catch (error) {
    if (error instanceof OauthFault) return refusedTo(address, issuer, error);
    throw error;
  }
  const id = randomUUID();
  const { method, ...draft } = asked;
  const from = { address: connection.remote(), network: connection.network() };
  const isTaken = await stores.authRequests.create({ ...draft, id, issuer, ...from });
  if (!isTaken) throw new OauthFault('temporarily_unavailable', 'too many logins are under way', 429);
  const page = method === 'password' || method === undefined ? pageFor(input, method) : method;
  return redirect(`/oidc/login/${page}?authRequestID=${id}`);
};

const pageFor = ({ connection }: OidcInput, method: 'password' | undefined): string =>
  method === undefined && connection.peerCertificates().length > 0 ? 'cert' : 'username';

/** `iss` comes first: some clients take all behind `code=` for the code. */
function refusedTo({ redirectUri, state }: ReturnAddress, iss: string, { error, description }: OauthFault) {
  return redirect(withParameters(redirectUri, { iss, error, error_description: description, state }));
}

/** GET /authorize/callback: the login is over when all that it owes was given. */
export const endLogin: OidcHandler<LoginName, EmptyReply<302>> = async ({ parameters }, { stores, loginProvider }) => {
  const id = requestIdIn(parameters);
  const request = id === undefined ? undefined : await stores.authRequests.find(id);
  if (request === undefined) throw new OauthFault('invalid_request', 'request not found');
  const { redirectUri, apiSessionId, isSecondTokenShown, issuer } = request;
  const state = request.state ?? undefined;
  const owner = apiSessionId === null ? undefined : await stores.apiSessions.findOwnerById(apiSessionId);
  const isComplete =
    owner !== undefined && !owner.session.owesTotp && (owner.session.requiredSigner === null || isSecondTokenShown);
  if (apiSessionId === null || !isComplete) {
    const fault = new OauthFault('interaction_required', 'the login is not complete');
    return refusedTo({ redirectUri, state, clientId: 'native' }, issuer, fault);
  }
  await stores.authRequests.issueCode(request.id);
  const code = codeFor(loginProvider.key, { requestId: request.id, apiSessionId });
  return redirect(withParameters(redirectUri, { iss: issuer, code, state }));
};
