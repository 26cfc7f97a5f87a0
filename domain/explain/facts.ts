/** Facts that decide whether one identity reaches one service, as the database has them at a moment. */
import type { NamedRef, PolicyType } from '../model.js';
import type { AskedCheck } from '../posture/evaluate.js';
import type { PostureState } from '../posture/state.js';

export interface AccessFacts {
  readonly type: PolicyType;
  readonly now: Date;
  readonly identity: NamedRef & { readonly isDisabled: boolean; readonly disabledUntil: Date | null };
  readonly service: NamedRef;
  readonly authPolicy: AuthPolicyFacts;
  /** Ways in which the identity could log in, and enrollments that wait; 0 and 0: it never can. */
  readonly authenticators: number;
  readonly enrollments: number;
  readonly login: LoginFacts | null;
  /** Whether it is logged in at the management API, whose sessions routers do not know. */
  readonly isAtManagement: boolean;
  readonly granting: readonly ExplainedPolicy[];
  /** Policies of the same type that select one of the two and not the other, those first that lack the fewest roles. */
  readonly near: readonly NearPolicy[];
  /** State of the device of the login. */
  readonly posture: PostureState;
  readonly routers: RouterFacts;
  readonly terminators: TerminatorFacts;
  readonly refusal: RefusalFacts | null;
}

export interface AuthPolicyFacts extends NamedRef {
  readonly requiresTotp: boolean;
  /** The signer of the token that every request has to bring. */
  readonly requiredSigner: string | null;
}

/** The API session that was used last, of those at the client API. */
export interface LoginFacts {
  readonly id: string;
  readonly method: string;
  readonly at: Date;
  readonly count: number;
  /** Nothing is owed, and the auth policy still allows the way in which it was made. */
  readonly isFull: boolean;
  readonly owesCode: boolean;
  /** Its client reports on the device to routers alone. */
  readonly isJudgedElsewhere: boolean;
}

export interface ExplainedPolicy extends NamedRef {
  readonly checks: readonly AskedCheck[];
}

export interface NearPolicy extends NamedRef {
  /** End that the policy does not select. */
  readonly lacks: 'identity' | 'service';
  /** One of these will do for `AnyOf`, all are needed for `AllOf`. */
  readonly missing: readonly string[];
  readonly semantic: 'AnyOf' | 'AllOf';
}

export interface RouterFact extends NamedRef {
  /** Connected, in step, and enabled: what clients are told of. */
  readonly isOnline: boolean;
  readonly isDisabled: boolean;
}

export interface RouterFacts {
  readonly ofIdentity: number;
  readonly ofService: number;
  readonly common: number;
  /** The first of those in common, the ones that are online first. */
  readonly shown: readonly RouterFact[];
  /** Ids of all in common that are online. */
  readonly onlineIds: readonly string[];
  /** The one that the question is about. */
  readonly asked: (RouterFact & { readonly isForIdentity: boolean; readonly isForService: boolean }) | null;
}

export interface TerminatorFact {
  readonly id: string;
  readonly host: NamedRef | null;
  readonly router: NamedRef;
  readonly isRouterOnline: boolean;
  readonly instanceId: string;
}

export interface TerminatorFacts {
  readonly count: number;
  /** Those that a dial without an instance id finds. */
  readonly plainCount: number;
  readonly shown: readonly TerminatorFact[];
  /** Routers that are online and have one of them. */
  readonly routerIds: readonly string[];
  /** Routers of them that can be reached from the routers in common, or the one that was asked for. */
  readonly reached: number;
}

export interface RefusalFacts {
  readonly at: Date;
  /** Names of the checks that failed. */
  readonly checks: readonly NamedRef[];
}
