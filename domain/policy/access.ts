/**
 * Who may reach what. An identity may dial or bind a service when some service policy of that type selects both;
 * a policy whose posture checks do not pass grants nothing.
 */
import type { PolicyType, Semantic } from '../model.js';
import { selects } from './roles.js';
import type { Selectable } from './roles.js';

/** A service policy that already selects the identity in question: what is left to ask is which services. */
export interface Grant {
  readonly policyId: string;
  readonly type: PolicyType;
  readonly semantic: Semantic;
  readonly serviceRoles: readonly string[];
  /** False while a posture check of the policy fails: then it grants nothing. */
  readonly isPassing: boolean;
}

export interface AccessPolicy extends Grant {
  readonly identityRoles: readonly string[];
}

export interface Permissions {
  readonly permissions: readonly PolicyType[];
  readonly grants: readonly {
    readonly policyId: string;
    readonly policyType: PolicyType;
    readonly isPassing: boolean;
  }[];
}

/**
 * The posture checks that a policy asks for; its semantic governs all of its role lists. None selected: it passes. What
 * devices report is not looked at yet, so a policy that asks for a check does not pass.
 */
export function passes(
  policy: { readonly semantic: Semantic; readonly postureCheckRoles: readonly string[] },
  postureChecks: readonly Selectable[],
): boolean {
  return !postureChecks.some((check) => selects(policy.semantic, policy.postureCheckRoles, check));
}

/** The policies that select this identity. */
export function grantsOf(policies: readonly AccessPolicy[], identity: Selectable): AccessPolicy[] {
  return policies.filter((policy) => selects(policy.semantic, policy.identityRoles, identity));
}

/** What the grants of one identity allow on a service. */
export function permissionsFor(grants: readonly Grant[], service: Selectable): Permissions {
  const granting = grants.filter((grant) => selects(grant.semantic, grant.serviceRoles, service));
  const types = new Set(granting.map((grant) => grant.type));
  return {
    permissions: (['Bind', 'Dial'] as const).filter((type) => types.has(type)),
    grants: granting.map((grant) => ({ policyId: grant.policyId, policyType: grant.type, isPassing: grant.isPassing })),
  };
}

/** True when the identity may use the service in this way. The definition that the SQL twin is held to. */
export function isAllowed(
  policies: readonly AccessPolicy[],
  identity: Selectable,
  service: Selectable,
  type: PolicyType,
): boolean {
  return policies.some(
    (policy) =>
      policy.type === type &&
      policy.isPassing &&
      selects(policy.semantic, policy.identityRoles, identity) &&
      selects(policy.semantic, policy.serviceRoles, service),
  );
}
