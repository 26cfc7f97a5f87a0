/** Logging in, and the session that comes of it. */
import { setTimeout } from 'node:timers/promises';
import type { LoginRefusal } from '../../domain/auth/login-refusals.js';
import { DomainError } from '../../domain/errors.js';
import type { LoginMethod, SessionApi } from '../../domain/credentials.js';
import type { JsonObject } from '../../domain/model.js';
import type { PasswordCredentials } from '../../db/stores/authenticator-passwords.js';
import type * as Request from '../../generated/client/request.js';
import { noData, ok } from '../handler.js';
import type { Handler, Note, RequestConnection } from '../handler.js';
import type { Context } from '../context.js';
import { toCurrentApiSession } from '../forms/api-session-model.js';
import { logInByCertificate } from './certificate-login.js';
import { endRefusedLogin } from './lockout.js';
import { challengeOfToken } from './owed-token.js';
import { refused } from './login.js';
import type { OpenedSession, OpenSession } from './login.js';
import { logInByToken } from './token-login.js';

type Authenticate = Handler<'client', 'authenticate'>;

/** The API that a session is opened at decides what it is for (migration 0024-sessions-at-routers). */
export const authenticateAt =
  (api: SessionApi): Authenticate =>
  (input, context) =>
    authenticate(api, input, context);

/**
 * POST /authenticate?method=… Fails: `invalidAuth`, which never tells which part was wrong; `tooManyRequests` while
 * too many logins wait; `invalidField` without username or password.
 */
async function authenticate(
  api: SessionApi,
  { query, body, connection, note }: Parameters<Authenticate>[0],
  context: Context,
): ReturnType<Authenticate> {
  const { apiSessions } = context;
  const opened = await logIn({ method: query.method, api, body: body ?? {}, connection }, context, note);
  const { token, session } = opened;
  const { requiredSigner } = session;
  const owedToken = requiredSigner && (await context.secondTokens.owed(connection.bearerTokens(), requiredSigner));
  const { timeoutSeconds } = apiSessions;
  const current = toCurrentApiSession(opened, { token, isTokenOwed: owedToken !== null, timeoutSeconds });
  return {
    ...ok(current),
    headers: {
      'zt-session': token,
      ...(owedToken === null ? {} : { 'www-authenticate': challengeOfToken(owedToken) }),
      ...(session.isCertExtendRequested ? { 'ziti-authenticator-extend-requested': 'true' } : {}),
      'expiration-seconds': String(current.expirationSeconds),
      'expires-at': `${current.expiresAt.replace('T', ' ').replace('Z', '')} +0000 UTC`,
    },
  };
}

/** A login, whoever asked for it. */
export interface LoginAttempt {
  readonly method: LoginMethod;
  readonly api: SessionApi;
  readonly body: Request.Authenticate;
  readonly connection: Pick<RequestConnection, 'ipAddress' | 'peerCertificates' | 'bearerTokens' | 'inTurn'>;
  /** The end of its session, whose client gets signed tokens; absent: it ends when it is not used. */
  readonly expiresAt?: Date;
}

/**
 * Opens the session of a login: the one place that decides whether somebody may log in. Fails as `authenticate` does.
 */
export async function logIn(
  { method, api, body, connection, expiresAt }: LoginAttempt,
  context: Context,
  note: Note,
): Promise<OpenedSession> {
  note({ loginMethod: method });
  const { stores, apiSessions } = context;
  const open: OpenSession = async ({ authenticatorId, proof, isChainComplete, certificateHash }) => {
    const asked = body.configTypes ?? [];
    const configTypes = asked.includes('all') ? ['all'] : await stores.configTypes.resolve(asked);
    const improperClientCertChain = isChainComplete === false;
    const { ipAddress } = connection;
    const kind = { authenticatorId, method, api, certificateHash, ...(expiresAt === undefined ? {} : { expiresAt }) };
    const draft = { ...kind, ipAddress, configTypes, improperClientCertChain };
    const client = { envInfo: known(ENV_INFO, body.envInfo), sdkInfo: known(SDK_INFO, body.sdkInfo) };
    return apiSessions.open(draft, proof, client, stores);
  };
  const methods: Readonly<Record<LoginMethod, () => Promise<OpenedSession>>> = {
    'password': () => logInByPassword(body, context, note, open),
    'cert': () => connection.inTurn(() => logInByCertificate(connection.peerCertificates(), context, note, open)),
    'ext-jwt': () => connection.inTurn(() => logInByToken(connection.bearerTokens(), context, note, open)),
  };
  const opened = await methods[method]();
  note({ identityId: opened.session.identity.id });
  return opened;
}

/** GET /current-api-session. */
export const getCurrentAPISession: Handler<'client', 'getCurrentAPISession'> = async ({ caller }, { apiSessions }) => {
  const { token, owedToken, bearer } = caller;
  const live = await apiSessions.live(caller);
  const timeoutSeconds =
    bearer === null ? apiSessions.timeoutSeconds : secondsUntil(bearer.expiresAt, live.cachedLastActivityAt);
  return ok(toCurrentApiSession(live, { token, isTokenOwed: owedToken !== null, timeoutSeconds }));
};

const secondsUntil = (end: Date, from: Date): number => Math.round((end.getTime() - from.getTime()) / 1000);

/** DELETE /current-api-session: logs out. */
export const deleteCurrentApiSession: Handler<'client', 'deleteCurrentApiSession'> = async (
  { caller },
  { stores, apiSessions },
) => {
  await apiSessions.logOut(caller, stores);
  return noData();
};

/**
 * Does the same work for every refusal: an unknown user, a wrong password, an identity that is disabled or may not log
 * in so. While too many wait, nothing is asked of the database: a refusal costs no more than the body, and says nothing
 * of the username.
 */
async function logInByPassword(
  { username, password }: Request.Authenticate,
  { stores, passwords }: Context,
  note: Note,
  open: OpenSession,
): Promise<OpenedSession> {
  if (username == null || password == null) {
    const causeMessage = 'username and password fields are required';
    throw new DomainError('invalidField', { causeMessage, logReason: causeMessage });
  }
  const attempt = await passwords.admit<Attempt>(async (verify) => {
    const found = await stores.authenticators.credentialsByUsername(username);
    if (found !== undefined) note({ authenticatorId: found.authenticatorId, identityId: found.identityId });
    const isRight = await verify(found?.passwordHash, password);
    const reason = refusalOf(found, isRight);
    if (found !== undefined && reason === undefined) return { credentials: found };
    const decidedAt = performance.now();
    // Within the admission, so that no more of these wait for the database than hashes are computed.
    const isLocked = await endRefusedLogin(isRight ? undefined : found, stores);
    return { decidedAt, refusal: refused(isLocked ? 'lockedOut' : (reason ?? 'unknownUsername')) };
  });
  if ('refusal' in attempt) {
    await setTimeout(Math.max(0, attempt.decidedAt + REFUSAL_MS - performance.now()));
    throw attempt.refusal;
  }
  const { credentials } = attempt;
  if (credentials.failedAttempts > 0) await stores.authenticators.clearFailures(credentials.authenticatorId);
  const { identityId, authenticatorId, passwordHash } = credentials;
  const proof = { by: 'password', identityId, passwordHash } as const;
  const opened = await open({ authenticatorId, proof, isChainComplete: null, certificateHash: null });
  if (opened === undefined) throw refused('changedMeanwhile');
  return opened;
}

/**
 * Time from the decision to the answer, so that it takes as long for an attempt that was counted, or that was the last
 * one, as for an unknown name. Ten times what the statements take where the database is near.
 */
const REFUSAL_MS = 25;

/** How a password was judged. */
type Attempt =
  { readonly credentials: PasswordCredentials } | { readonly refusal: DomainError; readonly decidedAt: number };

/** Undefined: it may log in. */
function refusalOf(found: PasswordCredentials | undefined, isRight: boolean): LoginRefusal | undefined {
  if (found === undefined) return 'unknownUsername';
  if (!isRight) return 'wrongPassword';
  if (found.isDisabled) return 'identityDisabled';
  return found.isAllowed ? undefined : 'passwordsNotAllowed';
}

type Members<T> = Readonly<Record<keyof T, true>>;
const ENV_INFO: Members<Request.EnvInfo> = {
  arch: true,
  domain: true,
  hostname: true,
  os: true,
  osRelease: true,
  osVersion: true,
};
const SDK_INFO: Members<Request.SdkInfo> = {
  appId: true,
  appVersion: true,
  branch: true,
  revision: true,
  type: true,
  version: true,
};

/** Client information keeps the members that the spec names and bounds, as far as they say something; null: none. */
function known<T extends object>(members: Members<T>, info: T | null | undefined): JsonObject | null {
  if (info === null || info === undefined) return null;
  const kept: Record<string, string> = {};
  for (const name of Object.keys(members) as (keyof T & string)[]) {
    const value = info[name];
    if (typeof value === 'string' && value !== '') kept[name] = value;
  }
  return kept;
}
