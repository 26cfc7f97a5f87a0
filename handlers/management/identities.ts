/** Identities: who dials or hosts. What delegates must not do with them is in delegation/delegation.ts. */
import { defaultAuthPolicy } from '../../domain/auth/auth-policy.js';
import type { IdentityDraft, JsonObject } from '../../domain/model.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import type { Changes } from '../../db/query/table.js';
import type * as Request from '../../generated/management/request.js';
import { created, keptListOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import { given, givenTags } from '../fields.js';
import { requireAdministrator, requireMayDelete, requireMayModify, whereAllowed } from '../delegation/delegation.js';
import { identityFrom, mergeHostings, permissionsFrom } from '../forms/identity-draft.js';
import { listOfIdentities, toIdentityDetail } from '../forms/identity-model.js';
import { AUTHENTICATOR } from '../forms/authenticator-model.js';
import { enrollmentFor } from '../forms/enrollment-model.js';
import { SERVICE_POLICY } from '../forms/service-policy-model.js';
import { listServicesOf } from '../access/service-views.js';
import { enrollmentsFrom } from '../enrollment/identity-enrollments.js';

/** GET /identities. */
export const listIdentities: Handler<'management', 'listIdentities'> = async ({ query, caller }, context) =>
  listOfIdentities(await context.stores.identities.list(query), caller, context);

/** POST /identities. Fails: `duplicate` (name, externalId), `notFound` (auth policy, hosted service, CA). */
export const createIdentity: Handler<'management', 'createIdentity'> = async ({ body, caller }, context) => {
  requireMayCreate(caller, body);
  const draft = identityFrom(body);
  const id = context.newId();
  const enrollments = await enrollmentsFrom(id, body.enrollment, context);
  const write = (stores: Pick<Context['stores'], 'identities'>) => stores.identities.create(id, draft, enrollments);
  const caId = given(body.enrollment?.ottca) ?? '';
  await (draft.hostings.length > 0 || caId !== ''
    ? context.stores.transaction(async (tx) => {
        if (caId !== '' && (await tx.cas.lockForUse(caId)) === undefined) throw caNotFound(caId);
        await write(tx);
      })
    : write(context.stores));
  return created('identities', id);
};

/** GET /identities/{id}. Fails: `notFound`. */
export const detailIdentity: Handler<'management', 'detailIdentity'> = async (
  { params, caller },
  { stores, edgeConnections },
) => ok(toIdentityDetail(await stores.identities.get(params.id), caller, edgeConnections.of(params.id)));

/**
 * PUT /identities/{id}: for administrators, since what the body leaves out falls back to its default. Fails: as create,
 * `notUpdatable`, `unauthenticated`.
 */
export const updateIdentity: Handler<'management', 'updateIdentity'> = async ({ params, body, caller }, { stores }) => {
  requireAdministrator(caller, 'non-admins may not use the PUT method, use PATCH instead');
  const draft = identityFrom(body);
  const { hostings, ...ordinary } = draft;
  if (hostings.length > 0 || !(await stores.identities.updateOrdinary(params.id, ordinary)))
    await stores.transaction(async (tx) => {
      const changes = await withoutOwners(params.id, draft, tx);
      await tx.administrators.keep(params.id, 'notUpdatable', () => tx.identities.update(params.id, changes));
    });
  return noData();
};

/** PATCH /identities/{id}. Fails: as create, `notUpdatable`, `unauthenticated`. */
export const patchIdentity: Handler<'management', 'patchIdentity'> = async ({ params, body, caller }, { stores }) => {
  requireMayPatch(caller, body);
  const { serviceHostingCosts: costs, serviceHostingPrecedences: precedences } = body;
  const hostingsChange = given(costs) !== undefined || given(precedences) !== undefined;
  const changes = {
    name: body.name === '' ? undefined : given(body.name),
    typeId: given(body.type),
    isAdmin: given(body.isAdmin),
    externalId: body.externalId === '' ? null : given(body.externalId),
    authPolicyId: body.authPolicyId === '' ? defaultAuthPolicy.id : given(body.authPolicyId),
    roleAttributes: body.roleAttributes == null ? undefined : parseRoleAttributes(body.roleAttributes),
    permissions: body.permissions == null ? undefined : permissionsFrom(body.permissions),
    appData: body.appData == null ? undefined : (body.appData as JsonObject),
    defaultHostingCost: given(body.defaultHostingCost),
    defaultHostingPrecedence: given(body.defaultHostingPrecedence),
    tags: givenTags(body.tags),
  };
  const mayTakeLogin = changes.isAdmin === false || changes.authPolicyId !== undefined;
  const isNamed = changes.name !== undefined || changes.typeId !== undefined;
  // A router and its identity have one id: without such a router nothing else depends on the name and the type.
  const isAlone = async () => !isNamed || !(await stores.routers.isThere(params.id));
  if (caller.isAdmin && !mayTakeLogin && !hostingsChange && (await isAlone())) {
    await stores.identities.update(params.id, changes);
  } else {
    await stores.transaction(async (tx) => {
      await requireMayModify(caller, params.id, tx);
      const allowed = await withoutOwners(params.id, changes, tx);
      const write = async () => {
        const hostings = hostingsChange
          ? mergeHostings(await tx.identities.lockHostings(params.id), costs, precedences)
          : undefined;
        await tx.identities.update(params.id, { ...allowed, hostings });
      };
      await (mayTakeLogin ? tx.administrators.keep(params.id, 'notUpdatable', write) : write());
    });
  }
  return noData();
};

/**
 * DELETE /identities/{id}: its authenticators, enrollments and API sessions go too. Fails: `notFound`, `notDeletable`,
 * `unauthenticated`.
 */
export const deleteIdentity: Handler<'management', 'deleteIdentity'> = async ({ params, caller }, { stores }) => {
  if (!(await stores.identities.removeOrdinary(params.id, caller)))
    await stores.transaction(async (tx) => {
      await requireMayDelete(caller, params.id, tx);
      const owner = await tx.routers.ownerOf(params.id);
      if (owner !== undefined)
        throw new DomainError('notDeletable', {
          causeMessage: `cannot delete router identity ${owner} until associated router is deleted`,
        });
      await tx.administrators.keep(params.id, 'notDeletable', () => tx.identities.remove(params.id));
    });
  return noData();
};

/**
 * DELETE /identities/{id}/mfa: its API sessions go back to what its auth policy asks; nothing happens without an
 * enrollment. Fails: `notFound`, `unauthenticated`.
 */
export const removeIdentityMfa: Handler<'management', 'removeIdentityMfa'> = async ({ params, caller }, { stores }) => {
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayModify(caller, params.id, tx),
    async ({ identities, mfas }) => mfas.remove((await identities.get(params.id)).id),
  );
  return noData();
};

/**
 * POST /identities/{id}/disable: no login until enabled or until the time has passed; open API sessions end. Fails:
 * `notFound`, `notUpdatable`, `unauthenticated`.
 */
export const disableIdentity: Handler<'management', 'disableIdentity'> = async (
  { params, body, caller },
  { stores },
) => {
  const minutes = Math.min(Math.max(body.durationMinutes, 0), MAX_DISABLE_MINUTES);
  if (!caller.isAdmin || !(await stores.identities.disableOrdinary(params.id, minutes)))
    await stores.transaction(async (tx) => {
      await requireMayModify(caller, params.id, tx);
      await tx.administrators.keep(params.id, 'notUpdatable', () => tx.identities.disable(params.id, minutes));
    });
  return noData();
};

/** POST /identities/{id}/enable. */
export const enableIdentity: Handler<'management', 'enableIdentity'> = async ({ params, caller }, { stores }) => {
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayModify(caller, params.id, tx),
    ({ identities }) => identities.enable(params.id),
  );
  return noData();
};

/** GET /identities/{id}/authenticators. */
export const getIdentityAuthenticators: Handler<'management', 'getIdentityAuthenticators'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const page = await pageOf(stores.authenticators.list({ ...query, ofIdentity: params.id }), () =>
    stores.identities.selectable(params.id),
  );
  return keptListOf(page, AUTHENTICATOR, elementCache);
};

/** GET /identities/{id}/enrollments. */
export const getIdentityEnrollments: Handler<'management', 'getIdentityEnrollments'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const page = await pageOf(stores.enrollments.list({ ...query, caller, ofIdentity: params.id }), () =>
    stores.identities.selectable(params.id),
  );
  return keptListOf(page, enrollmentFor(caller), elementCache);
};

/** GET /identities/{id}/service-policies: the policies that select this identity. */
export const listIdentityServicePolicies: Handler<'management', 'listIdentityServicePolicies'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const identity = await stores.identities.selectable(params.id);
  return keptListOf(
    await stores.servicePolicies.list({ ...query, reader: caller, naming: { identityRoles: identity } }),
    SERVICE_POLICY,
    elementCache,
  );
};

/** GET /identities/{id}/services: what this identity may dial or bind, with its permissions. */
export const listIdentityServices: Handler<'management', 'listIdentityServices'> = async (
  { params, query, caller },
  { stores },
) => {
  const identity = await stores.identities.selectable(params.id);
  const { policyType, ...list } = query;
  return listServicesOf(identity, { ...list, reader: caller }, caller.configTypes, stores, policyType);
};

/** @throws DomainError `unauthenticated` */
function requireMayCreate(caller: Caller, { permissions, isAdmin }: Request.IdentityCreate): void {
  if (permissions != null && permissions.length > 0)
    requireAdministrator(caller, 'non-admins may not create users with permissions');
  if (isAdmin) requireAdministrator(caller, 'non-admins may not create admin users');
}

/**
 * Refuses changes of rights: permission to change identities is no permission to give rights, not even to oneself.
 * @throws DomainError `unauthenticated`
 */
function requireMayPatch(caller: Caller, body: Request.IdentityPatch): void {
  const { permissions, isAdmin } = body;
  for (const [field, value] of Object.entries({ permissions, isAdmin })) {
    if (value != null) requireAdministrator(caller, `non-admins may not modify the identity field '${field}'`);
  }
}

/** About 1,900 years: what a longer time means anyway, within the range of a timestamp. */
const MAX_DISABLE_MINUTES = 1_000_000_000;

/**
 * An identity that a router owns keeps its type, and the router's name.
 * @throws DomainError `invalidField` for another name
 */
async function withoutOwners<T extends Changes<IdentityDraft>>(
  id: string,
  changes: T,
  { routers }: Pick<Context['stores'], 'routers'>,
): Promise<Changes<IdentityDraft>> {
  if (changes.name === undefined && changes.typeId === undefined) return changes;
  const owner = await routers.ownerOf(id);
  if (owner === undefined) return changes;
  if (changes.name !== undefined && changes.name !== owner)
    throw invalidField('name', 'may not change name of router identities', changes.name);
  return { ...changes, name: undefined, typeId: undefined };
}

function caNotFound(caId: string): DomainError {
  return new DomainError('notFound', { field: { field: 'caId', reason: 'ca not found', value: caId } });
}
