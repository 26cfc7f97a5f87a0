/** Facts that the picture of a whole network is made from, as the database has them at a moment. */
import type { LinkEnds } from '../explain/reach.js';
import type { NamedRef, PolicyType, Semantic } from '../model.js';
import type { RoleSelector } from '../policy/role-index.js';
import type { Selectable } from '../policy/roles.js';
import type { AskedCheck } from '../posture/evaluate.js';
import type { PostureState } from '../posture/state.js';

export interface PolicyFacts extends NamedRef {
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly checks: readonly AskedCheck[];
}

/** A router policy: whom it gives which edge routers. */
export interface RouterPolicyFacts extends RoleSelector {
  readonly routerRoles: readonly string[];
}

export interface EdgeRouterFacts extends Selectable {
  /** Connected, in step, and enabled: what clients are told of. */
  readonly isOnline: boolean;
}

export interface ServiceFacts extends Selectable, NamedRef {
  readonly terminators: number;
  /** Those that a dial without an instance id finds. */
  readonly plainTerminators: number;
  /** Routers that are connected and have one of these. */
  readonly hostRouterIds: readonly string[];
}

export interface NetworkFacts {
  readonly type: PolicyType;
  /** The moment, by the clock of the database. */
  readonly now: Date;
  readonly policies: readonly PolicyFacts[];
  readonly identityRouterPolicies: readonly RouterPolicyFacts[];
  readonly serviceRouterPolicies: readonly RouterPolicyFacts[];
  readonly routers: readonly EdgeRouterFacts[];
  readonly services: readonly ServiceFacts[];
  readonly links: readonly LinkEnds[];
  /** Ids of routers that no path goes through. */
  readonly ends: readonly string[];
}

/** Identities that are alike in all that decides. */
export interface IdentityFacts extends Selectable {
  /** '' where no policy names the identity. */
  readonly id: string;
  readonly isDisabled: boolean;
  /** State of the device that it is logged in with; null: nothing is known, which stops nothing. */
  readonly posture: PostureState | null;
  readonly count: number;
}
