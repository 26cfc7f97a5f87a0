/** The wire forms of the policies about edge routers. */
import type { EdgeRouterPolicy, EdgeRouterPolicyDraft } from '../../domain/model.js';
import type { ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyDraft } from '../../domain/model.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf, requireName, tagsFrom } from '../fields.js';
import { elementOfRow } from '../element-cache.js';
import { rolesFrom } from './policy-roles.js';

export const SERVICE_EDGE_ROUTER_POLICY_ROLES = ['edgeRouterRoles', 'serviceRoles'] as const;
export const EDGE_ROUTER_POLICY_ROLES = ['edgeRouterRoles', 'identityRoles'] as const;
export function toEdgeRouterPolicyDetail(policy: EdgeRouterPolicy): Response.EdgeRouterPolicyDetail {
  return {
    edgeRouterRoles: policy.edgeRouterRoles,
    edgeRouterRolesDisplay: policy.edgeRouterRolesDisplay,
    identityRoles: policy.identityRoles,
    identityRolesDisplay: policy.identityRolesDisplay,
    isSystem: policy.isSystem,
    name: policy.name,
    semantic: policy.semantic,
    ...baseFields(policy, linksOf('edge-router-policies', policy.id)),
  };
}

export function toServiceEdgeRouterPolicyDetail(
  policy: ServiceEdgeRouterPolicy,
): Response.ServiceEdgeRouterPolicyDetail {
  return {
    edgeRouterRoles: policy.edgeRouterRoles,
    edgeRouterRolesDisplay: policy.edgeRouterRolesDisplay,
    name: policy.name,
    semantic: policy.semantic,
    serviceRoles: policy.serviceRoles,
    serviceRolesDisplay: policy.serviceRolesDisplay,
    ...baseFields(policy, linksOf('service-edge-router-policies', policy.id)),
  };
}

export const EDGE_ROUTER_POLICY = elementOfRow('edge router policy', toEdgeRouterPolicyDetail);
export const SERVICE_EDGE_ROUTER_POLICY = elementOfRow('service edge router policy', toServiceEdgeRouterPolicyDetail);

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export function edgeRouterPolicyFrom(
  body: Request.EdgeRouterPolicyCreate | Request.EdgeRouterPolicyUpdate,
): EdgeRouterPolicyDraft {
  return {
    name: requireName(body.name),
    semantic: body.semantic,
    tags: tagsFrom(body.tags),
    ...rolesFrom(body, EDGE_ROUTER_POLICY_ROLES),
  };
}

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export function serviceEdgeRouterPolicyFrom(
  body: Request.ServiceEdgeRouterPolicyCreate | Request.ServiceEdgeRouterPolicyUpdate,
): ServiceEdgeRouterPolicyDraft {
  return {
    name: requireName(body.name),
    semantic: body.semantic,
    tags: tagsFrom(body.tags),
    ...rolesFrom(body, SERVICE_EDGE_ROUTER_POLICY_ROLES),
  };
}
