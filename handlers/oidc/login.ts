/** The steps of a login that a user takes: credentials, then a code of the second factor where one is owed. */
import type { RequiredSigner } from '../../domain/auth/external-signer.js';
import type { ApiSession, LoginMethod } from '../../domain/credentials.js';
import { DomainError } from '../../domain/errors.js';
import type { AuthRequest } from '../../db/stores/auth-requests.js';
import { logIn } from '../login/authentication.js';
import { challengeOfToken } from '../login/owed-token.js';
import type * as Response from '../../generated/oidc/response.js';
import type { BareReply, EmptyReply, RawReply } from '../reply.js';
import { AnsweredRefusal, jsonReply, plainText, redirect, wantsPage } from './exchange.js';
import type { OidcContext, OidcHandler, OidcInput } from './exchange.js';
import { credentialsIn, loginOf } from './login-requests.js';
import type { CredentialName, LoginName } from './login-requests.js';
import { codePage, passwordPage } from './pages.js';
import { certify } from './session-certificate.js';

/** GET /login/…: a page where there is something to show. The header is how programs learn the id. */
export const showLogin =
  (method: LoginMethod): OidcHandler<LoginName, RawReply<200>> =>
  async ({ parameters }, { stores }) => {
    const request = await loginOf(parameters, stores);
    const headers = { 'auth-request-id': request.id };
    return method === 'password' ? passwordPage(request, 200, headers) : plainText('please POST to this URL', headers);
  };

/** The way on from a step of a login: to the callback, or to what is still owed. */
export type NextStep = EmptyReply<302> | BareReply<200, Response.OwedFactors> | RawReply<200>;

/**
 * POST /login/…: one more login on the same request takes the place of the one before, with all its factors.
 * Fails as `authenticate` of the APIs does.
 */
export const takeLogin =
  (method: LoginMethod): OidcHandler<CredentialName, NextStep> =>
  async (input, context) => {
    const { parameters, connection, note } = input;
    const request = await loginOf(parameters, context.stores);
    const shown = method === 'ext-jwt' ? await secondTokenOf(request, input, context) : undefined;
    if (shown !== undefined) return shown;
    const body = credentialsIn(parameters, request.configTypes);
    const attempt = { method, api: 'client', body, connection, expiresAt: request.expiresAt } as const;
    const { session } = await logIn(attempt, context, note).catch((error: unknown) => {
      throw refusalOf(error, method, request, input);
    });
    const { requiredSigner } = session;
    const owed = requiredSigner && (await context.secondTokens.owed(connection.bearerTokens(), requiredSigner));
    const isSecondTokenShown = requiredSigner !== null && owed === null;
    await context.stores.transaction(async (tx) => {
      const current = await tx.authRequests.lock(request.id);
      if (current === undefined || current.isCodeUsed) throw endedLogin();
      if (current.apiSessionId !== null) await tx.apiSessions.removeIfThere(current.apiSessionId);
      await tx.authRequests.setSession(request.id, session.id, isSecondTokenShown);
    });
    const csrPem = parameters.get('csrPem');
    if (csrPem !== undefined) await certify(csrPem, session.id, session.identity.id, context);
    const headers: Record<string, string> = owed === null ? {} : { 'www-authenticate': challengeOfToken(owed) };
    return nextStep(request, session, isSecondTokenShown, input, headers);
  };

/** People get the page again; programs learn what is wrong with a token that they showed. */
function refusalOf(
  error: unknown,
  method: LoginMethod,
  request: AuthRequest,
  input: Pick<OidcInput, 'connection'>,
): unknown {
  if (!(error instanceof DomainError) || !['invalidAuth', 'invalidField'].includes(error.kind)) return error;
  if (method === 'password' && wantsPage(input))
    return new AnsweredRefusal(error, passwordPage(request, 401, {}, 'The login failed.'));
  if (method !== 'ext-jwt') return error;
  const fault = TOKEN_FAULTS[error.reasonCode ?? ''] ?? 'invalid';
  const body = { code: 'UNAUTHORIZED', message: 'The token was not accepted' };
  const challenge = `Bearer realm="openziti-primary-ext-jwt" error="${fault}"`;
  return new AnsweredRefusal(error, jsonReply(401, body, { 'www-authenticate': challenge }));
}

const TOKEN_FAULTS: Readonly<Record<string, string>> = { tokenMissing: 'missing', tokenExpired: 'expired' };

/** A login that is not there any more. */
export const endedLogin = () => new DomainError('unauthenticated', { logReason: 'the login has ended' });

/** A login that owes a token of a signer gets it by one more request, which is then no login of its own. */
async function secondTokenOf(
  request: AuthRequest,
  input: Pick<OidcInput, 'connection'>,
  { stores, secondTokens }: OidcContext,
): Promise<NextStep | undefined> {
  const { apiSessionId } = request;
  if (apiSessionId === null || request.isSecondTokenShown) return undefined;
  const owner = await stores.apiSessions.findOwnerById(apiSessionId);
  if (owner === undefined || owner.session.requiredSigner === null) return undefined;
  const { session } = owner;
  if ((await secondTokens.owed(input.connection.bearerTokens(), owner.session.requiredSigner)) !== null)
    return undefined;
  await stores.transaction(async (tx) => {
    const current = await tx.authRequests.lock(request.id);
    if (current === undefined || current.isCodeUsed || current.apiSessionId !== apiSessionId) throw endedLogin();
    await tx.authRequests.setSession(request.id, apiSessionId, true);
  });
  return nextStep(request, session, true, input, {});
}

export function nextStep(
  request: AuthRequest,
  session: ApiSession,
  isSecondTokenShown: boolean,
  input: Pick<OidcInput, 'connection'>,
  headers: Readonly<Record<string, string>>,
): NextStep {
  const signer = isSecondTokenShown ? null : session.requiredSigner;
  if (!session.owesTotp && signer === null) return redirect(`${request.issuer}/authorize/callback?id=${request.id}`);
  if (wantsPage(input) && session.owesTotp && session.isMfaRequired) return codePage(request, 200);
  return jsonReply(
    200,
    { authQueries: queriesOf(session, signer) },
    { ...headers, ...(session.owesTotp ? { 'totp-required': 'true' } : {}) },
  );
}

const queriesOf = (session: ApiSession, signer: RequiredSigner | null): Response.OwedFactor[] => [
  ...(session.owesTotp ? [totpQuery(session)] : []),
  ...(signer === null ? [] : [tokenQuery(signer)]),
];

const totpQuery = ({ isMfaRequired }: ApiSession): Response.OwedFactor => ({
  format: 'numeric',
  httpMethod: 'POST',
  httpUrl: './oidc/login/totp',
  ...(isMfaRequired ? { isTotpEnrolled: true } : {}),
  maxLength: 8,
  minLength: 6,
  provider: 'ziti',
  scopes: null,
  typeId: 'TOTP',
});

const tokenQuery = ({ clientId, externalAuthUrl, id, scopes }: RequiredSigner): Response.OwedFactor => ({
  clientId,
  httpUrl: externalAuthUrl ?? '',
  id,
  provider: 'url',
  scopes,
  typeId: 'EXT-JWT',
});

/** GET /login/auth-queries: what is owed still. */
type Owed = BareReply<200, Response.OwedFactors>;
export const authQueries: OidcHandler<LoginName, Owed> = async (input, { stores }) => {
  const request = await loginOf(input.parameters, stores);
  const owner =
    request.apiSessionId === null ? undefined : await stores.apiSessions.findOwnerById(request.apiSessionId);
  if (owner === undefined) return jsonReply(200, { authQueries: null });
  const { session } = owner;
  const signer = request.isSecondTokenShown ? null : session.requiredSigner;
  const queries = queriesOf(session, signer);
  return jsonReply(200, { authQueries: queries.length > 0 ? queries : null });
};
