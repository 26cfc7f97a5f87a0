/** Finds the API session of a request, and checks that its caller may do what is asked. */
import type { IncomingMessage } from 'node:http';
import type { OperationSpec } from '../../generated/operation.js';
import type { StoreSet } from '../../db/stores/stores.js';
import { DomainError } from '../../domain/errors.js';
import type { Context, OutgoingTrace } from '../../handlers/context.js';
import type { Match } from '../http/paths.js';
import type { RequestFacts } from '../http/request-facts.js';
import type { ApiSessionRegistry, Authenticated } from '../sessions/api-sessions.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import { bearerTokens } from '../sessions/bearer-tokens.js';
import { SESSION_OVER } from '../sessions/callers.js';
import type { Peers } from './peer.js';
import {
  isAdministration,
  noteUse,
  requireOwnCertificate,
  requireOwnSession,
  requirePermission,
} from './permissions.js';

const NO_SESSION =
  'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",' +
  'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
const ENDED_BEARER = 'Bearer realm="openziti-oidc" error="expired" error_description="token expired"';
const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';

/** Proofs that a caller can show. */
export interface Credentials extends Pick<Context, 'secondTokens'> {
  readonly apiSessions: ApiSessionRegistry;
  /** Undefined where no login gives such tokens. */
  readonly accessTokens: AccessTokens | undefined;
  readonly stores: Pick<StoreSet, 'apiSessions'>;
  readonly peers: Peers;
}

/**
 * Notes the caller of an operation that is not public.
 * @throws DomainError `unauthenticated`, `forbidden`
 */
export async function authorize(
  request: IncomingMessage,
  { operation, params }: Match,
  seen: RequestFacts,
  credentials: Credentials,
): Promise<void> {
  if (operation.permission === 'public') return;
  seen.clock?.enter('database'); // for a session that is not in memory
  const { caller, owner } = await identify(request, operation, credentials, seen.trace?.outgoing);
  seen.clock?.leave('database');
  seen.caller = caller;
  seen.params = params;
  if (caller.bearer !== null) {
    const noted = noteUse(request, operation, caller, caller.bearer, credentials);
    if (noted !== undefined) await noted;
  }
  requirePermission(operation, caller);
  if (!isAdministration(operation)) return;
  if (caller.bearer === null && owner.api === 'management') return;
  seen.clock?.enter('database');
  await (caller.bearer === null
    ? requireOwnSession(request, { caller, owner }, credentials)
    : requireOwnCertificate(request, caller, caller.bearer, credentials));
  seen.clock?.leave('database');
}

/**
 * @throws DomainError `unauthenticated`: no session, an unknown one, or one of another identity than the client
 * certificate's
 */
async function identify(
  request: IncomingMessage,
  { api }: OperationSpec,
  credentials: Credentials,
  trace: OutgoingTrace | undefined,
): Promise<Authenticated> {
  const { apiSessions, peers, secondTokens } = credentials;
  // The provider knows access tokens alone.
  const token = api === 'oidc' ? '' : sessionToken(request);
  const authenticated =
    token === '' ? await identifyBearer(request, credentials) : await apiSessions.authenticate(token);
  const { caller, owner } = authenticated;
  const { session } = owner;
  const check = peers.requireSame(request, caller);
  if (check !== undefined) await check;
  if (session.requiredSigner === null) return authenticated;
  const owedToken = await secondTokens.owed(bearerTokens(request), session.requiredSigner, trace);
  return { owner, caller: { ...caller, owedToken, isComplete: owedToken === null && !session.owesTotp } };
}

/**
 * The first bearer token that is an access token of this network is the session; others are of external signers.
 * @throws DomainError `unauthenticated`
 */
async function identifyBearer(
  request: IncomingMessage,
  { apiSessions, accessTokens }: Pick<Credentials, 'apiSessions' | 'accessTokens'>,
): Promise<Authenticated> {
  const tokens = bearerTokens(request);
  for (const token of accessTokens === undefined ? [] : tokens) {
    const found = await accessTokens?.verify(token);
    if (found === 'foreign' || found === undefined) continue;
    if (found === 'expired' || found === 'invalid') throw refusedBearer(found);
    try {
      return await apiSessions.authenticateSigned(token, found);
    } catch (error) {
      throw error instanceof DomainError && error.kind === 'unauthenticated' ? refusedBearer('invalid') : error;
    }
  }
  throw new DomainError('unauthenticated', challenge(tokens[0]));
}

function refusedBearer(fault: 'invalid' | 'expired'): DomainError {
  const logReason =
    fault === 'expired' ? 'the access token has expired' : 'the access token or its session is good no longer';
  return new DomainError('unauthenticated', {
    headers: { 'www-authenticate': fault === 'expired' ? ENDED_BEARER : BAD_BEARER },
    causeMessage: SESSION_OVER,
    logReason,
  });
}

/**
 * '' without one. A header that came several times with one value, as some clients and proxies send it, is that value;
 * several values are one that no session has.
 */
function sessionToken({ headers }: IncomingMessage): string {
  const sent = headers['zt-session'] ?? headers['svc-session'];
  if (typeof sent !== 'string' || !sent.includes(', ')) return typeof sent === 'string' ? sent : '';
  const [first = '', ...others] = sent.split(', ');
  return others.every((other) => other === first) ? first : sent;
}

function challenge(bearer: string | undefined): ConstructorParameters<typeof DomainError>[1] {
  const isJwt = bearer !== undefined && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearer);
  if (bearer !== undefined && !isJwt) {
    const headers = { 'www-authenticate': BAD_BEARER };
    return { headers, causeMessage: SESSION_OVER, logReason: 'a bearer token that is no JWT' };
  }
  const causeMessage = 'unauthenticated for invalid credentials';
  const sentence = 'No session came with the request: log in, and send the token in the header zt-session.';
  return { headers: { 'www-authenticate': NO_SESSION }, causeMessage, sentence, logReason: 'no session token' };
}
