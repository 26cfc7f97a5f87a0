/** The wire form of a service policy. */
import type { ServicePolicy } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf } from '../fields.js';

export function toServicePolicyDetail(policy: ServicePolicy): Response.ServicePolicyDetail {
  return {
    identityRoles: policy.identityRoles,
    identityRolesDisplay: policy.identityRolesDisplay,
    name: policy.name,
    postureCheckRoles: policy.postureCheckRoles,
    postureCheckRolesDisplay: policy.postureCheckRolesDisplay,
    semantic: policy.semantic,
    serviceRoles: policy.serviceRoles,
    serviceRolesDisplay: policy.serviceRolesDisplay,
    type: policy.type,
    ...baseFields(policy, linksOf('service-policies', policy.id)),
  };
}
