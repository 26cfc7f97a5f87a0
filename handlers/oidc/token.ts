/** POST /oauth/token: the grants (RFC 6749, RFC 8693). */
import { randomUUID } from 'node:crypto';
import { clientOf } from '../../domain/oidc/clients.js';
import type { ClientId } from '../../domain/oidc/clients.js';
import type { SessionToken, TokenType } from '../../domain/oidc/claims.js';
import { isCodeOf, requestOfCode } from '../../domain/oidc/codes.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { fitsChallenge } from '../../domain/oidc/pkce.js';
import { nextTokenId } from '../../domain/oidc/refreshing.js';
import type { AuthRequest } from '../../db/stores/auth-requests.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { LoginLifetimes } from '../login-provider.js';
import { isOwnClient } from '../login/possession.js';
import type * as Response from '../../generated/oidc/response.js';
import type { BareReply } from '../reply.js';
import { jsonReply } from './exchange.js';
import type { OidcContext, OidcHandler, OidcInput } from './exchange.js';
import { currentTokenId, keepFor, loginOfToken, narrowed, rotate } from './sessions.js';
import { certify } from './session-certificate.js';
import { hashOfId, isOffline, issue, issueIdToken, ownerOf, requireProof } from './tokens.js';
import type { OpenLogin } from './tokens.js';

type GrantName =
  | 'client_id'
  | 'code'
  | 'code_verifier'
  | 'csr_pem'
  | 'grant_type'
  | 'redirect_uri'
  | 'refresh_token'
  | 'requested_token_type'
  | 'scope'
  | 'subject_token'
  | 'subject_token_type';
type GrantInput = OidcInput<GrantName>;
type TokenReply = BareReply<200, Response.Tokens>;
type Grant = (input: GrantInput, clientId: ClientId, context: OidcContext) => Promise<TokenReply>;

const NOT_STORED = { 'cache-control': 'no-store', 'pragma': 'no-cache' };

/** @throws OauthFault */
export const token: OidcHandler<GrantName, TokenReply> = async (input, context) => {
  const { parameters, connection } = input;
  const type = parameters.get('grant_type');
  if (type === undefined) throw new OauthFault('invalid_request', 'grant_type missing');
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
  if (grant === undefined) throw new OauthFault('unsupported_grant_type', 'the grant is not supported');
  return grant(input, clientOf(parameters.get('client_id'), connection.basicAuthorization()), context);
};

const invalidGrant = (description: string) => new OauthFault('invalid_grant', description);

/** A code that comes again ends the session that it gave: one of the two who have it should not. */
const byCode: Grant = async (input, clientId, context) => {
  const { parameters } = input;
  const [code = '', verifier] = [parameters.get('code'), parameters.get('code_verifier')];
  const redirectUri = parameters.get('redirect_uri');
  const requestId = requestOfCode(code);
  if (requestId === undefined) throw invalidGrant('invalid code');
  if (verifier === undefined) throw new OauthFault('invalid_request', 'code_verifier required');
  const { stores, loginProvider } = context;
  const used = await stores.transaction(async (tx) => {
    const request = await tx.authRequests.lock(requestId);
    const apiSessionId = request?.apiSessionId ?? null;
    if (request === undefined || apiSessionId === null) throw invalidGrant('invalid code');
    if (!isCodeOf(code, loginProvider.key, { requestId, apiSessionId })) throw invalidGrant('invalid code');
    if (request.isCodeUsed) {
      await tx.apiSessions.removeIfThere(apiSessionId);
      return undefined;
    }
    requireSame(request, { clientId, redirectUri, verifier });
    return useCode(request, apiSessionId, input, loginProvider.seconds, tx);
  });
  if (used === undefined) throw invalidGrant('invalid code');
  const { login, refreshId, nonce } = used;
  const times = { accessId: randomUUID(), refreshId, at: new Date(), nonce };
  const { access, refresh, id } = await issue(login, times, input, context);
  const [made] = await context.stores.apiSessionCertificates.proofs(login.owner.session.id);
  const certificate = made === undefined ? {} : { session_cert: made.certPem };
  const answer = { ...access, ...refresh, ...id, scope: login.family.scopes.join(' '), ...certificate };
  return jsonReply(200, answer, NOT_STORED);
};

interface Shown {
  readonly clientId: ClientId;
  readonly redirectUri: string | undefined;
  readonly verifier: string;
}

/** @throws OauthFault for a code that is over, or that was given to another */
function requireSame(request: AuthRequest, { clientId, redirectUri, verifier }: Shown): void {
  if (!request.isCodeGood || request.clientId !== clientId) throw invalidGrant('invalid code');
  if (request.redirectUri !== redirectUri) throw invalidGrant('redirect_uri does not correspond');
  if (!fitsChallenge(verifier, request.codeChallenge)) throw invalidGrant('invalid code_verifier');
}

/** Opens the family of the tokens that the code gives. */
async function useCode(
  request: AuthRequest,
  apiSessionId: string,
  input: OidcInput,
  seconds: LoginLifetimes,
  tx: StoreSet,
): Promise<{ readonly login: OpenLogin; readonly refreshId: string | null; readonly nonce: string | undefined }> {
  const owner = await ownerOf(apiSessionId, tx);
  if (owner.session.requiredSigner !== null && !request.isSecondTokenShown) throw invalidGrant('invalid code');
  await requireProof(owner, input, tx);
  await tx.authRequests.useCode(request.id);
  const { clientId, scopes } = request;
  const refreshId = isOffline(request) ? randomUUID() : null;
  const family = await tx.tokenFamilies.create({
    apiSessionId,
    clientId,
    scopes,
    authenticatedAt: request.authenticatedAt ?? new Date(),
    lifetimeSeconds: seconds.session,
    refreshHash: refreshId === null ? null : hashOfId(refreshId),
    sessionExpiresAt: new Date(Date.now() + (refreshId === null ? seconds.access : seconds.refresh) * 1000),
  });
  if (family === undefined) throw invalidGrant('the session has ended');
  return { login: { owner, family }, refreshId, nonce: request.nonce ?? undefined };
}

/** Both tokens are new. The same token again, within seconds, gets the same answer; any other ends the session. */
const byRefreshToken: Grant = async (input, clientId, context) => {
  const { key } = context.loginProvider;
  const shown = readShown(input.parameters.get('refresh_token'), 'r', clientId, context);
  const { tokenId, apiSessionId } = shown;
  const refreshId = nextTokenId(key, apiSessionId, tokenId, 'r');
  const { owner, family, rotatedAt } = await rotate(shown, refreshId, input, context);
  const scopes = narrowed(family, input.parameters.get('scope'));
  const times = { accessId: nextTokenId(key, apiSessionId, tokenId, 'a'), refreshId, at: rotatedAt };
  const login = { owner, family: { ...family, scopes } };
  const { certified, certificate } = await certificateFor(login, input, context);
  const { access, refresh, id } = await issue(certified, times, input, context);
  return jsonReply(200, { ...access, ...refresh, ...id, scope: scopes.join(' '), ...certificate }, NOT_STORED);
};

/** A client that shows a certificate of its session, or whose session never had one, may ask for another. */
async function certificateFor(
  login: OpenLogin,
  { parameters, connection }: GrantInput,
  context: OidcContext,
): Promise<{ readonly certified: OpenLogin; readonly certificate: { readonly session_cert?: string } }> {
  const csrPem = parameters.get('csr_pem');
  if (csrPem === undefined) return { certified: login, certificate: {} };
  const { owner } = login;
  const { certificateHash, isCertificateBound, session } = owner;
  const who = { apiSessionId: session.id };
  if (isCertificateBound && !(await isOwnClient(who, certificateHash, connection.peerCertificates(), context.stores)))
    throw new OauthFault('access_denied', 'peer certificate fingerprint does not match token');
  const session_cert = await certify(csrPem, session.id, session.identity.id, context);
  return { certified: { ...login, owner: { ...owner, isCertificateBound: true } }, certificate: { session_cert } };
}

const TYPES = 'urn:ietf:params:oauth:token-type:';
const SUBJECTS: Readonly<Record<string, TokenType>> = {
  [`${TYPES}access_token`]: 'a',
  [`${TYPES}refresh_token`]: 'r',
};

/**
 * Nothing is used up: clients exchange one token again and again. What they get belongs to the same family, and a
 * refresh token is the one in force, with a later end.
 */
const byExchange: Grant = async (input, clientId, context) => {
  const { parameters } = input;
  const type = SUBJECTS[parameters.get('subject_token_type') ?? ''];
  if (type === undefined) throw new OauthFault('invalid_request', 'subject_token_type is not supported');
  const shown = subjectToken(parameters.get('subject_token'), type, clientId, context);
  const fallback = type === 'r' ? 'refresh_token' : 'access_token';
  const wanted = parameters.get('requested_token_type') ?? TYPES + fallback;
  const kind = ['access_token', ...(type === 'r' ? ['refresh_token', 'id_token'] : [])].find(
    (each) => TYPES + each === wanted,
  );
  if (kind === undefined)
    throw new OauthFault('invalid_request', 'requested_token_type is not given for this subject_token');
  const login = await loginOfToken(shown, input, context);
  if (login.isRevoked) throw invalidSubject();
  const scopes = narrowed(login.family, parameters.get('scope'));
  const refreshId = type === 'r' ? await currentTokenId(shown, login.family, context) : null;
  const narrow = { owner: login.owner, family: { ...login.family, scopes } };
  const issued_token_type = wanted;
  if (kind === 'id_token') {
    const access_token = await issueIdToken(narrow, input, context);
    return jsonReply(200, { access_token, issued_token_type, token_type: 'N_A' }, NOT_STORED);
  }
  const isRefreshed = kind === 'refresh_token';
  const times = { accessId: randomUUID(), refreshId: isRefreshed ? refreshId : null, at: new Date() };
  await keepFor(login, isRefreshed ? 'refresh' : 'access', context);
  const { certified, certificate } = await certificateFor(narrow, input, context);
  const { access, refresh } = await issue(certified, times, input, context);
  const answer = { ...access, issued_token_type, ...refresh, scope: scopes.join(' '), ...certificate };
  return jsonReply(200, answer, NOT_STORED);
};

const GRANTS: Readonly<Record<string, Grant>> = {
  'authorization_code': byCode,
  'refresh_token': byRefreshToken,
  'urn:ietf:params:oauth:grant-type:token-exchange': byExchange,
};

const invalidSubject = () => new OauthFault('invalid_request', 'subject_token is invalid');

/** @throws OauthFault `invalid_request` where `readShown` says `invalid_grant` */
function subjectToken(...shown: Parameters<typeof readShown>): SessionToken {
  try {
    return readShown(...shown);
  } catch (error) {
    throw error instanceof OauthFault ? invalidSubject() : error;
  }
}

/** @throws OauthFault `invalid_grant` for what is no such token of this client, or has ended */
function readShown(
  text: string | undefined,
  type: TokenType,
  clientId: ClientId,
  { loginProvider }: OidcContext,
): SessionToken {
  const shown = text === undefined ? undefined : loginProvider.read(text);
  if (shown === undefined) throw invalidGrant('failed to parse refresh token');
  if (shown.type !== type) throw invalidGrant('invalid token type, expected refresh');
  if (shown.clientId !== clientId) throw invalidGrant('client_id does not match original grant');
  if (shown.expiresAt.getTime() <= Date.now()) throw invalidGrant('refresh token expired');
  return shown;
}
