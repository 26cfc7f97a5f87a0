/** The wire form of an identity that is made or replaced, and of its hostings. */
import { defaultAuthPolicy } from '../../domain/auth/auth-policy.js';
import type { Hosting, HostingPrecedence, IdentityDraft, JsonObject } from '../../domain/model.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import type * as Request from '../../generated/management/request.js';
import { requireName, tagsFrom } from '../fields.js';

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export function identityFrom(body: Request.IdentityCreate | Request.IdentityUpdate): IdentityDraft {
  return {
    name: requireName(body.name),
    typeId: body.type,
    isAdmin: body.isAdmin,
    externalId: body.externalId === '' ? null : (body.externalId ?? null),
    authPolicyId: body.authPolicyId == null || body.authPolicyId === '' ? defaultAuthPolicy.id : body.authPolicyId,
    roleAttributes: parseRoleAttributes(body.roleAttributes ?? []),
    permissions: permissionsFrom(body.permissions ?? []),
    appData: (body.appData ?? {}) as JsonObject,
    defaultHostingCost: body.defaultHostingCost ?? 0,
    defaultHostingPrecedence: body.defaultHostingPrecedence ?? 'default',
    hostings: mergeHostings([], body.serviceHostingCosts, body.serviceHostingPrecedences),
    tags: tagsFrom(body.tags),
  };
}

/** Sorts the permissions and drops duplicates: equal sets are stored and shown alike. */
export const permissionsFrom = (permissions: readonly string[]): string[] => [...new Set(permissions)].sort();

type ByService<T> = Readonly<Record<string, T | null>> | null | undefined;

/** A map that is given replaces that half of every hosting; the other half stays. */
export function mergeHostings(
  current: readonly Hosting[],
  costs: ByService<number>,
  precedences: ByService<HostingPrecedence>,
): Hosting[] {
  const half = <T>(map: ByService<T>, key: 'cost' | 'precedence') =>
    map == null ? new Map(current.map((h) => [h.serviceId, h[key] as T | null])) : new Map(Object.entries(map));
  const cost = half(costs, 'cost');
  const precedence = half(precedences, 'precedence');
  return [...new Set([...cost.keys(), ...precedence.keys()])]
    .map((serviceId) => ({
      serviceId,
      cost: cost.get(serviceId) ?? null,
      precedence: precedence.get(serviceId) ?? null,
    }))
    .filter((hosting) => hosting.cost !== null || hosting.precedence !== null);
}
