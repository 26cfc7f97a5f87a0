/** Requests of users who log in: which login they belong to, and what is in them. */
import { DomainError } from '../../domain/errors.js';
import type { Parameters } from '../../domain/oidc/parameters.js';
import type { AuthRequest } from '../../db/stores/auth-requests.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type * as Request from '../../generated/client/request.js';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const MAX_INFO_CHARS = 255;
const MAX_CONFIG_TYPES = 100;

/** Names of the parameters that name a login. */
export type LoginName = 'id' | 'authRequestID';

/** The login that a request belongs to; clients name it in either of two ways. */
export function requestIdIn(parameters: Parameters<LoginName>): string | undefined {
  const ids = new Set([...parameters.all('id'), ...parameters.all('authRequestID')]);
  const [id = ''] = ids;
  return ids.size === 1 && UUID.test(id) ? id : undefined;
}

/** @throws DomainError `unauthenticated` for one that has ended */
export async function loginOf(
  parameters: Parameters<LoginName>,
  { authRequests }: Pick<StoreSet, 'authRequests'>,
): Promise<AuthRequest> {
  const id = requestIdIn(parameters);
  const request = id === undefined ? undefined : await authRequests.find(id);
  if (request === undefined) throw new DomainError('unauthenticated', { logReason: 'no such login, or it has ended' });
  return request;
}

/** Members of a form that are nested in JSON. */
const ENV = {
  arch: 'envArch',
  domain: 'envDomain',
  hostname: 'envHostname',
  os: 'envOs',
  osRelease: 'envOsRelease',
  osVersion: 'envOsVersion',
} as const satisfies Record<keyof Request.EnvInfo, string>;
const SDK = {
  appId: 'sdkAppId',
  appVersion: 'sdkAppVersion',
  branch: 'sdkBranch',
  revision: 'sdkRevision',
  type: 'sdkType',
  version: 'sdkVersion',
} as const satisfies Record<keyof Request.SdkInfo, string>;
type InfoName = (typeof ENV)[keyof typeof ENV] | (typeof SDK)[keyof typeof SDK];

/** Names of the parameters of a login. */
export type CredentialName = LoginName | InfoName | 'configTypes' | 'csrPem' | 'password' | 'username';

/** Returns what a login sends, as `authenticate` takes it. @param asked  by the client, before its user came */
export function credentialsIn(parameters: Parameters<CredentialName>, asked: readonly string[]): Request.Authenticate {
  const info = (names: Readonly<Record<string, InfoName>>) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([name, sent]) => {
        const [value] = parameters.all(sent);
        return value === undefined ? [] : [[name, value.slice(0, MAX_INFO_CHARS).toWellFormed().replaceAll('\0', '')]];
      }),
    );
  const sent = parameters.all('configTypes').slice(0, MAX_CONFIG_TYPES);
  const username = parameters.get('username');
  const password = parameters.get('password');
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    configTypes: sent.length > 0 ? [...sent] : [...asked],
    envInfo: info(ENV),
    sdkInfo: info(SDK),
  };
}
