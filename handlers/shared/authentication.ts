/** Logging in, and the session that comes of it. */
import { DomainError } from '../../domain/errors.js';
import { afterFailure } from '../../domain/auth/auth-policy.js';
import type { AuthPolicy, JsonObject } from '../../domain/model.js';
import type { PasswordCredentials } from '../../db/authenticators.js';
import type { HeldAuthenticator } from '../../db/logins.js';
import type { StoreSet } from '../../db/stores.js';
import type * as Request from '../../generated/client/request.js';
import { noData, ok } from '../handler.js';
import type { Handler, Note } from '../handler.js';
import type { Services } from '../services.js';
import { toCurrentApiSession } from './api-session-model.js';
import { checkCertificateLogin, refused } from './certificate-login.js';
import type { CertificateLogin } from './certificate-login.js';

/**
 * POST /authenticate?method=… Fails: `invalidAuth`, which never tells which part was wrong; `tooManyRequests` while
 * too many logins wait; `invalidField` without username or password.
 */
export const authenticate: Handler<'client', 'authenticate'> = async ({ query, body, connection, note }, services) => {
  note({ loginMethod: query.method });
  if (query.method === 'ext-jwt') throw refused('there is no external JWT signer');
  const login: Login = query.method === 'cert'
    ? await checkCertificateLogin(connection.peerCertificates(), services, note)
    : await checkPasswordLogin(body ?? {}, services, note);
  const { stores, sessions } = services;
  const asked = body?.configTypes ?? [];
  const configTypes = asked.includes('all') ? ['all'] : await stores.configTypes.resolve(asked);
  const { token, held } = await stores.transaction(async (tx) => {
    const authenticator = await holdAuthenticator(login, tx);
    const { identityId, authenticatorId, caId, isChainComplete } = login;
    const opened = await sessions.open({
      identityId, authenticatorId, ipAddress: connection.ipAddress, configTypes, caId, improperClientCertChain: isChainComplete === false,
    }, tx);
    await tx.identities.setClientInfo(identityId, known(ENV_INFO, body?.envInfo), known(SDK_INFO, body?.sdkInfo));
    return { ...opened, held: authenticator };
  }, { isExpendable: true });
  const current = toCurrentApiSession(await sessions.live(token), token, sessions.timeoutSeconds);
  return {
    ...ok(current),
    headers: {
      'zt-session': token,
      ...(held?.isExtendRequested === true ? { 'ziti-authenticator-extend-requested': 'true' } : {}),
      'expiration-seconds': String(current.expirationSeconds),
      'expires-at': `${current.expiresAt.replace('T', ' ').replace('Z', '')} +0000 UTC`,
    },
  };
};

/** GET /current-api-session. */
export const getCurrentAPISession: Handler<'client', 'getCurrentAPISession'> = async ({ caller }, { sessions }) =>
  ok(toCurrentApiSession(await sessions.live(caller.token, caller.apiSessionId), caller.token, sessions.timeoutSeconds));

/** DELETE /current-api-session: logs out. */
export const deleteCurrentApiSession: Handler<'client', 'deleteCurrentApiSession'> = async ({ caller }, { stores, sessions }) => {
  await stores.apiSessions.remove(caller.apiSessionId);
  sessions.forget(caller.apiSessionId);
  return noData();
};

/** What every method of login ends in. */
type Login = Omit<CertificateLogin, 'isChainComplete'> & { readonly isChainComplete?: boolean };

/** From here on the session goes when the authenticator goes. One that went, or changed, while it was checked opens nothing. */
async function holdAuthenticator({ authenticatorId, fingerprint, caId, isChainComplete }: Login, { logins }: Pick<StoreSet, 'logins'>): Promise<HeldAuthenticator | undefined> {
  if (caId !== null) return undefined;
  const held = await logins.hold(authenticatorId, fingerprint);
  if (held === undefined) throw refused('the authenticator or its identity changed during the login');
  if (isChainComplete !== undefined && isChainComplete !== held.lastAuthResolvedToRoot) await logins.noteChain(authenticatorId, isChainComplete);
  return held;
}

/** Does the same work for an unknown user as for a wrong password. */
async function checkPasswordLogin({ username, password }: Request.Authenticate, { stores, passwords, sessions }: Services, note: Note): Promise<Login> {
  if (username == null || password == null) {
    const causeMessage = 'username and password fields are required';
    throw new DomainError('invalidField', { causeMessage, logReason: causeMessage });
  }
  const credentials = await stores.authenticators.credentialsByUsername(username);
  if (credentials !== undefined) note({ authenticatorId: credentials.authenticatorId, identityId: credentials.identityId });
  const policy = await stores.authPolicies.get(credentials?.authPolicyId ?? 'default');
  const isRight = await passwords.verify(credentials?.passwordHash, password);
  if (credentials === undefined) throw refused('no authenticator has this username');
  if (!isRight) {
    const isLocked = await countFailure(credentials, policy, { stores, sessions });
    throw refused(isLocked ? 'wrong password, one too many: the identity is now disabled' : 'wrong password');
  }
  if (credentials.isDisabled) throw refused('the identity is disabled');
  if (!policy.primary.updb.allowed) throw refused('the auth policy allows no passwords');
  if (policy.primary.updb.maxAttempts > 0) await stores.authenticators.clearFailures(credentials.authenticatorId);
  return { identityId: credentials.identityId, authenticatorId: credentials.authenticatorId, fingerprint: null, caId: null };
}

/** Wrong passwords in a row disable the identity once there are as many as its policy allows: true when this one did. */
async function countFailure(credentials: PasswordCredentials, policy: AuthPolicy, { stores, sessions }: Pick<Services, 'stores' | 'sessions'>): Promise<boolean> {
  if (policy.primary.updb.maxAttempts <= 0 || credentials.isDisabled) return false;
  const failures = await stores.authenticators.countFailure(credentials.authenticatorId);
  const outcome = afterFailure({ failedAttempts: failures - 1, policy, now: new Date() });
  if (outcome.disable === null) return false;
  await stores.authenticators.clearFailures(credentials.authenticatorId);
  await stores.identities.disable(credentials.identityId, policy.primary.updb.lockoutDurationMinutes);
  sessions.forgetIdentity(credentials.identityId);
  return true;
}

type Members<T> = Readonly<Record<keyof T, true>>;
const ENV_INFO: Members<Request.EnvInfo> = {
  arch: true, domain: true, hostname: true, os: true, osRelease: true, osVersion: true,
};
const SDK_INFO: Members<Request.SdkInfo> = {
  appId: true, appVersion: true, branch: true, revision: true, type: true, version: true,
};

/** Client information keeps the members that the spec names and bounds, as far as they say something. */
function known<T extends object>(members: Members<T>, info: T | null | undefined): JsonObject {
  const kept: Record<string, string> = {};
  for (const name of Object.keys(members) as (keyof T & string)[]) {
    const value = info?.[name];
    if (typeof value === 'string' && value !== '') kept[name] = value;
  }
  return kept;
}
