/** Why an identity reaches a service, or what stops it, for those who administer. */
import { holds } from '../../domain/auth/rights.js';
import { notFound } from '../../domain/errors.js';
import { explainAccess } from '../../domain/explain/explain.js';
import type { ChainStep } from '../../domain/explain/explanation.js';
import { toAccessExplanation } from '../forms/explanation-model.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** Permissions to read what each link is made of. */
const READS: Readonly<Record<ChainStep, readonly string[]>> = {
  identity: ['identity.read'],
  login: ['identity.read', 'ops.read'],
  authPolicy: ['identity.read', 'auth-policy.read'],
  policies: ['service-policy.read'],
  posture: ['identity.read', 'posture-check.read'],
  routers: ['router.read'],
  terminators: ['terminator.read', 'router.read', 'identity.read'],
  path: ['terminator.read', 'router.read'],
  refusals: ['identity.read', 'posture-check.read'],
};

/** GET /identities/{id}/explain/{serviceId}. Fails: `notFound`, also for the router. */
export const explainIdentityAccess: Handler<'management', 'explainIdentityAccess'> = async (
  { params: { id, serviceId }, query, caller },
  { stores },
) => {
  const routerId = query.routerId ?? null;
  const found = await stores.explain.on({
    identityId: id,
    serviceId,
    type: query.type === 'bind' ? 'Bind' : 'Dial',
    routerId,
    apiSessionId: null,
  });
  if ('facts' in found) {
    const isSeen = (step: ChainStep) => READS[step].every((permission) => holds(caller, permission));
    return ok(toAccessExplanation(explainAccess(found.facts, isSeen)));
  }
  if (found.missing === 'router') throw notFound('edge router', routerId ?? '');
  throw notFound(found.missing, found.missing === 'identity' ? id : serviceId);
};
