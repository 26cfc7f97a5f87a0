/** Advice on access: what the policies say about one identity and one service. Administrators only. */
import { notFound } from '../../domain/errors.js';
import type * as Response from '../../generated/management/response.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { refTo } from '../wire.js';

/** GET /identities/{id}/policy-advice/{serviceId}; posture is left aside, and what is false or 0 is left out. Fails: `notFound`. */
export const getIdentityPolicyAdvice: Handler<'management', 'getIdentityPolicyAdvice'> = async ({ params }, { stores }) => {
  const { identity, service, permissions, identityRouterCount, serviceRouterCount, common } = await stores.advice.on(params.id, params.serviceId);
  if (identity === null) throw notFound('identity', params.id);
  if (service === null) throw notFound('service', params.serviceId);
  const advice: Response.PolicyAdvice = {
    commonRouters: common.map((router) => ({ isOnline: false, ...refTo('edge-routers', router) })),
    identity: refTo('identities', identity), identityId: identity.id, service: refTo('services', service), serviceId: service.id,
    ...(identityRouterCount > 0 ? { identityRouterCount } : {}), ...(serviceRouterCount > 0 ? { serviceRouterCount } : {}),
    ...(permissions.includes('Bind') ? { isBindAllowed: true } : {}), ...(permissions.includes('Dial') ? { isDialAllowed: true } : {}),
  };
  return ok(advice);
};
