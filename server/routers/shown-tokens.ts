/** Tokens of clients that routers show: of API sessions, and access tokens of logins by OpenID Connect. */
import { DomainError } from '../../domain/errors.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import type { ApiSessionTokens } from '../../fabric/traffic/session-admission.js';
import { sessionFor } from '../../handlers/access/session-creation.js';
import type { Context } from '../../handlers/context.js';
import type { Caller } from '../../handlers/reply.js';
import type { AccessTokens } from '../sessions/access-tokens.js';
import type { ApiSessionRegistry } from '../sessions/api-sessions.js';

export interface ShownTokenOptions extends Pick<Context, 'stores' | 'sessionTokens' | 'newId'> {
  readonly apiSessions: Pick<ApiSessionRegistry, 'known' | 'authenticateSigned'>;
  readonly accessTokens: Pick<AccessTokens, 'verify'>;
}

/** Tokens of API sessions are random text; every JWT begins so. */
const JWT = 'ey';

export function shownTokens(options: ShownTokenOptions): ApiSessionTokens {
  const { apiSessions, accessTokens } = options;
  const ofSigned = async (token: string): Promise<Caller | undefined> => {
    const found: SessionToken | string = await accessTokens.verify(token);
    if (typeof found === 'string') return undefined;
    return complete(async () => (await apiSessions.authenticateSigned(token, found)).caller);
  };
  return {
    async find(token) {
      const caller = token.startsWith(JWT)
        ? await ofSigned(token)
        : await complete(async () => (await apiSessions.known(token)).caller);
      return caller?.apiSessionId;
    },
    async findSigned(accessToken, identityId) {
      const caller = await ofSigned(accessToken);
      return caller?.identityId === identityId ? caller.apiSessionId : undefined;
    },
    async openDial(accessToken, serviceId) {
      const caller = await ofSigned(accessToken);
      if (caller === undefined) return 'noSession';
      try {
        await sessionFor({ serviceId, type: 'Dial', tags: {} }, caller, options);
        return undefined;
      } catch (error) {
        return faultOf(error);
      }
    },
  };
}

/** Undefined when it owes a second factor, or there is none. */
async function complete(find: () => Promise<Caller>): Promise<Caller | undefined> {
  try {
    const caller = await find();
    return caller.isComplete ? caller : undefined;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

function faultOf(error: unknown): 'noService' | 'noRouter' | 'noSession' {
  const kind = error instanceof DomainError ? error.kind : undefined;
  if (kind === 'notFound' || kind === 'invalidField') return 'noService';
  if (kind === 'noEdgeRouters') return 'noRouter';
  if (kind === 'unauthenticated') return 'noSession';
  throw error;
}
