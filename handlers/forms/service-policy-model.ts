/** The wire forms of a service policy. */
import { invalidField } from '../../domain/errors.js';
import type { ServicePolicy, ServicePolicyDraft } from '../../domain/model.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf, requireName, tagsFrom } from '../fields.js';
import { elementOfRow } from '../element-cache.js';
import { rolesFrom } from './policy-roles.js';

export const SERVICE_POLICY_ROLES = ['identityRoles', 'serviceRoles', 'postureCheckRoles'] as const;

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

export const SERVICE_POLICY = elementOfRow('service policy', toServicePolicyDetail);

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export function servicePolicyFrom(body: Request.ServicePolicyCreate | Request.ServicePolicyUpdate): ServicePolicyDraft {
  return {
    name: requireName(body.name),
    type: policyTypeFrom(body.type),
    semantic: body.semantic,
    tags: tagsFrom(body.tags),
    ...rolesFrom(body, SERVICE_POLICY_ROLES),
  };
}

export function policyTypeFrom(type: Request.DialBind): 'Dial' | 'Bind' {
  if (type === 'Invalid') throw invalidField('type', 'type must be Dial or Bind', type);
  return type;
}
