/** Making a session: who may have one, in the order in which a refusal tells. */
import type { Tags } from '../../domain/model.js';
import { DomainError, invalidField, notFound } from '../../domain/errors.js';
import type { Grant } from '../../domain/policy/access.js';
import { selects } from '../../domain/policy/roles.js';
import type { DialBind } from '../../generated/client/request.js';
import type { Caller } from '../handler.js';
import type { Services } from '../services.js';

export interface SessionRequest { readonly serviceId: string; readonly type: DialBind; readonly tags: Tags }

/**
 * The id of the caller's session for this use: a new one, or the one that it has already.
 * @throws DomainError `notFound` (a service out of reach), `invalidField` (not granted in this way), `invalidPosture`, `noEdgeRouters`
 */
export async function sessionFor({ serviceId, type, tags }: SessionRequest, caller: Caller, { stores, sessionTokens, newId }: Services): Promise<string> {
  const { apiSessionId, identityId } = caller;
  const identity = { id: identityId, roleAttributes: caller.roleAttributes };
  const [ground, grants] = await Promise.all([stores.sessions.findGround({ apiSessionId, serviceId, type }, identity), stores.access.grants(identity)]);
  const reaching = ground === undefined ? [] : grants.filter((grant) => selects(grant.semantic, grant.serviceRoles, ground.service));
  if (ground === undefined || reaching.length === 0) throw notFound('service', serviceId);
  const granting = reaching.filter((grant) => grant.type === type);
  const [first] = granting;
  if (first === undefined) throw invalidField('ServiceId', 'service not found', serviceId);
  if (!granting.some((grant) => grant.isPassing)) throw await postureFailure(granting, stores);
  if (!ground.hasEdgeRouter) throw new DomainError('noEdgeRouters');
  if (ground.sessionId !== null) return ground.sessionId;
  const use = { id: newId(), apiSessionId, identityId, serviceId, type: first.type };
  return stores.sessions.create({ ...use, token: await sessionTokens.sign(use), tags });
}

async function postureFailure(granting: readonly Grant[], stores: Services['stores']): Promise<DomainError> {
  const ids = granting.map(({ policyId }) => policyId);
  const checks = await stores.access.postureChecksOf(ids);
  const data = Object.fromEntries(ids.map((id) => [id, checks.filter(({ policyId }) => policyId === id)
    .map((check) => ({ id: check.id, isPassing: false, typeId: check.typeId }))]));
  return new DomainError('invalidPosture', { causeMessage: `Failed to pass posture checks for service policies: [${ids.join(' ')}]`, causeData: data });
}
