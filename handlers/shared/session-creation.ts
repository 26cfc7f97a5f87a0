/** Making a session: who may have one, checked in the order in which refusals are answered. */
import type { Session, Tags } from '../../domain/model.js';
import { DomainError, invalidField, notFound } from '../../domain/errors.js';
import type { SessionBasis } from '../../db/sessions.js';
import type { DialBind } from '../../generated/client/request.js';
import type { Caller } from '../reply.js';
import type { Context } from '../context.js';

export interface SessionRequest {
  readonly serviceId: string;
  readonly type: DialBind;
  readonly tags: Tags;
}

type Grant = SessionBasis['grants'][number];

/** The identity may change while its session is made: then all is looked at again, and no more often than this. */
const ATTEMPTS = 3;

/**
 * The caller's session for this use: a new one, or the one that it has already.
 * @throws DomainError `notFound` (a service out of reach), `invalidField` (not granted in this way), `invalidPosture`,
 * `noEdgeRouters`
 */
export async function sessionFor(
  { serviceId, type, tags }: SessionRequest,
  caller: Caller,
  { stores, sessionTokens, newId }: Context,
): Promise<Session> {
  const { apiSessionId, identityId } = caller;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const ground = await stores.sessions.findBasis({ apiSessionId, identityId, serviceId, type });
    if (ground === undefined) throw notFound('service', serviceId);
    const granting = ground.grants.filter((grant) => grant.type === type);
    const [first] = granting;
    if (first === undefined) {
      // What it had ends here: a grant that comes back makes a new session.
      if (ground.session !== null) await stores.sessions.end(ground.session.id);
      throw ground.grants.length === 0
        ? notFound('service', serviceId)
        : invalidField('ServiceId', 'service not found', serviceId);
    }
    if (!granting.some((grant) => grant.isPassing)) throw await postureFailure(granting, stores);
    if (!ground.hasEdgeRouter) throw new DomainError('noEdgeRouters');
    if (ground.session !== null) return ground.session;
    const use = { id: newId(), apiSessionId, identityId, serviceId, type: first.type };
    const session = await stores.sessions.create({ ...use, token: await sessionTokens.sign(use), tags }, ground);
    if (session !== undefined) return session;
  }
  throw new DomainError('unavailable');
}

async function postureFailure(granting: readonly Grant[], stores: Context['stores']): Promise<DomainError> {
  const ids = granting.map(({ policyId }) => policyId);
  const checks = await stores.access.postureChecksOf(ids);
  const data = Object.fromEntries(
    ids.map((id) => [
      id,
      checks
        .filter(({ policyId }) => policyId === id)
        .map((check) => ({ id: check.id, isPassing: false, typeId: check.typeId })),
    ]),
  );
  return new DomainError('invalidPosture', {
    causeMessage: `Failed to pass posture checks for service policies: [${ids.join(' ')}]`,
    causeData: data,
  });
}
