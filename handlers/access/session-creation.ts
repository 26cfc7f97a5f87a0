/** Making a session: who may have one, checked in the order in which refusals are answered. */
import type { PolicyType, Session, Tags } from '../../domain/model.js';
import { DomainError, invalidField, notFound, raise } from '../../domain/errors.js';
import { judge, latestEnd } from '../../domain/policy/access.js';
import { adviceFor, checkFailure } from '../../domain/posture/failures.js';
import type { BasisGrant, RequiredPosture, SessionBasis } from '../../db/stores/session-creation.js';
import type { Stores } from '../../db/stores/stores.js';
import { basePaths } from '../../generated/routes.js';
import type { DialBind } from '../../generated/client/request.js';
import type { Caller } from '../reply.js';
import type { Context } from '../context.js';

export interface SessionRequest {
  readonly serviceId: string;
  readonly type: DialBind;
  readonly tags: Tags;
}

/** The identity may change while its session is made: then all is looked at again, and no more often than this. */
const ATTEMPTS = 3;

/**
 * The caller's session for this use: a new one, or the one that it has already. Posture is not looked at for callers
 * with signed tokens: they report on their devices to routers alone, which judge them.
 * @throws DomainError `notFound` (a service out of reach), `invalidField` (not granted in this way), `invalidPosture`,
 * `noEdgeRouters`, also for every session of the management API
 */
export async function sessionFor(
  { serviceId, type, tags }: SessionRequest,
  caller: Caller,
  { stores, sessionTokens, newId }: Pick<Context, 'stores' | 'sessionTokens' | 'newId'>,
): Promise<Session> {
  const { apiSessionId, identityId, openedAt } = caller;
  // No router is sent its token (db/stores/router-sync-view.ts): each would cut a client that shows it.
  if (openedAt === 'management') {
    const causeMessage =
      'routers are not told of API sessions that were opened at the management API: log in at the client API, ' +
      `POST ${basePaths.client}/authenticate, and ask with that session`;
    throw new DomainError('noEdgeRouters', { causeMessage });
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const wasRefused = attempt > 0;
    const ground = await stores.sessions.findBasis({ apiSessionId, identityId, serviceId, type, wasRefused });
    if (ground === undefined) throw notFound('service', serviceId);
    const granting = ground.grants.filter((grant) => grant.type === type);
    const [first] = granting;
    if (first === undefined) {
      // The session ends here: a grant that comes back makes a new session.
      if (ground.session !== null) await stores.sessions.end(ground.session.id);
      throw ground.grants.length === 0
        ? notFound('service', serviceId)
        : invalidField('ServiceId', 'service not found', serviceId);
    }
    const isLegacy = caller.bearer === null;
    const asked = { serviceId, type: first.type, caller, ground, stores };
    const posture = isLegacy ? await requiredPosture(granting, asked) : undefined;
    if (!ground.hasEdgeRouter) throw new DomainError('noEdgeRouters');
    if (ground.session !== null) return ground.session;
    const use = { id: newId(), apiSessionId, identityId, serviceId, type: first.type };
    const token = await sessionTokens.sign({ ...use, isLegacy });
    const session = await stores.sessions.create({ ...use, token, tags }, ground, posture);
    if (session !== undefined) return session;
  }
  throw new DomainError('unavailable');
}

interface SessionWish {
  readonly serviceId: string;
  readonly type: PolicyType;
  readonly caller: Caller;
  readonly ground: SessionBasis;
  readonly stores: Stores;
}

/**
 * Returns the posture checks that the session depends on; undefined when some policy grants it whatever the device is.
 * @throws DomainError `invalidPosture` when no policy passes, which is written down for administrators
 */
async function requiredPosture(
  granting: readonly BasisGrant[],
  asked: SessionWish,
): Promise<RequiredPosture | undefined> {
  if (granting.some(({ checks }) => checks.length === 0)) return undefined;
  const { caller, ground, stores } = asked;
  const posture = await stores.postures.of(caller.apiSessionId);
  if (posture === undefined) throw new DomainError('unauthenticated');
  const { state, now, revision } = posture;
  const verdicts = granting.map((grant) => ({ grant, ...judge(grant.checks, state, now) }));
  const until = latestEnd(verdicts);
  if (until !== undefined) return { revision, until };
  // Ends it as if the grant were gone.
  if (ground.session !== null) await stores.sessions.end(ground.session.id);
  const failing = verdicts.map(({ grant, checks }) => ({
    grant,
    checks: checks.filter(({ isPassing }) => !isPassing).map(({ check }) => check),
  }));
  await stores.failedRequests.note(caller.identityId, {
    apiSessionId: caller.apiSessionId,
    serviceId: asked.serviceId,
    serviceName: ground.serviceName,
    sessionType: asked.type,
    policyFailures: failing.map(({ grant: { policyId, policyName }, checks }) => ({
      policyId,
      policyName,
      checks: checks.map((check) => checkFailure(check, state, now)),
    })),
  });
  const ids = granting.map(({ policyId }) => policyId);
  return raise(
    new DomainError('invalidPosture', {
      causeMessage: `Failed to pass posture checks for service policies: [${ids.join(' ')}]`,
      causeData: Object.fromEntries(
        failing.map(({ grant, checks }) => [
          grant.policyId,
          checks.map((check) => ({
            id: check.id,
            isPassing: false,
            name: check.name,
            reason: adviceFor(check, state, now),
            typeId: check.typeId,
          })),
        ]),
      ),
    }),
  );
}
