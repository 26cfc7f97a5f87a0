/** Sessions of logins, as tokens name them: whether one still gives tokens, and what ends it. */
import { scopesOf } from '../../domain/oidc/authorize-request.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import { judgeRefresh, nextTokenId } from '../../domain/oidc/refreshing.js';
import { certFingerprint, certHash } from '../../domain/pki/keys.js';
import type { FoundLogin, TokenFamily } from '../../db/stores/token-families.js';
import type { OidcContext, OidcInput } from './exchange.js';
import { hashOfId, requireProof } from './tokens.js';
import type { OpenLogin } from './tokens.js';

const ended = () => new OauthFault('invalid_grant', 'the session has ended');

/** @throws OauthFault `invalid_grant` when the session has ended, `access_denied` without its certificate */
export async function loginOfToken(
  token: SessionToken,
  input: OidcInput,
  { stores }: OidcContext,
): Promise<FoundLogin> {
  const found = await stores.tokenFamilies.findLogin(token.apiSessionId, token.tokenId);
  const session = found?.owner.session;
  if (found === undefined || session?.identity.id !== token.identityId || session.owesTotp) throw ended();
  await requireProof(found.owner, input, stores);
  return found;
}

/**
 * Puts the next refresh token in the place of the one that was shown, or finds that this was done a moment ago. One
 * statement where nothing stands against it; what does is looked at afterwards, for the reason.
 * @param refreshId  of the next one
 * @throws OauthFault
 */
export async function rotate(
  shown: SessionToken,
  refreshId: string,
  input: OidcInput<'scope'>,
  context: OidcContext,
): Promise<OpenLogin & { readonly rotatedAt: Date }> {
  const { stores, loginProvider } = context;
  const { apiSessionId, identityId, tokenId } = shown;
  const [leaf] = input.connection.peerCertificates();
  const rotation = {
    ...{ apiSessionId, identityId, tokenId, from: hashOfId(tokenId), to: hashOfId(refreshId) },
    expiresAt: new Date(Date.now() + loginProvider.seconds.refresh * 1000),
    shown: leaf && { hash: certHash(leaf), fingerprint: certFingerprint(leaf) },
  };
  const scope = input.parameters.get('scope');
  if (scope !== undefined) narrowed((await loginOfToken(shown, input, context)).family, scope);
  const rotated = await stores.tokenFamilies.rotate(rotation);
  const login = rotated ?? (await loginOfToken(shown, input, context));
  if (login.isRevoked) throw new OauthFault('invalid_grant', 'refresh token revoked');
  if (rotated === undefined && (await currentTokenId(shown, login.family, context)) !== refreshId) throw ended();
  const { rotatedAt = null } = login.family.refresh ?? {};
  if (rotatedAt === null) throw ended();
  return { owner: login.owner, family: login.family, rotatedAt };
}

/**
 * A refresh token that is in force, or was a moment ago.
 * @param family  as it was just read
 * @returns the id of the one in force
 * @throws OauthFault `invalid_grant` for any other, which ends the session
 */
export async function currentTokenId(
  { apiSessionId, tokenId }: SessionToken,
  family: TokenFamily | undefined,
  { stores, loginProvider }: OidcContext,
): Promise<string> {
  if (family?.refresh == null) throw ended();
  const verdict = judgeRefresh(family.refresh, hashOfId(tokenId), family.readAt);
  if (verdict === 'stale') {
    await stores.apiSessions.removeIfThere(apiSessionId);
    throw new OauthFault('invalid_grant', 'refresh token revoked');
  }
  return verdict === 'current' ? tokenId : nextTokenId(loginProvider.key, apiSessionId, tokenId, 'r');
}

/** @throws OauthFault `invalid_scope` for more than the login was given */
export function narrowed({ scopes }: TokenFamily, asked: string | undefined): readonly string[] {
  if (asked === undefined) return scopes;
  const wanted = scopesOf(asked);
  if (wanted.some((scope) => !scopes.includes(scope)))
    throw new OauthFault('invalid_scope', 'the login has fewer scopes');
  return wanted;
}

/** Share of a lifetime by which a session is kept for longer than its token: exchanges within it write nothing. */
const AHEAD = 0.05;

/** Keeps a session for as long as a token lasts that is issued now: mostly it lasts that long already. */
export async function keepFor(
  { owner, family }: OpenLogin,
  kind: 'access' | 'refresh',
  { stores, loginProvider }: OidcContext,
): Promise<void> {
  const lastsMs = loginProvider.seconds[kind] * 1000;
  const endIn = (ms: number) => new Date(Math.min(Date.now() + ms, family.endsAt.getTime()));
  if (owner.expiresAt !== null && owner.expiresAt >= endIn(lastsMs)) return;
  await stores.tokenFamilies.extend(owner.session.id, endIn(lastsMs * (1 + AHEAD)));
}
