/** Advice on access: what the policies say about one identity and one service. Administrators only. */
import type { Advice } from '../../db/stores/advice-view.js';
import type { Stores } from '../../db/stores/stores.js';
import { notFound } from '../../domain/errors.js';
import type { NamedRef } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { refTo } from '../fields.js';

/**
 * GET /identities/{id}/policy-advice/{serviceId}; posture is left aside, and what is false or 0 is left out. Fails:
 * `notFound`.
 */
export const getIdentityPolicyAdvice: Handler<'management', 'getIdentityPolicyAdvice'> = async (
  { params: { id, serviceId } },
  { stores, epochs, responseCache },
) =>
  responseCache.shared(await epochs.advice.current(stores), `advice ${JSON.stringify([id, serviceId])}`, async () =>
    ok(toPolicyAdvice(await adviceOn(id, serviceId, stores))),
  );

async function adviceOn(identityId: string, serviceId: string, { advice }: Stores): Promise<KnownAdvice> {
  const { identity, service, ...rest } = await advice.on(identityId, serviceId);
  if (identity === null) throw notFound('identity', identityId);
  if (service === null) throw notFound('service', serviceId);
  return { identity, service, ...rest };
}

type KnownAdvice = Advice & { readonly identity: NamedRef; readonly service: NamedRef };

function toPolicyAdvice(advice: KnownAdvice): Response.PolicyAdvice {
  const { identity, service, permissions, identityRouterCount, serviceRouterCount, common } = advice;
  return {
    commonRouters: common.map(({ isOnline, ...router }) => ({ isOnline, ...refTo('edge-routers', router) })),
    identity: refTo('identities', identity),
    identityId: identity.id,
    service: refTo('services', service),
    serviceId: service.id,
    ...(identityRouterCount > 0 ? { identityRouterCount } : {}),
    ...(serviceRouterCount > 0 ? { serviceRouterCount } : {}),
    ...(permissions.includes('Bind') ? { isBindAllowed: true } : {}),
    ...(permissions.includes('Dial') ? { isDialAllowed: true } : {}),
  };
}
