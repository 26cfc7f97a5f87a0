/** Services as an identity sees them: its permissions, and the data of the config types that it asked for. */
import type { ServiceDraft, ServiceView } from '../../domain/model.js';
import { DomainError, invalidField, notFound } from '../../domain/errors.js';
import { STRATEGIES } from '../../domain/fabric/terminator-choice.js';
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import { parseRoleAttributes, selects } from '../../domain/policy/roles.js';
import type { Grant } from '../../domain/policy/access.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { RoleList } from '../../db/query/scopes.js';
import type { ServiceListRequest } from '../../db/stores/services.js';
import type { Stores } from '../../db/stores/stores.js';
import type * as Request from '../../generated/client/request.js';
import type * as Response from '../../generated/client/response.js';
import { listOf, noData } from '../handler.js';
import type { Caller, ListReply } from '../reply.js';
import type { Context } from '../context.js';
import { baseFields, given, givenName, givenTags, linksOf, requireName, tagsFrom } from '../fields.js';
import { toPostureQuery } from '../forms/posture-query.js';

/** The query of a list of services; config types may be asked for per request. */
export interface ServiceQuery extends ServiceListRequest {
  readonly configTypes?: readonly string[];
}

type ServiceList = ListReply<200, Response.ServiceDetail>;

const selectableOf = (caller: Caller): Selectable => ({ id: caller.identityId, roleAttributes: caller.roleAttributes });

/** The caller's grants, read when they are asked for. */
const grantsTo = (caller: Caller, stores: Stores) => async () =>
  (await stores.access.grantsIn(caller.apiSessionId, selectableOf(caller))).grants;

/** The role lists of the services that some of the grants reach. */
const reachOf = (grants: readonly Grant[]): RoleList[] =>
  grants.map(({ semantic, serviceRoles }) => ({ semantic, roles: serviceRoles }));

/** Config types of the request, by id or name, before those of the session. */
async function configTypesFor(
  asked: readonly string[] | undefined,
  caller: Caller,
  stores: Stores,
): Promise<readonly string[]> {
  if (asked === undefined || asked.length === 0) return caller.configTypes;
  return asked.includes('all') ? ['all'] : stores.configTypes.resolve(asked);
}

/** All services, or those that the request is narrowed to, with the caller's own permissions on each. */
export async function listServiceViews(
  { configTypes, ...request }: ServiceQuery,
  caller: Caller,
  stores: Stores,
): Promise<ServiceList> {
  const viewer = {
    identityId: caller.identityId,
    grants: grantsTo(caller, stores),
    configTypes: await configTypesFor(configTypes, caller, stores),
  };
  return listOf(await stores.services.listViews({ ...request, reader: caller }, viewer), toServiceDetail);
}

/**
 * Only what `identity` may dial or bind; one of the two when `type` is given. Of its devices nothing is known here, so
 * no posture check passes.
 */
export async function listServicesOf(
  identity: Selectable,
  request: ServiceListRequest,
  configTypes: readonly string[],
  stores: Stores,
  type?: 'dial' | 'bind',
): Promise<ServiceList> {
  const grants = (await stores.access.grants(identity)).filter(
    (grant) => type === undefined || grant.type.toLowerCase() === type,
  );
  return listGranted(identity.id, grants, request, configTypes, stores);
}

async function listGranted(
  identityId: string,
  grants: readonly Grant[],
  request: ServiceListRequest,
  configTypes: readonly string[],
  stores: Stores,
): Promise<ServiceList> {
  return listOf(
    await stores.services.listViews(
      { ...request, selectedBy: reachOf(grants) },
      { identityId, grants: () => Promise.resolve(grants), configTypes },
    ),
    toServiceDetail,
  );
}

/** Lists what `identity` may dial or bind, with the config types that the request or the caller's session asks for. */
export async function listServicesFor(
  identity: Selectable,
  { configTypes, ...request }: ServiceQuery,
  caller: Caller,
  stores: Stores,
): Promise<ServiceList> {
  return listServicesOf(
    identity,
    { ...request, reader: caller },
    await configTypesFor(configTypes, caller, stores),
    stores,
  );
}

/**
 * Lists what the caller itself may dial or bind, filtered by the members that clients may see.
 * @param grants  the caller's
 */
export async function listOwnServices(
  { configTypes, ...request }: ServiceQuery,
  caller: Caller,
  grants: Promise<readonly Grant[]>,
  stores: Stores,
): Promise<ServiceList> {
  const [granted, types] = await Promise.all([grants, configTypesFor(configTypes, caller, stores)]);
  return listGranted(caller.identityId, granted, { ...request, isForClient: true }, types, stores);
}

/** One service as the caller sees it; undefined when there is none with this id. @param grants  the caller's */
export async function findServiceView(
  id: string,
  caller: Caller,
  stores: Stores,
  grants?: Promise<readonly Grant[]>,
): Promise<ServiceView | undefined> {
  return stores.services.findView(id, {
    identityId: caller.identityId,
    grants: grants === undefined ? grantsTo(caller, stores) : () => grants,
    configTypes: caller.configTypes,
  });
}

/** Makes sure that the caller may dial or bind the service. @throws DomainError `notFound` */
export async function requireReached(id: string, caller: Caller, stores: Stores): Promise<void> {
  await reached(stores.services.selectable(id), caller, stores);
}

/** The service, if the caller may dial or bind it. @throws DomainError `notFound`, and what reads it throws */
export async function reached<S extends Selectable>(read: Promise<S>, caller: Caller, stores: Stores): Promise<S> {
  const [grants, service] = await Promise.all([grantsTo(caller, stores)(), read]);
  if (!grants.some(({ semantic, serviceRoles }) => selects(semantic, serviceRoles, service)))
    throw notFound('service', service.id);
  return service;
}

export function toServiceDetail(service: ServiceView): Response.ServiceDetail {
  return {
    config: service.config,
    configs: service.configs,
    encryptionRequired: service.encryptionRequired,
    maxIdleTimeMillis: service.maxIdleTimeMillis,
    name: service.name,
    permissions: service.permissions,
    postureQueries: service.grants.map(({ policyId, policyType, isPassing, checks }) => ({
      isPassing,
      policyId,
      policyType,
      postureQueries: checks.map(toPostureQuery),
    })),
    roleAttributes: service.roleAttributes,
    terminatorStrategy: service.terminatorStrategy,
    ...baseFields(service, linksOf('services', service.id)),
  };
}

/** A service as a body gives it whole; what the body leaves out falls back to its default. */
export const serviceFrom = (body: Request.ServiceUpdate): ServiceDraft => ({
  name: requireName(body.name),
  encryptionRequired: body.encryptionRequired ?? false,
  maxIdleTimeMillis: idleTimeFrom(body.maxIdleTimeMillis) ?? 0,
  terminatorStrategy: strategyFrom(body.terminatorStrategy) ?? 'smartrouting',
  roleAttributes: parseRoleAttributes(body.roleAttributes ?? []),
  configs: body.configs ?? [],
  tags: tagsFrom(body.tags),
});

/** PUT of a service. */
export async function replaceService(id: string, body: Request.ServiceUpdate, { stores }: Context) {
  await stores.services.update(id, serviceFrom(body));
  return noData();
}

/** PATCH changes all but whether the service demands encryption, which is settled at creation or by PUT. */
type Patch = Omit<ServiceDraft, 'encryptionRequired'>;

/** PATCH of a service. */
export async function changeService(id: string, body: Request.ServicePatch, { stores }: Context) {
  const changes: { readonly [K in keyof Patch]: Patch[K] | undefined } = {
    name: givenName(body.name),
    maxIdleTimeMillis: idleTimeFrom(body.maxIdleTimeMillis),
    terminatorStrategy: strategyFrom(body.terminatorStrategy),
    roleAttributes: body.roleAttributes == null ? undefined : parseRoleAttributes(body.roleAttributes),
    configs: given(body.configs),
    tags: givenTags(body.tags),
  };
  await stores.services.update(id, changes);
  return noData();
}

/** @throws DomainError `invalidField` for less than none and for more than can be counted */
export function idleTimeFrom(millis: number | null | undefined): number | undefined {
  if (millis === null || millis === undefined) return undefined;
  if (!Number.isSafeInteger(millis) || millis < 0) {
    throw invalidField(
      'maxIdleTimeMillis',
      `maxIdleTimeMillis in body should be between 0 and ${Number.MAX_SAFE_INTEGER}`,
      millis,
    );
  }
  return millis;
}

/** @throws DomainError `notFound` for a strategy that this network does not have */
export function strategyFrom(name: string | null | undefined): Strategy | undefined {
  if (name === null || name === undefined) return undefined;
  if (name === '') return 'smartrouting';
  const known = STRATEGIES.find((strategy) => strategy === name);
  if (known === undefined)
    throw new DomainError('notFound', { causeMessage: `terminatorStrategy with name ${name} not found` });
  return known;
}

/** Everything that the caller may dial or bind by these grants, for a look at the whole. */
export async function viewsOf(grants: readonly Grant[], caller: Caller, stores: Stores): Promise<ServiceView[]> {
  const page = await stores.services.listViews(
    { limit: -1, selectedBy: reachOf(grants), isReadAtOnce: true },
    { identityId: caller.identityId, grants: () => Promise.resolve(grants), configTypes: caller.configTypes },
  );
  const views = [...page.items];
  if (page.rest !== undefined) for await (const batch of page.rest) views.push(...batch);
  return views;
}
