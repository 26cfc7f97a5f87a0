/** Makes the tokens of a login: claims of its session as it is now, signed by this controller. */
import { createHash } from 'node:crypto';
import { idTokenClaims, sessionTokenClaims } from '../../domain/oidc/claims.js';
import type { TokenSubject } from '../../domain/oidc/claims.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { TokenFamily, TokenOwner } from '../../db/stores/token-families.js';
import type * as Response from '../../generated/oidc/response.js';
import { isOwnClient } from '../login/possession.js';
import type { OidcContext, OidcInput } from './exchange.js';

/** A login whose session is open, and whose client has proved to be that client. */
export interface OpenLogin {
  readonly owner: TokenOwner;
  readonly family: TokenFamily;
}

/** Ids and time of tokens that are issued together. */
export interface Issue {
  readonly accessId: string;
  /** Null: no refresh token. */
  readonly refreshId: string | null;
  readonly at: Date;
  readonly nonce?: string | undefined;
}

export const hashOfId = (tokenId: string): Buffer => createHash('sha256').update(tokenId).digest();

export const isOffline = ({ scopes }: Pick<TokenFamily, 'scopes'>): boolean => scopes.includes('offline_access');

/**
 * The session of a login: it is there, its identity may act, and it owes nothing but a token with each request.
 * @throws OauthFault `invalid_grant`
 */
export async function ownerOf(
  apiSessionId: string,
  { apiSessions }: Pick<StoreSet, 'apiSessions'>,
): Promise<SessionOwner> {
  const owner = await apiSessions.findOwnerById(apiSessionId);
  if (owner === undefined || owner.session.owesTotp) throw new OauthFault('invalid_grant', 'the session has ended');
  return owner;
}

/**
 * A session that was opened with a certificate gives tokens only to who proves that one, or another of the session.
 * @throws OauthFault `access_denied`
 */
export async function requireProof(
  { session: { id }, certificateHash }: TokenOwner,
  { connection }: Pick<OidcInput, 'connection'>,
  stores: Pick<StoreSet, 'apiSessions'>,
): Promise<void> {
  if (certificateHash === null) return;
  if (await isOwnClient({ apiSessionId: id }, certificateHash, connection.peerCertificates(), stores)) return;
  throw new OauthFault('access_denied', 'peer certificate fingerprint does not match token');
}

/** The end of a token that lasts so long, which is no later than that of its family. */
const tokenEnd = (at: Date, seconds: number, { endsAt }: Pick<TokenFamily, 'endsAt'>): Date =>
  new Date(Math.min(at.getTime() + seconds * 1000, endsAt.getTime()));

async function subjectOf(
  { owner, family }: OpenLogin,
  { issuer, connection }: OidcInput,
  { stores }: OidcContext,
): Promise<TokenSubject> {
  const { session, certificateHash } = owner;
  const [leaf] = connection.peerCertificates();
  const shown = certificateHash === null || leaf === undefined ? [] : [certFingerprint(leaf)];
  const made = owner.isCertificateBound ? await stores.apiSessionCertificates.proofs(session.id) : [];
  return {
    issuer,
    apiSessionId: session.id,
    identityId: session.identity.id,
    identityName: session.identity.name,
    externalId: owner.externalId,
    authenticatorId: session.authenticatorId,
    isAdmin: owner.isAdmin,
    clientId: family.clientId,
    scopes: family.scopes,
    methods: [owner.method, ...(session.isMfaComplete ? ['totp'] : [])],
    authenticatedAt: family.authenticatedAt,
    configTypes: session.configTypes,
    fingerprints: [...new Set([...shown, ...made.map(({ fingerprint }) => fingerprint)])],
    address: connection.remote(),
  };
}

/** Parts of the answer of the token endpoint. */
interface IssuedTokens {
  readonly access: Pick<Response.Tokens, 'access_token' | 'token_type' | 'expires_in'>;
  readonly refresh: Pick<Response.Tokens, 'refresh_token'>;
  readonly id: Pick<Response.Tokens, 'id_token'>;
}

/** An access token, and what goes with it. */
export async function issue(
  login: OpenLogin,
  { accessId, refreshId, at, nonce }: Issue,
  input: OidcInput,
  context: OidcContext,
): Promise<IssuedTokens> {
  const { loginProvider } = context;
  const { seconds } = loginProvider;
  const { family } = login;
  const { sign, algorithm } = loginProvider.signer();
  const subject = await subjectOf(login, input, context);
  const times = (tokenId: string, lasts: number) => ({ tokenId, issuedAt: at, expiresAt: tokenEnd(at, lasts, family) });
  const ofAccess = times(accessId, seconds.access);
  const accessToken = await sign(sessionTokenClaims('a', subject, ofAccess));
  const refresh =
    refreshId === null
      ? {}
      : { refresh_token: await sign(sessionTokenClaims('r', subject, times(refreshId, seconds.refresh))) };
  const isIdWanted = family.scopes.includes('openid');
  const id = isIdWanted
    ? { id_token: await sign(idTokenClaims(subject, times('', seconds.id), { algorithm, nonce, accessToken })) }
    : {};
  const access = {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: Math.max(0, Math.floor((ofAccess.expiresAt.getTime() - Date.now()) / 1000)),
  };
  return { access, refresh, id };
}

/** An id token by itself. */
export async function issueIdToken(login: OpenLogin, input: OidcInput, context: OidcContext): Promise<string> {
  const { loginProvider } = context;
  const { sign, algorithm } = loginProvider.signer();
  const at = new Date();
  const times = { issuedAt: at, expiresAt: tokenEnd(at, loginProvider.seconds.id, login.family) };
  return sign(idTokenClaims(await subjectOf(login, input, context), times, { algorithm }));
}
