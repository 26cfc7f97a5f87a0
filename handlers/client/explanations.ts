/** Why the caller reaches a service that it sees, or what stops it. */
import { DomainError, notFound } from '../../domain/errors.js';
import { explainAccess } from '../../domain/explain/explain.js';
import { ownExplanation } from '../../domain/explain/own.js';
import { findServiceView } from '../access/service-views.js';
import { toAccessExplanation } from '../forms/explanation-model.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /services/{id}/explain. Fails: `notFound`, also for a service that the caller may not reach. */
export const explainService: Handler<'client', 'explainService'> = async ({ params, query, caller }, { stores }) => {
  const service = await findServiceView(params.id, caller, stores);
  if (service === undefined || service.permissions.length === 0) throw notFound('service', params.id);
  const found = await stores.explain.on({
    identityId: caller.identityId,
    serviceId: params.id,
    type: query.type === 'bind' ? 'Bind' : 'Dial',
    routerId: null,
    apiSessionId: caller.apiSessionId,
  });
  if ('facts' in found) return ok(toAccessExplanation(ownExplanation(explainAccess(found.facts))));
  // Deleted since the request began.
  throw found.missing === 'service' ? notFound('service', params.id) : new DomainError('unauthenticated');
};
