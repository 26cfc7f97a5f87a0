/**
 * Access by policies. An identity may dial or bind a service when some service policy of that type selects both; a
 * policy whose posture checks do not pass grants nothing.
 */
import type { PolicyType, Semantic } from '../entity.js';
import { evaluate, passesUntil } from '../posture/evaluate.js';
import type { AskedCheck, CheckResult } from '../posture/evaluate.js';
import type { PostureState } from '../posture/state.js';
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
  /** The posture checks that the policy asks for, and what came of them. */
  readonly checks: readonly CheckResult[];
}

export interface AccessPolicy extends Grant {
  readonly identityRoles: readonly string[];
}

/** A service policy that grants a service, for what it is shown. */
export interface GrantShown {
  readonly policyId: string;
  readonly policyType: PolicyType;
  readonly isPassing: boolean;
  readonly checks: readonly CheckResult[];
}

export interface Permissions {
  readonly permissions: readonly PolicyType[];
  readonly grants: readonly GrantShown[];
}

/**
 * The posture checks that a policy asks for; its semantic governs all of its role lists. None selected: it passes, and
 * nothing need be known of the device.
 */
export function checksOf<C extends Selectable>(
  policy: { readonly semantic: Semantic; readonly postureCheckRoles: readonly string[] },
  postureChecks: readonly C[],
): C[] {
  return postureChecks.filter((check) => selects(policy.semantic, policy.postureCheckRoles, check));
}

/** Judges a policy's `checks` against the state of a device. All of them have to pass. */
export function judge(
  checks: readonly AskedCheck[],
  state: PostureState,
  now: Date,
): { readonly isPassing: boolean; readonly until: Date | null; readonly checks: readonly CheckResult[] } {
  if (checks.length === 0) return PASSING;
  const results = checks.map((check) => evaluate(check, state, now));
  const until = passesUntil(results);
  return { isPassing: until !== undefined, until: until ?? null, checks: results };
}

const PASSING = { isPassing: true, until: null, checks: [] };

/** Latest end of those that pass: undefined when none does, null for no end. */
export function latestEnd(verdicts: readonly { isPassing: boolean; until: Date | null }[]): Date | null | undefined {
  let latest: Date | null | undefined;
  for (const { isPassing, until } of verdicts) {
    if (!isPassing) continue;
    if (until === null) return null;
    if (latest === undefined || (latest !== null && until > latest)) latest = until;
  }
  return latest;
}

/** The policies that select this identity. */
export function grantsOf<P extends { readonly semantic: Semantic; readonly identityRoles: readonly string[] }>(
  policies: readonly P[],
  identity: Selectable,
): P[] {
  return policies.filter((policy) => selects(policy.semantic, policy.identityRoles, identity));
}

/** Returns what the grants of one identity allow on a service. */
export function permissionsFor(grants: readonly Grant[], service: Selectable): Permissions {
  const granting = grants.filter((grant) => selects(grant.semantic, grant.serviceRoles, service));
  const types = new Set(granting.map((grant) => grant.type));
  return {
    permissions: (['Bind', 'Dial'] as const).filter((type) => types.has(type)),
    grants: granting.map(({ policyId, type, isPassing, checks }) => ({
      policyId,
      policyType: type,
      isPassing,
      checks,
    })),
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
