/**
 * The entities as the controller thinks of them. Neither rows nor wire forms: stores map rows to these, handlers
 * map these to the specs' models. Times are `Date`s in UTC with millisecond precision.
 */
import type { AuthPolicySettings } from './auth/auth-policy.js';
import type { AuthenticatorSummary, EnrollmentSummary } from './credentials.js';
import type { BaseEntity, HostingPrecedence, NamedRef, PolicyType, Semantic, Tags } from './entity.js';
import type { Strategy } from './fabric/terminator-choice.js';
import type { GrantShown } from './policy/access.js';
import type { Criteria, OperatingSystem } from './posture/criteria.js';

export type { BaseEntity, HostingPrecedence, IdentityRef, NamedRef, PolicyType, Semantic, Tags } from './entity.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** One page of a list, with the number of all matches and the paging that was really used. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Rest of a list that is too long to keep in memory: batches that follow `items`, from the same snapshot. */
  readonly rest?: AsyncIterable<readonly T[]>;
  readonly totalCount: number;
  /** Set when more match than `totalCount`, which were not counted. */
  readonly isTotalMinimum?: true;
  /** null when the whole list was asked for. */
  readonly limit: number | null;
  readonly offset: number;
  /** Names that this list's filter and sort know. */
  readonly filterableFields: readonly string[];
}

/**
 * A row as the database wrote it. Two rows of the same list whose texts are equal make equal entities, so that what was
 * made of one is good for the other.
 */
export interface LazyRow<T> {
  readonly id: string;
  /** All its columns. */
  readonly text: string;
  read(): T;
}

export type IdentityTypeId = 'User' | 'Device' | 'Service' | 'Router' | 'Default';

export interface AuthPolicy extends BaseEntity, AuthPolicySettings {
  readonly name: string;
}
export interface IdentityType extends BaseEntity {
  readonly name: string;
}

export interface Hosting {
  readonly serviceId: string;
  readonly cost: number | null;
  readonly precedence: HostingPrecedence | null;
}

/** Members of an identity that an administrator sets. */
export interface IdentityDraft {
  readonly name: string;
  readonly typeId: IdentityTypeId;
  readonly isAdmin: boolean;
  readonly externalId: string | null;
  readonly authPolicyId: string;
  readonly roleAttributes: readonly string[];
  readonly permissions: readonly string[];
  readonly appData: JsonObject;
  readonly defaultHostingCost: number;
  readonly defaultHostingPrecedence: HostingPrecedence;
  readonly hostings: readonly Hosting[];
  readonly tags: Tags;
}

export interface Identity extends BaseEntity, IdentityDraft {
  readonly isDefaultAdmin: boolean;
  readonly authPolicyName: string;
  readonly envInfo: JsonObject;
  readonly sdkInfo: JsonObject;
  readonly disabledAt: Date | null;
  readonly disabledUntil: Date | null;
  readonly isDisabled: boolean;
  /** It has a verified TOTP enrollment. */
  readonly isMfaEnabled: boolean;
  readonly hasApiSession: boolean;
  readonly authenticators: readonly AuthenticatorSummary[];
  readonly enrollments: readonly EnrollmentSummary[];
}

/** Use of the configs of a type. */
export type ConfigTarget = 'service' | 'router' | 'other';

export interface ConfigType extends BaseEntity {
  readonly name: string;
  readonly schema: JsonObject | null;
  readonly target: ConfigTarget;
}

export interface Config extends BaseEntity {
  readonly name: string;
  readonly configType: NamedRef;
  readonly data: JsonObject;
}

export interface ServiceDraft {
  readonly name: string;
  readonly encryptionRequired: boolean;
  readonly terminatorStrategy: Strategy;
  readonly maxIdleTimeMillis: number;
  readonly roleAttributes: readonly string[];
  readonly configs: readonly string[];
  readonly tags: Tags;
}

export interface Service extends BaseEntity, ServiceDraft {}

/** A service as one identity sees it. */
export interface ServiceView extends Service {
  /** Config data by config type name, for the asked types only. */
  readonly config: Record<string, JsonObject>;
  readonly permissions: readonly PolicyType[];
  /** The service policies that grant it to this identity. */
  readonly grants: readonly GrantShown[];
}

export interface ServicePolicyDraft {
  readonly name: string;
  readonly type: PolicyType;
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
  readonly tags: Tags;
}

/** A selector and how to show it: `@id` is shown as `@name`. */
export interface RoleDisplay {
  readonly role: string;
  readonly name: string;
}

export interface ServicePolicy extends BaseEntity, ServicePolicyDraft {
  readonly identityRolesDisplay: readonly RoleDisplay[];
  readonly serviceRolesDisplay: readonly RoleDisplay[];
  readonly postureCheckRolesDisplay: readonly RoleDisplay[];
}

/** A controller that shares this network's database. */
export interface Controller extends BaseEntity {
  readonly name: string;
  readonly ctrlAddress: string | null;
  readonly certPem: string;
  readonly fingerprint: string;
  readonly isOnline: boolean;
  readonly lastJoinedAt: Date;
  /** URLs of each API, by binding. */
  readonly apiAddresses: Record<string, { url: string; version: string }[]>;
}

/** Members of a terminator that an administrator sets: the router and the address at which a service ends. */
export interface TerminatorDraft {
  readonly serviceId: string;
  readonly routerId: string;
  readonly binding: string;
  readonly address: string;
  /** The identity that hosts it; '' when none does. */
  readonly hostId: string;
  /** Tells apart the instances that host one service; '' when there is only one. */
  readonly instanceId: string;
  /** Proves an instance to routers; never shown. */
  readonly instanceSecret: Buffer | null;
  readonly cost: number;
  readonly precedence: HostingPrecedence;
  readonly tags: Tags;
}

export interface Terminator extends BaseEntity, Omit<TerminatorDraft, 'serviceId' | 'routerId' | 'instanceSecret'> {
  readonly service: NamedRef;
  readonly router: NamedRef;
  /** Cost that routers add while they are busy. */
  readonly dynamicCost: number;
}

/** An edge router as the client of a session uses it. */
export interface SessionRouter {
  readonly name: string;
  readonly cost: number;
  readonly noTraversal: boolean;
  readonly appData: Tags;
  readonly hostname: string;
  /** URLs by protocol. */
  readonly protocols: Readonly<Record<string, string>>;
  readonly syncStatus: string;
  readonly version: string | null;
  /** Mask as decimal digits. */
  readonly capabilitiesMask: string | null;
}

/** The right of one API session to use a service in one way, as routers are shown it. */
export interface Session extends BaseEntity {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly service: NamedRef;
  readonly type: PolicyType;
  /** A JWT that opens connections at routers. */
  readonly token: string;
  /**
   * The service policies that grant it at present: never empty where administrators read, always where its owner does.
   */
  readonly servicePolicies: readonly NamedRef[];
  /** Edge routers that are connected now. */
  readonly edgeRouters: readonly SessionRouter[];
}

export interface EdgeRouterPolicyDraft {
  readonly name: string;
  readonly semantic: Semantic;
  readonly edgeRouterRoles: readonly string[];
  readonly identityRoles: readonly string[];
  readonly tags: Tags;
}

export interface EdgeRouterPolicy extends BaseEntity, EdgeRouterPolicyDraft {
  /** Made for a router with a tunneler; goes only with it. */
  readonly isSystem: boolean;
  readonly edgeRouterRolesDisplay: readonly RoleDisplay[];
  readonly identityRolesDisplay: readonly RoleDisplay[];
}

export interface ServiceEdgeRouterPolicyDraft {
  readonly name: string;
  readonly semantic: Semantic;
  readonly edgeRouterRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly tags: Tags;
}

export interface ServiceEdgeRouterPolicy extends BaseEntity, ServiceEdgeRouterPolicyDraft {
  readonly edgeRouterRolesDisplay: readonly RoleDisplay[];
  readonly serviceRolesDisplay: readonly RoleDisplay[];
}

interface PostureCheckCommon {
  readonly name: string;
  readonly roleAttributes: readonly string[];
  readonly tags: Tags;
}
export type PostureCheckDraft = PostureCheckCommon & Criteria;
/** A condition on the state of a device. */
export type PostureCheck = BaseEntity & PostureCheckDraft & { readonly version: number };
/** A kind of posture check and the systems that can meet it. */
export interface PostureCheckType extends BaseEntity {
  readonly name: string;
  readonly version: string;
  readonly operatingSystems: readonly OperatingSystem[];
}
