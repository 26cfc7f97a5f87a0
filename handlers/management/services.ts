/** Services: what is reached. Administrators see all of them, with their own permissions on each. */
import type { PolicyType } from '../../domain/model.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import { created, keptListOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import {
  changeService,
  findServiceView,
  listServicesFor,
  listServiceViews,
  replaceService,
  serviceFrom,
  toServiceDetail,
} from '../access/service-views.js';
import { requireAdministrator } from '../delegation/delegation.js';
import { listOfIdentities } from '../forms/identity-model.js';
import { CONFIG } from '../forms/config-model.js';
import { SERVICE_POLICY } from '../forms/service-policy-model.js';

/**
 * GET /services; with `asIdentity` only what that identity may reach, as it sees them. Fails: `notFound` and
 * `unauthenticated` (asIdentity).
 */
export const listServices: Handler<'management', 'listServices'> = async (
  { query: { asIdentity, ...query }, caller },
  { stores },
) => {
  if (asIdentity === undefined || asIdentity === '') return listServiceViews(query, caller, stores);
  requireAdministrator(caller, 'only administrators can masquerade as other identities');
  const identity =
    (await stores.identities.findByIdOrName(asIdentity)) ??
    raise(new DomainError('notFound', { causeMessage: `identity with id or name ${asIdentity} not found` }));
  return listServicesFor(identity, query, caller, stores);
};

/** POST /services. Fails: `duplicate` (name), `notFound` (config), `invalidField` (two configs of one type). */
export const createService: Handler<'management', 'createService'> = async ({ body }, { stores, newId }) => {
  const id = newId();
  await stores.services.create(id, serviceFrom(body));
  return created('services', id);
};

/** GET /services/{id}. Fails: `notFound`. */
export const detailService: Handler<'management', 'detailService'> = async ({ params, caller }, { stores }) =>
  ok(toServiceDetail((await findServiceView(params.id, caller, stores)) ?? raise(notFound('service', params.id))));

/** PUT /services/{id}. */
export const updateService: Handler<'management', 'updateService'> = async ({ params, body }, context) =>
  replaceService(params.id, body, context);

/** PATCH /services/{id}. */
export const patchService: Handler<'management', 'patchService'> = async ({ params, body }, context) =>
  changeService(params.id, body, context);

/** DELETE /services/{id}: it leaves every policy that named it. */
export const deleteService: Handler<'management', 'deleteService'> = async ({ params }, { stores }) => {
  await stores.services.remove(params.id);
  return noData();
};

/** GET /services/{id}/configs. */
export const listServiceConfig: Handler<'management', 'listServiceConfig'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const page = await pageOf(stores.configs.list({ ...query, ofService: params.id }), () =>
    stores.services.selectable(params.id),
  );
  return keptListOf(page, CONFIG, elementCache);
};

/** GET /services/{id}/identities: who may dial or bind it. */
export const listServiceIdentities: Handler<'management', 'listServiceIdentities'> = async (
  { params, query, caller },
  context,
) => {
  const { stores } = context;
  const { policyType, ...list } = query;
  const type: PolicyType | undefined = policyType === undefined ? undefined : policyType === 'dial' ? 'Dial' : 'Bind';
  const roles = await stores.access.identityRolesFor(await stores.services.selectable(params.id), type);
  return listOfIdentities(await stores.identities.list({ ...list, selectedBy: roles }), caller, context);
};

/** GET /services/{id}/service-policies: the policies that select it. */
export const listServiceServicePolicies: Handler<'management', 'listServiceServicePolicies'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const service = await stores.services.selectable(params.id);
  return keptListOf(
    await stores.servicePolicies.list({ ...query, reader: caller, naming: { serviceRoles: service } }),
    SERVICE_POLICY,
    elementCache,
  );
};
