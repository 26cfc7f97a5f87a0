/** The wire forms of the policies about edge routers. */
import type { EdgeRouterPolicy, ServiceEdgeRouterPolicy } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf } from '../fields.js';

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
