// Generated from specs/ by scripts/generate. Do not edit.

/** Why an identity reaches a service, or what stops it. */
export interface AccessExplanation {
  /** What stops it, the first link of the chain; null when nothing does, or nothing that the reader may see. */
  cause: 'IDENTITY_DISABLED' | 'NOT_LOGGED_IN' | 'LOGGED_IN_AT_MANAGEMENT' | 'SECOND_FACTOR_OWED' | 'LOGIN_NOT_ALLOWED' | 'NO_POLICY' | 'POSTURE' | 'NO_COMMON_ROUTER' | 'ROUTERS_OFFLINE' | 'ROUTER_NOT_ALLOWED' | 'ROUTER_OFFLINE' | 'NO_TERMINATOR' | 'ONLY_NAMED_TERMINATORS' | 'TERMINATORS_OFFLINE' | 'NO_PATH' | null;
  /** Id of the identity. */
  identityId: string;
  /** Links of the chain, in the order in which a dial meets them. */
  links: readonly AccessExplanationLink[];
  /** `works`; `refused`: it gets no session; `unreachable`: it gets one, and its dial fails; `unknown`: nothing that the reader may see stops it. */
  outcome: 'works' | 'refused' | 'unreachable' | 'unknown';
  /** One thing to do; empty when there is nothing to do. */
  remedy: string;
  /** Id of the service. */
  serviceId: string;
  type: DialBind;
  /** The answer in one sentence. */
  verdict: string;
}

/** Answer with the explanation. */
export interface AccessExplanationEnvelope {
  data: AccessExplanation;
  meta: Meta;
}

/** Something that a link of the chain is made of. */
export interface AccessExplanationItem {
  /** Collection that has it; empty for what is no entity. */
  entity: string;
  /** What was found of it, in words. */
  finding: string;
  /** What is known of the device; of posture checks only. */
  found?: string | undefined;
  /** Id of the entity. */
  id: string;
  /** Whether it lets the dial through. */
  isPassing: boolean;
  /** Name of the entity. */
  name: string;
  /** What is asked of the device; of posture checks only. */
  wanted?: string | undefined;
}

/** A link of the chain that decides an access. */
export interface AccessExplanationLink {
  /** What was found, in words. */
  finding: string;
  /** Entities that it is made of, some of them where there are many. */
  items: readonly AccessExplanationItem[];
  /** `skipped`: it cannot be told, because of what stops it before; `hidden`: the reader may not see it. */
  state: 'passes' | 'stops' | 'skipped' | 'hidden';
  /** Which link it is. */
  step: 'identity' | 'login' | 'authPolicy' | 'policies' | 'posture' | 'routers' | 'terminators' | 'path' | 'refusals';
}

/** An address of an API. */
export interface ApiAddress {
  /** The address. */
  url?: string | undefined;
  /** Version of the API that is served there. */
  version?: string | undefined;
}

/** Addresses of one API. */
export type ApiAddressArray = readonly ApiAddress[];

/** Addresses by the name of the API. */
export type ApiAddressList = Record<string, ApiAddressArray>;

/** A failure. */
export interface ApiError {
  args?: ApiErrorArgs | undefined;
  cause?: ApiErrorCause | undefined;
  /** Text of the cause; not in use. */
  causeMessage?: string | undefined;
  /** What went wrong, for programs. */
  code?: 'CAN_NOT_DELETE_REFERENCED_ENTITY' | 'CAN_NOT_UPDATE_AUTHENTICATOR' | 'CAN_NOT_UPDATE_ROUTER' | 'CA_ALREADY_VERIFIED' | 'CERTIFICATE_FAILED_VALIDATION' | 'CERT_FAILED_VALIDATION' | 'CERT_IN_USE' | 'COULD_NOT_PARSE_BODY' | 'COULD_NOT_PARSE_PEM_BLOCK' | 'COULD_NOT_PROCESS_CSR' | 'COULD_NOT_VALIDATE' | 'ENROLLMENT_CA_NOT_VALID' | 'ENROLLMENT_EXISTS' | 'ENROLLMENT_EXPIRED' | 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED' | 'ENROLLMENT_NO_VALID_CAS' | 'ENTITY_CAN_NOT_BE_DELETED' | 'ENTITY_CAN_NOT_BE_UPDATED' | 'INVALID_AUTH' | 'INVALID_BACKING_TOKEN_TYPE' | 'INVALID_CERT_PEM' | 'INVALID_CLIENT_CERT' | 'INVALID_COMMON_NAME' | 'INVALID_ENROLLMENT_ALREADY_ENROLLED' | 'INVALID_ENROLLMENT_NOT_ALLOWED' | 'INVALID_ENROLLMENT_TOKEN' | 'INVALID_ENROLL_METHOD' | 'INVALID_FIELD' | 'INVALID_FILTER' | 'INVALID_POSTURE' | 'INVALID_SORT_IDENTIFIER' | 'MALFORMED_REQUEST' | 'MAX_AUTHENTICATOR_METHODS_REACHED' | 'METHOD_NOT_ALLOWED' | 'MFA_EXISTS' | 'MFA_INVALID_TOKEN' | 'MFA_NOT_ENROLLED' | 'MISSING_CERT_CLAIM' | 'MISSING_OR_INVALID_CSR' | 'NOT_FOUND' | 'NOT_IMPLEMENTED' | 'NO_EDGE_ROUTERS_AVAILABLE' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'REQUEST_ENTITY_TOO_LARGE' | 'REQUEST_HEADERS_TOO_LARGE' | 'REQUEST_TIMEOUT' | 'SERVER_NOT_RUNNING_IN_HA_MODE' | 'SERVER_TOO_MANY_REQUESTS' | 'TIMEOUT' | 'UNAUTHORIZED' | 'UNAVAILABLE' | 'UNHANDLED' | undefined;
  /** Further facts, depending on the cause. */
  data?: Record<string, unknown> | undefined;
  /** What else is wrong with the body, in bodies of up to 16 KiB; absent when `cause` is all. */
  furtherCauses?: readonly ApiFieldError[] | undefined;
  /** What went wrong, for people. */
  message?: string | undefined;
  /** Id of the request, to find it in the controller's log. */
  requestId?: string | undefined;
}

/** Parts of the request that the failure concerns; not in use. */
export interface ApiErrorArgs {
  /** Path parameters of the request. */
  urlVars?: Record<string, string> | undefined;
}

/** Why it failed: a field with its value and what is wrong with it, or another error. */
export interface ApiErrorCause extends ApiFieldError, ApiError {}

/** Answer to a request that failed. */
export interface ApiErrorEnvelope {
  error: ApiError;
  meta: Meta;
}

/** A field that breaks a rule. */
export interface ApiFieldError {
  /** Name of the field or parameter. */
  field?: string | undefined;
  /** The rule that it breaks. */
  reason?: string | undefined;
  /** The value that was given, as text. */
  value?: string | undefined;
}

/** An API session. */
export interface ApiSessionDetail extends BaseEntity {
  authQueries: AuthQueryList;
  /** Id of the authenticator that the login used. */
  authenticatorId: string;
  /** When the session was last used, as the answering controller knows it. */
  cachedLastActivityAt?: string | undefined;
  /** Ids of the config types whose data services show in this session, or `all`. */
  configTypes: readonly string[];
  identity: EntityRef;
  /** Id of the identity that logged in. */
  identityId: string;
  /** Whether the client left out intermediate certificates that its chain needs. */
  improperClientCertChain?: boolean | undefined;
  /** Address that the login came from. */
  ipAddress: string;
  /** Whether an administrator asks the client to renew its certificate. */
  isCertExtendRequested?: boolean | undefined;
  /** Whether the certificate of the login was issued here and can be renewed. */
  isCertExtendable: boolean;
  /** Whether the renewal should use a new key. */
  isCertKeyRollRequested?: boolean | undefined;
  /** Whether a TOTP code has been accepted in this session. */
  isMfaComplete: boolean;
  /** Whether the identity has to pass TOTP. */
  isMfaRequired: boolean;
  /** When the session was last used, as stored; may lag behind. */
  lastActivityAt?: string | undefined;
  /** The credential, for its owner. */
  token: string;
}

/** API sessions. */
export type ApiSessionList = readonly ApiSessionDetail[];

/** What is known of the device behind one API session. */
export interface ApiSessionPostureData {
  endpointState?: PostureDataEndpointState | undefined;
  mfa: PostureDataMfa;
  sdkInfo?: SdkInfo | undefined;
}

/** One version of one API. */
export interface ApiVersion {
  /** Addresses at which it is served. */
  apiBaseUrls?: readonly string[] | undefined;
  /** Path at which it is served. */
  path: string;
  /** Version of the API document. */
  version?: string | undefined;
}

/** Values for the applications that use the network, by name. */
export type AppData = Record<string, unknown>;

/** Which of a kind of entities use a role attribute. */
export interface AttributeUsage {
  /** How many there are. */
  count: number;
  /** Their ids; null unless `withIds` asks for them. */
  ids: readonly string[] | null;
}

/** Who did it. */
export interface AuditActor {
  /** Id of the identity or the router; null for the others. */
  id?: string | null | undefined;
  /** `identity`, in an API session; `anonymous`, a client that has not logged in; `router`; `operator`, somebody at the controller's own machine… */
  kind: 'identity' | 'anonymous' | 'router' | 'operator' | 'controller';
  /** Name of the identity or the router as it was then; null for the others. */
  name?: string | null | undefined;
}

/** One change of one entity, one login, or one refusal of a login. */
export interface AuditRecordDetail {
  _links: Links;
  actor: AuditActor;
  /** The IP address that the request came from; null where there was no request. */
  address?: string | null | undefined;
  /** What it is since: all that is recorded of an entity that was made, and of a changed one the members that changed. */
  after?: Record<string, unknown> | null | undefined;
  /** The API session of the request, or the one that a login opened; null without one. */
  apiSessionId?: string | null | undefined;
  /** When the transaction of the change began. */
  at: string;
  /** What it was before, by the same rule; null for one that was made. */
  before?: Record<string, unknown> | null | undefined;
  /** Name of the controller that did it; null where that is not known. */
  controller?: string | null | undefined;
  /** Id of the entity; null where a login named none that there is. */
  entityId?: string | null | undefined;
  /** Name of the entity as it was then; null without one. */
  entityName?: string | null | undefined;
  /** What kind of entity it is, such as `identity` or `servicePolicy`. */
  entityType: string;
  /** Id of the record. */
  id: string;
  /** What happened: the kind of entity and `created`, `updated` or `deleted`; or `login.succeeded`, `login.completed` (a second factor), `login.… */
  kind: string;
  /** Why something was refused, or why several were put into one record, as a code word; null for all else. */
  reason?: string | null | undefined;
  /** The request that it was done in, as its answer and the log have it; null where there was none. */
  requestId?: string | null | undefined;
}

/** Audit records. */
export type AuditRecordList = readonly AuditRecordDetail[];

/** An auth policy. */
export interface AuthPolicyDetail extends BaseEntity {
  /** Unique name. */
  name: string;
  primary: AuthPolicyPrimary;
  secondary: AuthPolicySecondary;
}

/** Auth policies. */
export type AuthPolicyList = readonly AuthPolicyDetail[];

/** How identities may log in. */
export interface AuthPolicyPrimary {
  cert: AuthPolicyPrimaryCert;
  extJwt: AuthPolicyPrimaryExtJwt;
  updb: AuthPolicyPrimaryUpdb;
}

/** Logins with a client certificate. */
export interface AuthPolicyPrimaryCert {
  /** Whether an expired certificate will do. */
  allowExpiredCerts: boolean;
  /** Whether such logins are allowed. */
  allowed: boolean;
}

/** Logins with a token of an external provider. */
export interface AuthPolicyPrimaryExtJwt {
  /** Whether such logins are allowed. */
  allowed: boolean;
  /** Ids of the external JWT signers whose tokens will do; empty: every enabled one. */
  allowedSigners: readonly string[];
}

/** Logins with username and password, and rules for new passwords. */
export interface AuthPolicyPrimaryUpdb {
  /** Whether such logins are allowed. */
  allowed: boolean;
  /** Minutes that an identity stays disabled after too many wrong passwords; 0 and below, which is kept as 0: until an administrator enables it. */
  lockoutDurationMinutes: number;
  /** Wrong passwords in a row that disable the identity; 0 and below, which is kept as 0: any number is allowed. */
  maxAttempts: number;
  /** Least number of characters of a new password; below 5 it is raised to 5, above 100 lowered to 100. */
  minPasswordLength: number;
  /** Whether a new password must have upper and lower case letters. */
  requireMixedCase: boolean;
  /** Whether a new password must have a digit. */
  requireNumberChar: boolean;
  /** Whether a new password must have a character that is no letter, digit or white space. */
  requireSpecialChar: boolean;
}

/** What is asked for after the login. */
export interface AuthPolicySecondary {
  /** Id of the external JWT signer whose token, in the name of the identity, must come with every request of a session; null: none. */
  requireExtJwtSigner?: string | null | undefined;
  /** Whether a code of an authenticator app is asked for. */
  requireTotp: boolean;
}

/** A second factor that a session still owes. */
export interface AuthQueryDetail {
  /** Client id to use at the provider, for `EXT-JWT`. */
  clientId?: string | undefined;
  format?: MfaFormats | undefined;
  /** HTTP method to answer with. */
  httpMethod?: string | undefined;
  /** Where to answer, relative to the root of the API, or where to obtain a token for `EXT-JWT`. */
  httpUrl?: string | undefined;
  /** Id of the external JWT signer, for `EXT-JWT`. */
  id?: string | undefined;
  /** Whether the identity has a verified TOTP enrollment to answer with. */
  isTotpEnrolled?: boolean | undefined;
  /** Most characters of an answer. */
  maxLength?: number | undefined;
  /** Fewest characters of an answer. */
  minLength?: number | undefined;
  provider: MfaProviders;
  /** Scopes to ask the provider for, for `EXT-JWT`. */
  scopes?: readonly string[] | undefined;
  typeId?: AuthQueryType | undefined;
}

/** Second factors that a session still owes; empty when it is fully authenticated. */
export type AuthQueryList = readonly AuthQueryDetail[];

/** Kind of the factor. */
export type AuthQueryType = 'MFA' | 'TOTP' | 'EXT-JWT';

/** A credential of an identity. */
export interface AuthenticatorDetail extends BaseEntity {
  /** The certificate in PEM, for `cert`. */
  certPem?: string | undefined;
  /** When an administrator asked for a renewal; null when none did. */
  extendRequestedAt?: string | null | undefined;
  /** SHA-1 of the certificate, lower-case hex. */
  fingerprint?: string | undefined;
  identity: EntityRef;
  /** Id of the identity that it belongs to. */
  identityId: string;
  /** Whether an administrator asks the client to renew the certificate. */
  isExtendRequested?: boolean | undefined;
  /** Whether the certificate was issued here. */
  isIssuedByNetwork?: boolean | undefined;
  /** Whether the renewal should use a new key. */
  isKeyRollRequested?: boolean | undefined;
  /** Whether the chain of the last login led to a trusted root. */
  lastAuthResolvedToRoot?: boolean | undefined;
  /** Whether the last renewal used a new key. */
  lastExtendRolledKeys?: boolean | undefined;
  /** `updb` or `cert`. */
  method: 'updb' | 'cert';
  /** The username, for `updb`. */
  username?: string | undefined;
}

/** Authenticators. */
export type AuthenticatorList = readonly AuthenticatorDetail[];

/** What every entity has. */
export interface BaseEntity {
  _links: Links;
  /** When the entity was created. */
  createdAt: string;
  /** Id of the entity; opaque, and unique among its kind. */
  id: string;
  tags?: SubTags | undefined;
  /** When the entity was last changed; every change raises it. */
  updatedAt: string;
}

/** A certificate authority of somebody else, whose certificates may enroll and log in. */
export interface CaDetail extends BaseEntity {
  /** Certificate of the CA, PEM. */
  certPem: string;
  externalIdClaim?: ExternalIdClaim | undefined;
  /** SHA-1 of the certificate in DER form, lower-case hex. */
  fingerprint: string;
  /** Name of identities that enroll by themselves, with the symbols `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`. */
  identityNameFormat: string;
  identityRoles: StoredAttributes;
  /** Whether certificates of the CA may log in. */
  isAuthEnabled: boolean;
  /** Whether certificates of the CA enroll new identities without a token. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether certificates of the CA enroll identities with a one-time token. */
  isOttCaEnrollmentEnabled: boolean;
  /** Whether control of the key has been proven. */
  isVerified: boolean;
  /** Name of the CA; unique. */
  name: string;
  /** Common name of the certificate that verifies the CA. */
  verificationToken?: string | undefined;
}

/** Certificate authorities. */
export type CaList = readonly CaDetail[];

/** Something that a controller may be able to do: `EDGE_CONTROLLER` serves these two APIs, `OIDC_AUTH` offers logins by OpenID Connect, `OIDC_… */
export type Capabilities = 'EDGE_CONTROLLER' | 'OIDC_AUTH' | 'OIDC_AUTH_WITH_CSR' | 'HA_CONTROLLER';

/** What everybody may know of an edge router. */
export interface CommonEdgeRouterProperties {
  appData?: AppData | undefined;
  /** What the router's program can do, as it said when it connected last; null until then. */
  capabilities?: readonly RouterCapability[] | null | undefined;
  /** What a path through the router costs; 0 when absent. */
  cost: number;
  /** Whether the router is out of service. */
  disabled: boolean;
  /** Name of the host that the router told of; empty until then. */
  hostname: string;
  /** Whether the router is connected to a controller. */
  isOnline: boolean;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal: boolean;
  /** By protocol, the address at which clients reach the router. */
  supportedProtocols: Record<string, string>;
  /** How far the router is told of the model; `SYNC_UNKNOWN` when it never connected. */
  syncStatus: string;
  /** Version of the router's program when it connected last, for clients; absent until then. */
  version?: string | undefined;
}

/** Data for a service or router, of a given type. */
export interface ConfigDetail extends BaseEntity {
  configType: EntityRef;
  /** Id of the type; cannot be changed later. */
  configTypeId: string;
  /** The data itself, as the schema of the type has it. */
  data: Record<string, unknown>;
  /** Name of the config; unique. */
  name: string;
}

/** Configs. */
export type ConfigList = readonly ConfigDetail[];

/** What configs of this type are for; `service` when nothing is said. */
export type ConfigTarget = 'service' | 'router' | 'other';

/** A kind of configs. */
export interface ConfigTypeDetail extends BaseEntity {
  /** Name of the type; unique. */
  name: string;
  /** JSON Schema that the data of configs has to follow; null when anything goes. */
  schema: Record<string, unknown> | null;
  target: ConfigTarget;
}

/** Config types. */
export type ConfigTypeList = readonly ConfigTypeDetail[];

/** A controller of the network. */
export interface ControllerDetail extends BaseEntity {
  apiAddresses?: ApiAddressList | undefined;
  /** Its certificate in PEM. */
  certPem: string;
  /** Address for routers, null when it takes none. */
  ctrlAddress?: string | null | undefined;
  /** SHA-1 of the certificate, lower-case hex. */
  fingerprint: string;
  /** Whether it gave a sign of life in the last four seconds. */
  isOnline: boolean;
  /** Whether it should lead a cluster. */
  isPreferredLeader?: boolean | undefined;
  /** When it last became part of the network. */
  lastJoinedAt: string;
  /** Name of the controller. */
  name: string;
}

/** The settings of one controller, or of all. */
export interface ControllerSettingDetail extends BaseEntity, ControllerSettings {}

/** What holds for a controller. */
export interface ControllerSettingEffective extends BaseEntity {
  effective: ControllerSettings;
  instance: ControllerSettings;
}

/** What can be set for controllers. */
export interface ControllerSettings {
  /** Where logins by OpenID Connect may lead. */
  oidc?: {
    /** Where a browser may be sent after a logout. */
    postLogoutUris?: readonly string[] | null | undefined;
    /** Where the answer to a login may be sent. */
    redirectUris?: readonly string[] | null | undefined;
  } | null | undefined;
}

/** Settings of controllers. */
export type ControllerSettingsList = readonly ControllerSettingDetail[];

/** Controllers. */
export type ControllersList = readonly ControllerDetail[];

/** Answer to the creation of an entity. */
export interface CreateEnvelope {
  data: CreateLocation;
  meta: Meta;
}

/** Where a new entity is. */
export interface CreateLocation {
  _links: Links;
  /** Id of the new entity. */
  id: string;
}

/** Answer with the id and the secret of a new webhook. */
export interface CreateWebhookEnvelope {
  data: WebhookCreated;
  meta: Meta;
}

/** An API session as its owner sees it. */
export interface CurrentApiSessionDetail extends ApiSessionDetail {
  /** Seconds without a use after which a session ends. */
  expirationSeconds: number;
  /** When the session ends unless it is used before. */
  expiresAt: string;
}

/** Answer with the caller's API session. */
export interface CurrentApiSessionDetailEnvelope {
  data: CurrentApiSessionDetail;
  meta: Meta;
}

/** Answer with the caller's identity. */
export interface CurrentIdentityDetailEnvelope {
  data: IdentityDetail;
  meta: Meta;
}

/** Something that is not as it should be. */
export interface DataIntegrityCheckDetail {
  /** What is wrong, with the ids that it concerns. */
  description: string;
  /** Whether this run has repaired it. */
  fixed: boolean;
}

/** What was found, in the order in which it was. */
export type DataIntegrityCheckDetailList = readonly DataIntegrityCheckDetail[];

/** A data integrity check. */
export interface DataIntegrityCheckDetails {
  /** When it ended; null before. */
  endTime: string | null;
  /** Why it did not get to its end; empty when it did. */
  error: string;
  /** Whether it repairs. */
  fixingErrors: boolean;
  /** Whether it is under way. */
  inProgress: boolean;
  results: DataIntegrityCheckDetailList;
  /** When it began; null when there never was one. */
  startTime: string | null;
  /** Whether it stopped at 1000 findings; another run goes on. */
  tooManyErrors: boolean;
}

/** Answer with the results of a data integrity check. */
export interface DataIntegrityCheckResultEnvelope {
  data: DataIntegrityCheckDetails;
  meta: Meta;
}

/** Answer with one API session. */
export interface DetailApiSessionEnvelope {
  data: ApiSessionDetail;
  meta: Meta;
}

/** Answer with one audit record. */
export interface DetailAuditEnvelope {
  data: AuditRecordDetail;
  meta: Meta;
}

/** Answer with one auth policy. */
export interface DetailAuthPolicyEnvelope {
  data: AuthPolicyDetail;
  meta: Meta;
}

/** Answer with one authenticator. */
export interface DetailAuthenticatorEnvelope {
  data: AuthenticatorDetail;
  meta: Meta;
}

/** Answer with one certificate authority. */
export interface DetailCaEnvelope {
  data: CaDetail;
  meta: Meta;
}

/** Answer with one config. */
export interface DetailConfigEnvelope {
  data: ConfigDetail;
  meta: Meta;
}

/** Answer with one config type. */
export interface DetailConfigTypeEnvelope {
  data: ConfigTypeDetail;
  meta: Meta;
}

/** Answer with the settings in effect. */
export interface DetailControllerSettingEffectiveEnvelope {
  data: ControllerSettingEffective;
  meta: Meta;
}

/** Answer with settings of one controller. */
export interface DetailControllerSettingEnvelope {
  data: ControllerSettingDetail;
  meta: Meta;
}

/** Answer with one edge router policy. */
export interface DetailEdgeRouterPolicyEnvelope {
  data: EdgeRouterPolicyDetail;
  meta: Meta;
}

/** Answer with one enrollment. */
export interface DetailEnrollmentEnvelope {
  data: EnrollmentDetail;
  meta: Meta;
}

/** Answer with one external JWT signer. */
export interface DetailExternalJwtSignerEnvelope {
  data: ExternalJwtSignerDetail;
  meta: Meta;
}

/** Answer with one identity. */
export interface DetailIdentityEnvelope {
  data: IdentityDetail;
  meta: Meta;
}

/** Answer with one identity type. */
export interface DetailIdentityTypeEnvelope {
  data: IdentityTypeDetail;
  meta: Meta;
}

/** The TOTP enrollment of an identity. */
export interface DetailMfa extends BaseEntity {
  /** Whether a code has verified it; only then codes are asked for. */
  isVerified: boolean;
  /** The secret for authenticator apps, an `otpauth` URL; absent once it is verified. */
  provisioningUrl?: string | undefined;
  /** Codes that each replace one TOTP code, 16 characters of base32; absent once it is verified. */
  recoveryCodes?: readonly string[] | undefined;
}

/** Answer with the state of the TOTP enrollment. */
export interface DetailMfaEnvelope {
  data: DetailMfa;
  meta: Meta;
}

/** The recovery codes of a TOTP enrollment. */
export interface DetailMfaRecoveryCodes extends BaseEntity {
  /** Those that are not used yet, sorted; each replaces one TOTP code. */
  recoveryCodes: readonly string[];
}

/** Answer with the recovery codes. */
export interface DetailMfaRecoveryCodesEnvelope {
  data: DetailMfaRecoveryCodes;
  meta: Meta;
}

/** Answer with one posture check. */
export interface DetailPostureCheckEnvelope {
  data: PostureCheckDetail;
  meta: Meta;
}

/** Answer with one posture check type. */
export interface DetailPostureCheckTypeEnvelope {
  data: PostureCheckTypeDetail;
  meta: Meta;
}

/** Answer with one revocation. */
export interface DetailRevocationEnvelope {
  data: RevocationDetail;
  meta: Meta;
}

/** Answer with one router. */
export interface DetailRouterEnvelope {
  data: RouterDetail;
  meta: Meta;
}

/** Answer with one service edge router policy. */
export interface DetailServiceEdgePolicyEnvelope {
  data: ServiceEdgeRouterPolicyDetail;
  meta: Meta;
}

/** Answer with one service. */
export interface DetailServiceEnvelope {
  data: ServiceDetail;
  meta: Meta;
}

/** Answer with one service policy. */
export interface DetailServicePolicyEnvelop {
  data: ServicePolicyDetail;
  meta: Meta;
}

/** Answer with one session. */
export interface DetailSessionManagementEnvelope {
  data: SessionManagementDetail;
  meta: Meta;
}

/** Answer with the path of a session. */
export interface DetailSessionRoutePathEnvelope {
  data: SessionRoutePathDetail;
  meta: Meta;
}

/** Answer with one entry of the API documents. */
export interface DetailSpecEnvelope {
  data: SpecDetail;
  meta: Meta;
}

/** Answer with one terminator. */
export interface DetailTerminatorEnvelope {
  data: TerminatorDetail;
  meta: Meta;
}

/** Answer with one webhook. */
export interface DetailWebhookEnvelope {
  data: WebhookDetail;
  meta: Meta;
}

/** Answer with one edge router. */
export interface DetailedEdgeRouterEnvelope {
  data: EdgeRouterDetail;
  meta: Meta;
}

/** Whether traffic is sent to a service (`Dial`) or served (`Bind`). */
export type DialBind = 'Dial' | 'Bind' | 'Invalid';

/** What the caller may do with a service. */
export type DialBindArray = readonly DialBind[];

/** A router at the edge of the network, through which identities reach services. */
export interface EdgeRouterDetail extends BaseEntity, CommonEdgeRouterProperties {
  /** The bits of what the router's program can do, those for controllers alone included; absent when there are none. */
  capabilitiesMask?: number | undefined;
  /** Its certificate chain in PEM; null until it has enrolled. */
  certPem: string | null;
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: readonly string[] | undefined;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, readonly string[]> | undefined;
  /** When its enrollment was made; absent once it has enrolled. */
  enrollmentCreatedAt?: string | null | undefined;
  /** When its enrollment expires; absent once it has enrolled. */
  enrollmentExpiresAt?: string | null | undefined;
  /** JWT that carries the enrollment token and the address of the controller, for the router; absent once it has enrolled, and for callers with… */
  enrollmentJwt?: string | null | undefined;
  /** Token of its enrollment; absent once it has enrolled, and for callers with neither `router.create` nor `router.update`. */
  enrollmentToken?: string | null | undefined;
  /** SHA-1 of its certificate, lower-case hex; null until it has enrolled. */
  fingerprint?: string | null | undefined;
  /** Network interfaces that the router told of. */
  interfaces?: readonly Interface[] | undefined;
  /** Whether the router has a tunneler, and with it an identity and an edge router policy of its own id. */
  isTunnelerEnabled: boolean;
  /** Whether the router has enrolled. */
  isVerified: boolean;
  /** Host names and addresses that the router asked for in its last request for certificates, and that its certificate does not have. */
  namesLeftOut?: readonly string[] | undefined;
  roleAttributes: StoredAttributes;
  /** Certificate that the router has asked for and not yet used; null without one. */
  unverifiedCertPem: string | null;
  /** SHA-1 of the certificate that it has not yet used; null without one. */
  unverifiedFingerprint: string | null;
  versionInfo?: VersionInfo | undefined;
}

/** Edge routers. */
export type EdgeRouterList = readonly EdgeRouterDetail[];

/** A rule that lets identities use edge routers. */
export interface EdgeRouterPolicyDetail extends BaseEntity {
  edgeRouterRoles: Roles;
  edgeRouterRolesDisplay: NamedRoles;
  identityRoles: Roles;
  identityRolesDisplay: NamedRoles;
  /** Whether the policy belongs to the tunneler of a router; it can then neither be changed nor deleted. */
  isSystem: boolean;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
}

/** Edge router policies. */
export type EdgeRouterPolicyList = readonly EdgeRouterPolicyDetail[];

/** Answer without content, to a change or a deletion. */
export interface Empty {
  /** Empty. */
  data: Record<string, unknown>;
  meta: Meta;
}

/** An enrollment that has not been redeemed. */
export interface EnrollmentDetail extends BaseEntity {
  ca?: EntityRef | undefined;
  /** Id of the CA, for `ottca`; null otherwise. */
  caId?: string | null | undefined;
  edgeRouter?: EntityRef | undefined;
  /** Id of the edge router that enrolls. */
  edgeRouterId?: string | undefined;
  /** When the token expires; has to be in the future when it is set. */
  expiresAt: string;
  identity?: EntityRef | undefined;
  /** Id of the identity that enrolls. */
  identityId?: string | undefined;
  /** JWT that carries the token and the controller's address, for the client; absent for callers who may not make such an enrollment. */
  jwt?: string | undefined;
  /** How the identity or router enrolls; `erott` and `trott` are those of routers. */
  method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
  /** The token alone; empty for callers who may not make such an enrollment. */
  token: string;
  transitRouter?: EntityRef | undefined;
  /** Id of the router that enrolls. */
  transitRouterId?: string | undefined;
  /** Username that will be set, for `updb`. */
  username?: string | undefined;
}

/** Enrollments. */
export type EnrollmentList = readonly EnrollmentDetail[];

/** Reference to another entity. */
export interface EntityRef {
  _links?: Links | undefined;
  /** The collection that the entity is in. */
  entity?: string | undefined;
  /** Id of the entity. */
  id?: string | undefined;
  /** Name of the entity, where it has one. */
  name?: string | undefined;
}

/** The environment that a client runs in, as it told at its last login. */
export interface EnvInfo {
  /** Processor architecture. */
  arch?: string | null | undefined;
  /** Domain that the device belongs to. */
  domain?: string | null | undefined;
  /** Name of the host. */
  hostname?: string | null | undefined;
  /** Operating system. */
  os?: string | null | undefined;
  /** Release of the operating system. */
  osRelease?: string | null | undefined;
  /** Version of the operating system. */
  osVersion?: string | null | undefined;
}

/** Where in a certificate the `externalId` of its identity stands. */
export interface ExternalIdClaim {
  /** Which of the values, from 0. */
  index: number;
  /** Which names of the certificate are looked at, the common names of the subject, or URIs or e-mail addresses among its alternative names. */
  location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL';
  /** Which of the names count, that is all, those with a prefix or suffix (common names and e-mail addresses), or those with a scheme (URIs). */
  matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME';
  /** The prefix or suffix, which is cut off, or the scheme, which stays; not needed for `ALL`. */
  matcherCriteria: string;
  /** What becomes of a name. */
  parser: 'NONE' | 'SPLIT';
  /** Where `SPLIT` cuts; not needed for `NONE`. */
  parserCriteria: string;
}

/** An external JWT signer. */
export interface ExternalJwtSignerDetail extends BaseEntity {
  /** What the `aud` of a token must contain. */
  audience: string;
  /** One certificate in PEM form, whose key signs the tokens; its dates do not matter. */
  certPem: string | null;
  /** JSON pointer to the claim that names the identity; a bare name is that of a top-level claim. */
  claimsProperty: string;
  /** Client id by which clients ask the provider for tokens. */
  clientId: string;
  /** Common name of the certificate; empty without one. */
  commonName: string;
  /** Whether its tokens are accepted. */
  enabled: boolean;
  /** JSON pointer to the claim with the role attributes of identities that enroll by a token. */
  enrollAttributeClaimsSelector?: string | undefined;
  /** Id of the auth policy of identities that enroll by a token. */
  enrollAuthPolicyId?: string | undefined;
  /** JSON pointer to the claim with the name of identities that enroll by a token. */
  enrollNameClaimsSelector?: string | undefined;
  /** Whether a token enrolls a new identity that logs in with a certificate. */
  enrollToCertEnabled?: boolean | undefined;
  /** Whether a token enrolls a new identity that logs in with tokens. */
  enrollToTokenEnabled?: boolean | undefined;
  /** Where users get a token, an `http` or `https` URL; null when it is not said. */
  externalAuthUrl: string | null;
  /** SHA-1 of the certificate's DER in lower-case hex; empty without one. */
  fingerprint: string;
  /** What the `iss` of a token must be; unique. */
  issuer: string;
  /** Where the provider publishes its keys (JWKS), an `http` or `https` URL. */
  jwksEndpoint: string | null;
  /** What the `kid` of a token must be when the key is that of `certPem`; without it any will do. */
  kid: string;
  /** Unique name. */
  name: string;
  /** Until when the certificate is valid; null without one. */
  notAfter: string | null;
  /** From when the certificate is valid; null without one. */
  notBefore: string | null;
  /** Scopes that clients ask the provider for. */
  scopes: readonly string[];
  targetToken: TargetToken;
  /** Whether the claim holds the `externalId` of the identity; else it holds its id. */
  useExternalId: boolean;
}

/** External JWT signers. */
export type ExternalJwtSignerList = readonly ExternalJwtSignerDetail[];

/** A session that was refused because posture checks failed. */
export interface FailedServiceRequest {
  /** Id of the API session; it may have ended since. */
  apiSessionId?: string | undefined;
  /** All policies that could have granted it. */
  policyFailures?: readonly PolicyFailure[] | undefined;
  /** Id of the service; it may be deleted since. */
  serviceId?: string | undefined;
  /** Name that the service had. */
  serviceName?: string | undefined;
  sessionType?: DialBind | undefined;
  /** When it was refused. */
  when?: string | undefined;
}

/** Answer with service requests that failed. */
export interface FailedServiceRequestEnvelope {
  data: FailedServiceRequestList;
  meta: Meta;
}

/** Service requests that failed, the latest first. */
export type FailedServiceRequestList = readonly FailedServiceRequest[];

/** Answer with the advice. */
export interface GetIdentityPolicyAdviceEnvelope {
  data: PolicyAdvice;
  meta: Meta;
}

/** The authenticators of an identity, one of each method. */
export interface IdentityAuthenticators {
  /** A certificate. */
  cert?: {
    /** SHA-1 of the certificate, lower-case hex. */
    fingerprint?: string | undefined;
    /** Id of the authenticator. */
    id?: string | undefined;
  } | undefined;
  /** A username and password. */
  updb?: {
    /** Id of the authenticator. */
    id?: string | undefined;
    /** The username. */
    username?: string | undefined;
  } | undefined;
}

/** An identity. */
export interface IdentityDetail extends BaseEntity {
  appData?: AppData | undefined;
  authPolicy: EntityRef;
  /** Id of the auth policy; the policy `default` when absent, null or empty. */
  authPolicyId: string;
  authenticators: IdentityAuthenticators;
  defaultHostingCost: TerminatorCost;
  defaultHostingPrecedence?: TerminatorPrecedence | undefined;
  /** Whether the identity is disabled and cannot log in. */
  disabled: boolean;
  /** When it was disabled; null when it is not. */
  disabledAt?: string | null | undefined;
  /** When the disabled state ends; null when it is not disabled or has no end. */
  disabledUntil?: string | null | undefined;
  /** Whether the identity is connected to an edge router, as far as is known. */
  edgeRouterConnectionStatus: 'online' | 'offline' | 'unknown';
  enrollment: IdentityEnrollments;
  envInfo: EnvInfo;
  /** Id of the identity in the claims of external JWTs and certificates; unique. */
  externalId: string | null;
  /** Whether it has an API session. */
  hasApiSession: boolean;
  /** Whether it is connected to an edge router. */
  hasEdgeRouterConnection: boolean;
  /** Network interfaces that its client reported. */
  interfaces?: readonly Interface[] | undefined;
  /** Whether the identity may use the whole management API. */
  isAdmin: boolean;
  /** Whether this is the administrator that was made with the network. */
  isDefaultAdmin: boolean;
  /** Whether it has a verified TOTP enrollment. */
  isMfaEnabled: boolean;
  /** Name of the identity; unique. */
  name: string;
  permissions: Permissions;
  roleAttributes: StoredAttributes;
  sdkInfo: SdkInfo;
  serviceHostingCosts: TerminatorCostMap;
  serviceHostingPrecedences: TerminatorPrecedenceMap;
  type: EntityRef;
  /** Id of the type. */
  typeId: string;
}

/** The outstanding enrollments of an identity, by method. */
export interface IdentityEnrollments {
  /** Enrollment by one-time token. */
  ott?: {
    /** When the token expires. */
    expiresAt?: string | undefined;
    /** Id of the enrollment. */
    id?: string | undefined;
    /** JWT that carries the token, for the client; absent where it is not shown. */
    jwt?: string | undefined;
    /** The token alone; empty where it is not shown. */
    token?: string | undefined;
  } | undefined;
  /** Enrollment by one-time token and a certificate of a given CA. */
  ottca?: {
    ca?: EntityRef | undefined;
    /** Id of the CA. */
    caId?: string | undefined;
    /** When the token expires. */
    expiresAt?: string | undefined;
    /** Id of the enrollment. */
    id?: string | undefined;
    /** JWT that carries the token, for the client; absent where it is not shown. */
    jwt?: string | undefined;
    /** The token alone; empty where it is not shown. */
    token?: string | undefined;
  } | undefined;
  /** Enrollment that sets a password. */
  updb?: {
    /** When the token expires. */
    expiresAt?: string | undefined;
    /** Id of the enrollment. */
    id?: string | undefined;
    /** JWT that carries the token, for the client; absent where it is not shown. */
    jwt?: string | undefined;
    /** The token alone; empty where it is not shown. */
    token?: string | undefined;
  } | undefined;
}

/** A renewed certificate. */
export interface IdentityExtendCerts {
  /** The certificates by which to know this network, in PEM. */
  ca?: string | undefined;
  /** The new certificate and the intermediates above it, in PEM. */
  clientCert?: string | undefined;
}

/** Answer with a renewed certificate. */
export interface IdentityExtendEnrollmentEnvelope {
  data: IdentityExtendCerts;
  meta: Meta;
}

/** Identities. */
export type IdentityList = readonly IdentityDetail[];

/** A type of identities. */
export interface IdentityTypeDetail extends BaseEntity {
  /** Name of the type. */
  name?: string | undefined;
}

/** Identity types. */
export type IdentityTypeList = readonly IdentityTypeDetail[];

/** A network interface. */
export interface Interface {
  /** Addresses with their prefix lengths. */
  addresses?: readonly string[] | undefined;
  /** Hardware address. */
  hardwareAddress: string;
  /** Number of the interface on its host. */
  index: number;
  /** Whether it can broadcast. */
  isBroadcast: boolean;
  /** Whether it is a loopback interface. */
  isLoopback: boolean;
  /** Whether it can multicast. */
  isMulticast: boolean;
  /** Whether it is running. */
  isRunning: boolean;
  /** Whether it is up. */
  isUp: boolean;
  /** Largest packet, in bytes. */
  mtu: number;
  /** Name of the interface on its host. */
  name: string;
}

/** Where to find something related. */
export interface Link {
  /** A remark on the link. */
  comment?: string | undefined;
  /** Address, relative to the root of the API. */
  href: string;
  /** HTTP method to use; GET when absent. */
  method?: string | undefined;
}

/** Links to the entity itself (`self`) and to what belongs to it, by name. */
export type Links = Record<string, Link>;

/** Answer with one page of API sessions. */
export interface ListApiSessionsEnvelope {
  data: ApiSessionList;
  meta: Meta;
}

/** Answer with one page of audit records. */
export interface ListAuditEnvelope {
  data: AuditRecordList;
  meta: Meta;
}

/** Answer with one page of auth policies. */
export interface ListAuthPoliciesEnvelope {
  data: AuthPolicyList;
  meta: Meta;
}

/** Answer with one page of authenticators. */
export interface ListAuthenticatorsEnvelope {
  data: AuthenticatorList;
  meta: Meta;
}

/** Answer with one page of certificate authorities. */
export interface ListCasEnvelope {
  data: CaList;
  meta: Meta;
}

/** Answer with one page of config types. */
export interface ListConfigTypesEnvelope {
  data: ConfigTypeList;
  meta: Meta;
}

/** Answer with one page of configs. */
export interface ListConfigsEnvelope {
  data: ConfigList;
  meta: Meta;
}

/** Answer with one page of settings of controllers. */
export interface ListControllerSettingEnvelope {
  data: ControllerSettingsList;
  meta: Meta;
}

/** Answer with one page of controllers. */
export interface ListControllersEnvelope {
  data: ControllersList;
  meta: Meta;
}

/** Answer with one page of edge router policies. */
export interface ListEdgeRouterPoliciesEnvelope {
  data: EdgeRouterPolicyList;
  meta: Meta;
}

/** Answer with one page of edge routers. */
export interface ListEdgeRoutersEnvelope {
  data: EdgeRouterList;
  meta: Meta;
}

/** Answer with one page of enrollments. */
export interface ListEnrollmentsEnvelope {
  data: EnrollmentList;
  meta: Meta;
}

/** Answer with the names of the capabilities. */
export interface ListEnumeratedCapabilitiesEnvelope {
  /** The names of the capabilities. */
  data: readonly Capabilities[];
  meta: Meta;
}

/** Answer with the names of all capabilities of routers. */
export interface ListEnumeratedRouterCapabilitiesEnvelope {
  /** Capabilities. */
  data: readonly RouterCapability[];
  meta: Meta;
}

/** Answer with one page of external JWT signers. */
export interface ListExternalJwtSignersEnvelope {
  data: ExternalJwtSignerList;
  meta: Meta;
}

/** Answer with one page of identities. */
export interface ListIdentitiesEnvelope {
  data: IdentityList;
  meta: Meta;
}

/** Answer with one page of identity types. */
export interface ListIdentityTypesEnvelope {
  data: IdentityTypeList;
  meta: Meta;
}

/** Answer with one page of what is reached. */
export interface ListNetworkAccessReachedEnvelope {
  data: NetworkAccessReachedList;
  meta: Meta;
}

/** Answer with the tokens that describe the network. */
export interface ListNetworkJWTsEnvelope {
  data: NetworkJWTList;
  meta: Meta;
}

/** Answer with one page of posture checks. */
export interface ListPostureCheckEnvelope {
  /** The posture checks. */
  data: readonly PostureCheckDetail[];
  meta: Meta;
}

/** Answer with one page of posture check types. */
export interface ListPostureCheckTypesEnvelope {
  data: PostureCheckTypeList;
  meta: Meta;
}

/** Answer with one page of revocations. */
export interface ListRevocationsEnvelope {
  data: RevocationList;
  meta: Meta;
}

/** Answer with one page of role attributes and their uses. */
export interface ListRoleAttributeUsagesEnvelope {
  data: RoleAttributeUsageList;
  meta: Meta;
}

/** Answer with one page of role attributes. */
export interface ListRoleAttributesEnvelope {
  data: RoleAttributesList;
  meta: Meta;
}

/** Answer with one page of routers. */
export interface ListRoutersEnvelope {
  data: RouterList;
  meta: Meta;
}

/** Answer with one page of service configs. */
export interface ListServiceConfigsEnvelope {
  data: ServiceConfigList;
  meta: Meta;
}

/** Answer with one page of service edge router policies. */
export interface ListServiceEdgeRouterPoliciesEnvelope {
  data: ServiceEdgeRouterPolicyList;
  meta: Meta;
}

/** Answer with one page of service policies. */
export interface ListServicePoliciesEnvelope {
  data: ServicePolicyList;
  meta: Meta;
}

/** Answer with one page of services. */
export interface ListServicesEnvelope {
  data: ServiceList;
  meta: Meta;
}

/** Answer with one page of sessions. */
export interface ListSessionsManagementEnvelope {
  data: SessionManagementList;
  meta: Meta;
}

/** Answer with the API documents. */
export interface ListSpecsEnvelope {
  data: SpecList;
  meta: Meta;
}

/** Number of entities by their kind; 0 for a kind that there is none of. */
export type ListSummaryCounts = Record<string, number>;

/** Answer with the number of entities. */
export interface ListSummaryCountsEnvelope {
  data: ListSummaryCounts;
  meta: Meta;
}

/** Answer with one page of terminators. */
export interface ListTerminatorsEnvelope {
  data: TerminatorList;
  meta: Meta;
}

/** Answer with one page of unused identities. */
export interface ListUnusedIdentitiesEnvelope {
  data: UnusedIdentityList;
  meta: Meta;
}

/** Answer with one page of unused services. */
export interface ListUnusedServicesEnvelope {
  data: UnusedServiceList;
  meta: Meta;
}

/** Answer with the version of the controller. */
export interface ListVersionEnvelope {
  data: Version;
  meta: Meta;
}

/** Answer with one page of dead letters. */
export interface ListWebhookDeadLettersEnvelope {
  data: WebhookDeadLetterList;
  meta: Meta;
}

/** Answer with one page of webhooks. */
export interface ListWebhooksEnvelope {
  data: WebhookList;
  meta: Meta;
}

/** Data about the answer. */
export interface Meta {
  /** Version of the enrollment procedures. */
  apiEnrollmentVersion: string;
  /** Version of the API. */
  apiVersion: string;
  /** Names that `filter` and `sort` of this list know, in no particular order. */
  filterableFields?: readonly string[] | undefined;
  pagination?: Pagination | undefined;
}

/** Characters that an answer consists of. */
export type MfaFormats = 'numeric' | 'alpha' | 'alphaNumeric';

/** Who checks the answer, the controller itself or an external provider. */
export type MfaProviders = 'ziti' | 'url';

/** A selector as people want to see it. */
export interface NamedRole {
  /** The selector with the entity's name in place of its id. */
  name?: string | undefined;
  /** The selector as it is stored. */
  role?: string | undefined;
}

/** The selectors of a role list with names for ids, in the same order. */
export type NamedRoles = readonly NamedRole[];

/** Who reaches what, in three columns with edges between them. */
export interface NetworkAccess {
  /** The moment at which it was so. */
  asOf: string;
  /** What the caller may not read, and what is left aside for that. */
  hidden: readonly NetworkAccessHidden[];
  /** The first column. */
  identities: readonly NetworkAccessGroup[];
  /** Which group of identities has which policy. */
  identityEdges: readonly NetworkAccessEdge[];
  leftOut: NetworkAccessLeftOut;
  /** The second column. */
  policies: readonly NetworkAccessPolicy[];
  /** Which group of identities reaches which group of services, over all policies together. */
  reaches: readonly NetworkAccessReach[];
  /** Which policy gives which group of services. */
  serviceEdges: readonly NetworkAccessEdge[];
  /** The third column. */
  services: readonly NetworkAccessGroup[];
  type: DialBind;
}

/** One cause, and how many pairs it stops; the first link of the chain that stops a pair counts. */
export interface NetworkAccessCause {
  /** The cause, as in an explanation. */
  cause: 'IDENTITY_DISABLED' | 'POSTURE' | 'NO_COMMON_ROUTER' | 'ROUTERS_OFFLINE' | 'NO_TERMINATOR' | 'ONLY_NAMED_TERMINATORS' | 'TERMINATORS_OFFLINE' | 'NO_PATH';
  /** Number of pairs. */
  pairs: number;
}

/** Pairs of an identity and a service, by what becomes of a dial. */
export interface NetworkAccessCounts {
  /** Pairs that nothing stops. */
  allowed: number;
  /** Causes that stop some of them, in the order in which a dial meets them. */
  causes: readonly NetworkAccessCause[];
  /** All pairs. */
  pairs: number;
  /** Pairs that nothing stops that the caller may read, while something is hidden. */
  unknown: number;
}

/** A connection of a group and a policy. */
export interface NetworkAccessEdge {
  counts?: NetworkAccessCounts | undefined;
  /** Number of entities of the group that the policy selects; not there for who may not know it. */
  entities?: number | undefined;
  /** Key of the group. */
  group: string;
  /** Id of the service policy. */
  policyId: string;
  state: NetworkAccessState;
}

/** Answer with the picture. */
export interface NetworkAccessEnvelope {
  data: NetworkAccess;
  meta: Meta;
}

/** A group of identities or of services. */
export interface NetworkAccessGroup {
  /** Number of entities in it; not there for who may not know it. */
  entities?: number | undefined;
  /** Id of the entity, of a group that is one. */
  id?: string | undefined;
  /** Key that edges name it by. */
  key: string;
  /** `all` entities; those with the attributes of a `role`; one `entity`; or single entities that the caller may not read, all of them in one gr… */
  kind: 'all' | 'role' | 'entity' | 'hidden';
  /** Name of the entity, of a group that is one. */
  name?: string | undefined;
  /** Roles that select its entities, all of them together. */
  roles: readonly string[];
}

/** `identities`, `services`: names and counts; the others are links of the chain. */
export type NetworkAccessHidden = 'identities' | 'services' | 'posture' | 'routers' | 'terminators' | 'path';

/** What there is beyond what is shown. */
export interface NetworkAccessLeftOut {
  /** Groups of identities. */
  identities: number;
  /** Edges between groups of identities and policies that are shown. */
  identityEdges: number;
  /** Policies. */
  policies: number;
  /** Pairs of groups that are shown. */
  reaches: number;
  /** Edges between policies and groups of services that are shown. */
  serviceEdges: number;
  /** Groups of services. */
  services: number;
}

/** A service policy. */
export interface NetworkAccessPolicy {
  counts?: NetworkAccessCounts | undefined;
  /** Id of the service policy. */
  id: string;
  /** Number of identities that it selects, of those that are looked at; not there for who may not know it. */
  identities?: number | undefined;
  /** Name of the service policy. */
  name: string;
  /** Number of posture checks that it asks for; not there for who may not know it. */
  postureChecks?: number | undefined;
  semantic: Semantic;
  /** Number of services that it selects, of those that are looked at; not there for who may not know it. */
  services?: number | undefined;
  state: NetworkAccessState;
}

/** What becomes of dials from one group of identities to one group of services. */
export interface NetworkAccessReach {
  counts?: NetworkAccessCounts | undefined;
  /** Key of the group of identities. */
  identities: string;
  /** Key of the group of services. */
  services: string;
  state: NetworkAccessState;
}

/** An identity that reaches a service, or a service that an identity reaches, with what stops it. */
export interface NetworkAccessReached {
  /** What stops it, the first link of the chain; null when nothing does. */
  cause: 'IDENTITY_DISABLED' | 'POSTURE' | 'NO_COMMON_ROUTER' | 'ROUTERS_OFFLINE' | 'NO_TERMINATOR' | 'ONLY_NAMED_TERMINATORS' | 'TERMINATORS_OFFLINE' | 'NO_PATH' | null;
  /** Id of the identity or the service. */
  id: string;
  /** Name of the identity or the service. */
  name: string;
  /** `unreachable`: without router or host; `unknown`: nothing stops it that the caller may read. */
  state: 'allowed' | 'disabled' | 'posture' | 'unreachable' | 'unknown';
}

/** What is reached, or who reaches it. */
export type NetworkAccessReachedList = readonly NetworkAccessReached[];

/** State of all its pairs: `posture`: stopped by posture checks; `unreachable`: without router or host; `unknown`: nothing stops them that the… */
export type NetworkAccessState = 'allowed' | 'disabled' | 'posture' | 'unreachable' | 'unknown' | 'mixed' | 'empty';

/** Snapshots that this controller keeps. */
export interface NetworkBackups {
  /** Whether this controller makes them by itself. */
  isScheduled: boolean;
  /** When the latest was made; null for none. */
  latestAt: string | null;
}

/** Certificates of one kind. */
export interface NetworkCertificates {
  /** When the first of them ends, within 30 days if it is of a router, an identity or a CA; null for none. */
  endsAt: string | null;
  /** The network's own three, those of routers, those that identities log in with, and other CAs. */
  kind: 'root' | 'intermediate' | 'server' | 'router' | 'identity' | 'ca';
  /** Number of those that end within 30 days. */
  soonCount: number;
}

/** Controllers of the network. */
export interface NetworkControllers {
  /** The controllers, by name, the first hundred. */
  items: readonly NetworkControllersItem[];
  /** Number of those that show signs of life. */
  live: number;
  /** Number of controllers. */
  total: number;
}

/** One controller. */
export interface NetworkControllersItem {
  /** Id of the controller. */
  id: string;
  /** Whether it shows signs of life. */
  isLive: boolean;
  /** When it was last seen. */
  lastSeenAt: string;
  /** Name of the controller. */
  name: string;
}

/** Numbers of entities. */
export interface NetworkCounts {
  /** API sessions. */
  apiSessions: number;
  /** Circuits that controllers have, by their last sign of life. */
  circuits: number;
  /** Identities. */
  identities: number;
  /** Services. */
  services: number;
  /** Rights to dial or bind one service that are in use. */
  sessions: number;
  /** Terminators. */
  terminators: number;
}

/** Dials of the last hour, or of the last five minutes, as controllers wrote them, which they do once a minute. */
export interface NetworkDials {
  /** Dials, those that failed included. */
  dials: number;
  /** Dials that failed. */
  failedDials: number;
  /** When the time began. */
  since: string;
}

/** One finding about this controller. */
export interface NetworkFinding {
  /** What was looked at. */
  check: string;
  /** Remedy for a fault or a warning. */
  fix?: string | undefined;
  /** How bad it is. */
  level: 'ok' | 'warning' | 'fault';
  /** What was found, in one sentence. */
  message: string;
}

/** A token that describes the network. */
export interface NetworkJWT {
  /** Name of the token. */
  name: string;
  /** A JWT, signed with the key of the controller's TLS certificate, that carries the controller's address. */
  token: string;
}

/** Tokens that describe the network. */
export type NetworkJWTList = readonly NetworkJWT[];

/** Links between routers. */
export interface NetworkLinks {
  /** Number of links that are up. */
  total: number;
}

/** State of the network at a glance. */
export interface NetworkOverview {
  /** The moment at which it was so. */
  asOf: string;
  backups?: NetworkBackups | undefined;
  /** Certificates by kind; a kind of which there are none is left out. */
  certificates?: readonly NetworkCertificates[] | undefined;
  controllers: NetworkControllers;
  counts: NetworkCounts;
  dialsLastHour: NetworkDials;
  dialsNow: NetworkDials;
  /** What `edge-controller doctor` would say of this controller, the worst first. */
  findings?: readonly NetworkFinding[] | undefined;
  /** Parts that the caller may not read. */
  hidden: readonly ('routers' | 'links' | 'certificates' | 'findings' | 'backups')[];
  links?: NetworkLinks | undefined;
  routers?: NetworkRouters | undefined;
  /** Since when it is kept which identities and services are used. */
  usesKnownSince: string;
}

/** Answer with the state of the network. */
export interface NetworkOverviewEnvelope {
  data: NetworkOverview;
  meta: Meta;
}

/** Routers of the network. */
export interface NetworkRouters {
  /** Number of those that are disabled. */
  disabled: number;
  /** Number of those that are connected to a controller. */
  online: number;
  /** Number of routers. */
  total: number;
}

/** Traffic and dials of the last hours. */
export interface NetworkUsage {
  /** Sums of each hour, the oldest first; one without traffic has zeros. */
  hours: readonly NetworkUsageHour[];
  /** What is summed up. */
  kind: 'service' | 'router' | 'link';
  /** The beginning of the first hour. */
  since: string;
  /** Those that had the most over all hours. */
  top: readonly NetworkUsageSum[];
}

/** Bytes from clients to hosts of a service, into the network at a router, from the dialing end of a link. */
export type NetworkUsageBytesIn = number;

/** Bytes the other way. */
export type NetworkUsageBytesOut = number;

/** Answer with traffic and dials. */
export interface NetworkUsageEnvelope {
  data: NetworkUsage;
  meta: Meta;
}

/** Sums of one hour. */
export interface NetworkUsageHour {
  bytesIn: NetworkUsageBytesIn;
  bytesOut: NetworkUsageBytesOut;
  /** Dials, those that failed included. */
  dials: number;
  /** Dials that failed. */
  failedDials: number;
  /** The beginning of the hour. */
  hour: string;
}

/** Sums of one service, router or link. */
export interface NetworkUsageSum {
  bytesIn: NetworkUsageBytesIn;
  bytesOut: NetworkUsageBytesOut;
  /** Dials, those that failed included. */
  dials: number;
  /** Dials that failed. */
  failedDials: number;
  /** Id of the service, the router or the link. */
  id: string;
  /** Name of it; not there for links, for what is gone, and for who may not read it. */
  name?: string | undefined;
}

/** An operating system and the versions of it that are meant. */
export interface OperatingSystem {
  type: OsType;
  /** Ranges of semantic versions, one of which has to match; empty for any version. */
  versions: readonly string[];
}

/** Name of an operating system. */
export type OsType = 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';

/** Which part of a list the answer holds. */
export interface Pagination {
  /** true when at least totalCount items match, and more were not counted. */
  isTotalCountMinimum?: boolean | undefined;
  /** The limit that was really used; 9007199254740991 when there was none. */
  limit: number;
  /** Number of items left out at the start. */
  offset: number;
  /** Number of items that match, on all pages together. */
  totalCount: number;
}

/** What an identity that is no administrator may administer: an entity for every action on it, an entity and one action, or `admin_readonly` f… */
export type Permissions = readonly ('admin_readonly' | 'audit' | 'audit.read' | 'auth-policy' | 'auth-policy.read' | 'auth-policy.create' | 'auth-policy.update' | 'auth-policy.delete' | 'ca' | 'ca.read' | 'ca.create' | 'ca.update' | 'ca.delete' | 'config' | 'config.read' | 'config.create' | 'config.update' | 'config.delete' | 'config-type' | 'config-type.read' | 'config-type.create' | 'config-type.update' | 'config-type.delete' | 'edge-router-policy' | 'edge-router-policy.read' | 'edge-router-policy.create' | 'edge-router-policy.update' | 'edge-router-policy.delete' | 'enrollment' | 'enrollment.read' | 'enrollment.create' | 'enrollment.update' | 'enrollment.delete' | 'external-jwt-signer' | 'external-jwt-signer.read' | 'external-jwt-signer.create' | 'external-jwt-signer.update' | 'external-jwt-signer.delete' | 'identity' | 'identity.read' | 'identity.create' | 'identity.update' | 'identity.delete' | 'ops' | 'ops.read' | 'ops.update' | 'ops.delete' | 'posture-check' | 'posture-check.read' | 'posture-check.create' | 'posture-check.update' | 'posture-check.delete' | 'router' | 'router.read' | 'router.create' | 'router.update' | 'router.delete' | 'service' | 'service.read' | 'service.create' | 'service.update' | 'service.delete' | 'service-edge-router-policy' | 'service-edge-router-policy.read' | 'service-edge-router-policy.create' | 'service-edge-router-policy.update' | 'service-edge-router-policy.delete' | 'service-policy' | 'service-policy.read' | 'service-policy.create' | 'service-policy.update' | 'service-policy.delete' | 'terminator' | 'terminator.read' | 'terminator.create' | 'terminator.update' | 'terminator.delete' | 'webhook' | 'webhook.read' | 'webhook.create' | 'webhook.update' | 'webhook.delete')[] | null;

/** What the policies say about one identity and one service. */
export interface PolicyAdvice {
  /** Edge routers that both may use, online or not. */
  commonRouters?: readonly RouterEntityRef[] | undefined;
  identity?: EntityRef | undefined;
  /** Id of the identity. */
  identityId?: string | undefined;
  /** Number of edge routers that the identity may use; absent for 0. */
  identityRouterCount?: number | undefined;
  /** Whether a policy lets the identity bind the service; absent for false. */
  isBindAllowed?: boolean | undefined;
  /** Whether a policy lets the identity dial the service; absent for false. */
  isDialAllowed?: boolean | undefined;
  service?: EntityRef | undefined;
  /** Id of the service. */
  serviceId?: string | undefined;
  /** Number of edge routers that the service may use; absent for 0. */
  serviceRouterCount?: number | undefined;
}

/** A policy that could have granted the session, and its checks that failed. */
export interface PolicyFailure {
  /** The checks that failed. */
  checks?: readonly PostureCheckFailure[] | undefined;
  /** Id of the policy. */
  policyId?: string | undefined;
  /** Name that the policy had. */
  policyName?: string | undefined;
}

/** A condition on the state of a device. */
export type PostureCheckDetail =
  | PostureCheckDomainDetail
  | PostureCheckMacAddressDetail
  | PostureCheckMfaDetail
  | PostureCheckOperatingSystemDetail
  | PostureCheckProcessDetail
  | PostureCheckProcessMultiDetail;

/** What every PostureCheckDetail has. */
export interface PostureCheckDetailBase {
  _links: Links;
  /** When the check was created. */
  createdAt: string;
  /** Id of the check. */
  id: string;
  /** Name of the check; unique. */
  name: string;
  roleAttributes: StoredAttributes;
  tags: SubTags;
  typeId: string;
  /** When the check was last changed. */
  updatedAt: string;
  /** Version of the check's form. */
  version: number;
}

/** A check that asks for membership in a Windows domain. */
export interface PostureCheckDomainDetail extends PostureCheckDetailBase {
  /** Domains, one of which the device has to be in. */
  domains: readonly string[];
  typeId: 'DOMAIN';
}

/** A check that failed; `postureCheckType` decides which model applies. */
export type PostureCheckFailure =
  | PostureCheckFailureDomain
  | PostureCheckFailureMacAddress
  | PostureCheckFailureMfa
  | PostureCheckFailureOperatingSystem
  | PostureCheckFailureProcess
  | PostureCheckFailureProcessMulti;

/** What every PostureCheckFailure has. */
export interface PostureCheckFailureBase {
  /** Id of the check. */
  postureCheckId: string;
  /** Name that the check had. */
  postureCheckName: string;
  postureCheckType: string;
}

/** A check of Windows domains that failed. */
export interface PostureCheckFailureDomain extends PostureCheckFailureBase {
  /** The domain that was reported; empty for none. */
  actualValue: string;
  /** Domains, one of which the device has to be in. */
  expectedValue: readonly string[];
  postureCheckType: 'DOMAIN';
}

/** A check of hardware addresses that failed. */
export interface PostureCheckFailureMacAddress extends PostureCheckFailureBase {
  /** The addresses that were reported. */
  actualValue: readonly string[];
  /** Addresses, one of which the device has to have. */
  expectedValue: readonly string[];
  postureCheckType: 'MAC';
}

/** A check of TOTP codes that failed. */
export interface PostureCheckFailureMfa extends PostureCheckFailureBase {
  actualValue: PostureChecksFailureMfaValues;
  criteria: PostureChecksFailureMfaCriteria;
  expectedValue: PostureChecksFailureMfaValues;
  postureCheckType: 'MFA';
}

/** A check of operating systems that failed. */
export interface PostureCheckFailureOperatingSystem extends PostureCheckFailureBase {
  actualValue: PostureCheckFailureOperatingSystemActual;
  /** Systems that are allowed. */
  expectedValue: readonly OperatingSystem[];
  postureCheckType: 'OS';
}

/** The operating system that was reported. */
export interface PostureCheckFailureOperatingSystemActual {
  /** Name of the system; empty when none was reported. */
  type: string;
  /** Its version. */
  version: string;
}

/** A check of one process that failed. */
export interface PostureCheckFailureProcess extends PostureCheckFailureBase {
  actualValue: PostureCheckFailureProcessActual;
  expectedValue: Process;
  postureCheckType: 'PROCESS';
}

/** A process as it was reported. */
export interface PostureCheckFailureProcessActual {
  /** SHA-256 of the binary; empty when none was reported. */
  hash: string;
  /** Whether it runs. */
  isRunning: boolean;
  osType?: OsType | undefined;
  /** Path of the binary. */
  path?: string | undefined;
  /** SHA-1 of the certificates that signed it. */
  signerFingerprints: readonly string[];
}

/** A check of several processes that failed. */
export interface PostureCheckFailureProcessMulti extends PostureCheckFailureBase {
  /** The processes that were reported, in the order in which the check lists them. */
  actualValue: readonly PostureCheckFailureProcessActual[];
  /** The processes that the check lists. */
  expectedValue: readonly ProcessMulti[];
  postureCheckType: 'PROCESS_MULTI';
  semantic: PostureCheckProcessSemantic;
}

/** A check that asks for a known hardware address. */
export interface PostureCheckMacAddressDetail extends PostureCheckDetailBase {
  /** Addresses, one of which the device has to have. */
  macAddresses: readonly string[];
  typeId: 'MAC';
}

/** A check that asks for a recent TOTP code. */
export interface PostureCheckMfaDetail extends PostureCheckDetailBase, PostureCheckMfaProperties {
  typeId: 'MFA';
}

/** When a TOTP code has to be given again. */
export interface PostureCheckMfaProperties {
  /** Whether the time limit is waived for API sessions whose client has reported no wake or unlock, as old clients do. */
  ignoreLegacyEndpoints?: boolean | null | undefined;
  /** Whether a code is due within five minutes of an unlock. */
  promptOnUnlock?: boolean | null | undefined;
  /** Whether a code is due within five minutes of a wake. */
  promptOnWake?: boolean | null | undefined;
  /** Seconds that a code lasts; 0 or -1 for no limit, read back as -1. */
  timeoutSeconds?: number | null | undefined;
}

/** A check that asks for an operating system. */
export interface PostureCheckOperatingSystemDetail extends PostureCheckDetailBase {
  /** Operating systems, one of which the device has to run. */
  operatingSystems: readonly OperatingSystem[];
  typeId: 'OS';
}

/** A check that asks for a running process. */
export interface PostureCheckProcessDetail extends PostureCheckDetailBase {
  process: Process;
  typeId: 'PROCESS';
}

/** A check that asks for running processes. */
export interface PostureCheckProcessMultiDetail extends PostureCheckDetailBase {
  /** The processes. */
  processes: readonly ProcessMulti[];
  semantic: PostureCheckProcessSemantic;
  typeId: 'PROCESS_MULTI';
}

/** `AllOf` asks for every process, `AnyOf` for at least one. */
export type PostureCheckProcessSemantic = 'AllOf' | 'AnyOf' | 'OneOf';

/** Kind of a posture check; it decides which model applies. */
export type PostureCheckType = 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';

/** A kind of posture check. */
export interface PostureCheckTypeDetail extends BaseEntity {
  /** Name of the type, equal to its id. */
  name: string;
  /** Operating systems that can meet such a check. */
  operatingSystems: readonly OperatingSystem[];
  /** Version of the type's form. */
  version: string;
}

/** Posture check types. */
export type PostureCheckTypeList = readonly PostureCheckTypeDetail[];

/** What an MFA check went by. */
export interface PostureChecksFailureMfaCriteria {
  /** When the last code was given in the API session; null for never. */
  passedMfaAt: string | null;
  /** Seconds that the code was still good; 0 for none, -1 for no limit. */
  timeoutRemainingSeconds: number;
  /** Seconds that a code lasts; -1 for no limit. */
  timeoutSeconds: number;
  /** When the device was first unlocked since the code before; null for never. */
  unlockedAt: string | null;
  /** When the device first woke since the code before; null for never. */
  wokenAt: string | null;
}

/** How an API session stands with an MFA check. */
export interface PostureChecksFailureMfaValues {
  /** Whether a code was given. */
  passedMfa: boolean;
  /** Whether a code was given in time after an unlock, or none is due. */
  passedOnUnlock: boolean;
  /** Whether a code was given in time after a wake, or none is due. */
  passedOnWake: boolean;
  /** Whether the code is older than the check allows. */
  timedOut: boolean;
}

/** What clients of an identity reported of their devices. */
export interface PostureData {
  /** By the id of the API session. */
  apiSessionPostureData: Record<string, ApiSessionPostureData>;
  domain: PostureDataDomain;
  mac: PostureDataMac;
  os: PostureDataOs;
  /** Processes that checks ask for. */
  processes: readonly PostureDataProcess[];
}

/** A report. */
export interface PostureDataBase {
  /** Since when it is as it is; null when nothing was reported. */
  lastUpdatedAt: string | null;
  /** The check that the report named; empty when nothing was reported. */
  postureCheckId: string;
  /** Always false, because reports last as long as their API session. */
  timedOut: boolean;
}

/** The Windows domain that was reported. */
export interface PostureDataDomain extends PostureDataBase {
  /** Name of the domain. */
  domain: string;
}

/** Events on the device that may ask for a new TOTP code, the first of each since the last code. */
export interface PostureDataEndpointState {
  /** When it was unlocked; null for never. */
  unlockedAt: string | null;
  /** When it woke; null for never. */
  wokenAt: string | null;
}

/** Answer with posture data of an identity. */
export interface PostureDataEnvelope {
  data: PostureData;
  meta: Meta;
}

/** The hardware addresses that were reported. */
export interface PostureDataMac extends PostureDataBase {
  /** The addresses, as lower-case hex digits. */
  addresses: readonly string[];
}

/** How an API session stands with TOTP codes. */
export interface PostureDataMfa {
  /** Id of the API session. */
  apiSessionId: string;
  /** When the last code was given; null for never. */
  passedAt: string | null;
  /** Whether a code was given. */
  passedMfa: boolean;
  /** Whether one was given since the last unlock. */
  passedOnUnlock: boolean;
  /** Whether one was given since the last wake. */
  passedOnWake: boolean;
}

/** The operating system that was reported. */
export interface PostureDataOs extends PostureDataBase {
  /** Number of the build; null when none was reported. */
  build: string | null;
  /** Name of the system. */
  type: string;
  /** Its version. */
  version: string;
}

/** A process that was reported. */
export interface PostureDataProcess extends PostureDataBase {
  /** SHA-256 of the binary, as lower-case hex digits. */
  binaryHash?: string | undefined;
  /** Whether it runs. */
  isRunning?: boolean | undefined;
  /** SHA-1 of the certificates that signed it, as lower-case hex digits. */
  signerFingerprints?: readonly string[] | undefined;
}

/** Posture checks of one service policy. */
export interface PostureQueries {
  /** Whether all of them pass. */
  isPassing: boolean;
  /** Id of the policy. */
  policyId: string;
  policyType?: DialBind | undefined;
  /** The checks. */
  postureQueries: readonly PostureQuery[];
}

/** A posture check as the client has to meet it. */
export interface PostureQuery extends BaseEntity {
  /** Whether it passes at present. */
  isPassing: boolean;
  process?: PostureQueryProcess | undefined;
  /** The processes to report, for `PROCESS_MULTI`. */
  processes?: readonly PostureQueryProcess[] | undefined;
  /** Seconds to answer in after a wake or unlock. */
  promptGracePeriodSeconds?: number | undefined;
  /** Whether a TOTP code is asked for after an unlock. */
  promptOnUnlock?: boolean | undefined;
  /** Whether a TOTP code is asked for after a wake. */
  promptOnWake?: boolean | undefined;
  queryType: PostureCheckType;
  /** Seconds that a passed check lasts; -1 for no limit. */
  timeout: number;
  /** When the check stops passing; null or absent when it has no limit. */
  timeoutAt?: string | null | undefined;
  /** Seconds that it still lasts; -1 for no limit. */
  timeoutRemaining: number;
}

/** A process that a client has to report. */
export interface PostureQueryProcess {
  osType?: OsType | undefined;
  /** Path of the binary. */
  path?: string | undefined;
}

/** A process on the device. */
export interface Process {
  /** SHA-256 hashes of the binary in hex, one of which has to match; empty for any. */
  hashes?: readonly string[] | null | undefined;
  os?: OsType | null | undefined;
  osType?: OsType | null | undefined;
  /** Path of the binary. */
  path: string;
  /** SHA-1 of the certificate that signed the binary, hex; Windows only. */
  signerFingerprint?: string | null | undefined;
}

/** A process on the device, with several accepted signers. */
export interface ProcessMulti {
  /** SHA-256 hashes of the binary in hex, one of which has to match; empty for any. */
  hashes?: readonly string[] | null | undefined;
  os?: OsType | null | undefined;
  osType?: OsType | null | undefined;
  /** Path of the binary. */
  path: string;
  /** SHA-1 of certificates in hex, one of which has to have signed the binary; empty for any. */
  signerFingerprints?: readonly string[] | null | undefined;
}

/** Answer with the number of dead letters that will be sent. */
export interface RedeliverWebhookEnvelope {
  data: WebhookRedelivered;
  meta: Meta;
}

/** What was revoked. */
export interface RevocationDetail extends BaseEntity {
  /** When everything that it concerns has ended by itself; then it is removed. */
  expiresAt: string;
  type: RevocationTypeEnum;
}

/** Revocations. */
export type RevocationList = readonly RevocationDetail[];

/** What the id names: a token (`JTI`), an identity (`IDENTITY`) or an API session (`API_SESSION`). */
export type RevocationTypeEnum = 'JTI' | 'IDENTITY' | 'API_SESSION';

/** Where a role attribute is used. */
export interface RoleAttributeUsage {
  /** The attribute. */
  roleAttribute: string;
  /** Its uses by the kind of entities. */
  usage: Record<string, AttributeUsage>;
}

/** Role attributes with their uses. */
export type RoleAttributeUsageList = readonly RoleAttributeUsage[];

/** Role attributes. */
export type RoleAttributesList = readonly string[];

/** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
export type Roles = readonly string[];

/** One thing that the program of a router can do. */
export type RouterCapability = 'MULTI_CHANNEL' | 'CONNECT_V2' | 'SERVICE_SUBSCRIPTIONS' | 'POSTURE_CHECKS' | 'BIND_SUCCESS';

/** A router of any kind. */
export interface RouterDetail extends BaseEntity {
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: readonly string[] | undefined;
  /** What a path through the router costs; 0 when absent. */
  cost: number;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, readonly string[]> | undefined;
  /** Whether the router is out of service. */
  disabled: boolean;
  /** When its enrollment was made; absent once it has enrolled. */
  enrollmentCreatedAt?: string | null | undefined;
  /** When its enrollment expires; absent once it has enrolled. */
  enrollmentExpiresAt?: string | null | undefined;
  /** JWT that carries the enrollment token and the address of the controller, for the router; absent once it has enrolled, and for callers with… */
  enrollmentJwt?: string | null | undefined;
  /** Token of its enrollment; absent once it has enrolled, and for callers with neither `router.create` nor `router.update`. */
  enrollmentToken?: string | null | undefined;
  /** SHA-1 of its certificate, lower-case hex; null until it has enrolled. */
  fingerprint: string | null;
  /** Network interfaces that the router told of. */
  interfaces?: readonly Interface[] | undefined;
  /** Whether the router is connected to a controller. */
  isOnline: boolean;
  /** Whether the router has enrolled. */
  isVerified: boolean;
  /** Name of the router; unique. */
  name: string;
  /** Host names and addresses that the router asked for in its last request for certificates, and that its certificate does not have. */
  namesLeftOut?: readonly string[] | undefined;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal: boolean;
  /** Certificate that the router has asked for and not yet used; null without one. */
  unverifiedCertPem: string | null;
  /** SHA-1 of the certificate that it has not yet used; null without one. */
  unverifiedFingerprint: string | null;
}

/** Reference to an edge router that both the identity and the service may use. */
export interface RouterEntityRef extends EntityRef {
  /** Whether a controller has a connection to the router. */
  isOnline: boolean;
}

/** Routers. */
export type RouterList = readonly RouterDetail[];

/** The software of a client, as it told at its last login. */
export interface SdkInfo {
  /** Name of the application. */
  appId?: string | null | undefined;
  /** Version of the application. */
  appVersion?: string | null | undefined;
  /** Source branch of the SDK. */
  branch?: string | null | undefined;
  /** Source revision of the SDK. */
  revision?: string | null | undefined;
  /** Name of the SDK. */
  type?: string | null | undefined;
  /** Version of the SDK. */
  version?: string | null | undefined;
}

/** `AllOf` selects what has every `#attribute` of a role list, `AnyOf` what has at least one; `@id` selectors always add. */
export type Semantic = 'AllOf' | 'AnyOf';

/** A config that one identity gets for a service. */
export interface ServiceConfigDetail {
  config: EntityRef;
  /** Id of the config. */
  configId: string;
  service: EntityRef;
  /** Id of the service. */
  serviceId: string;
}

/** Service configs. */
export type ServiceConfigList = readonly ServiceConfigDetail[];

/** Something that the network gives access to. */
export interface ServiceDetail extends BaseEntity {
  /** Data of the configs of the asked types, by the name of the type. */
  config: Record<string, Record<string, unknown>>;
  /** Ids of the configs of the service. */
  configs: readonly string[];
  /** Whether both ends have to encrypt end to end. */
  encryptionRequired: boolean;
  /** Milliseconds after which idle circuits are taken down; 0 for never. */
  maxIdleTimeMillis: number;
  /** Name of the service; unique. */
  name: string;
  permissions: DialBindArray;
  /** Posture checks of each policy that grants the service. */
  postureQueries: readonly PostureQueries[];
  roleAttributes: StoredAttributes;
  terminatorStrategy: TerminatorStrategy;
}

/** A rule that lets services be reached through edge routers. */
export interface ServiceEdgeRouterPolicyDetail extends BaseEntity {
  edgeRouterRoles: Roles;
  edgeRouterRolesDisplay: NamedRoles;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
  serviceRoles: Roles;
  serviceRolesDisplay: NamedRoles;
}

/** Service edge router policies. */
export type ServiceEdgeRouterPolicyList = readonly ServiceEdgeRouterPolicyDetail[];

/** Services. */
export type ServiceList = readonly ServiceDetail[];

/** A rule that lets identities dial or bind services while posture checks pass. */
export interface ServicePolicyDetail extends BaseEntity {
  identityRoles: Roles;
  identityRolesDisplay: NamedRoles;
  /** Name of the policy; unique. */
  name: string;
  postureCheckRoles: Roles;
  postureCheckRolesDisplay: NamedRoles;
  semantic: Semantic;
  serviceRoles: Roles;
  serviceRolesDisplay: NamedRoles;
  type: DialBind;
}

/** Service policies. */
export type ServicePolicyList = readonly ServicePolicyDetail[];

/** The right to dial or bind one service, shown to edge routers by its token. */
export interface SessionDetail extends BaseEntity {
  apiSession: EntityRef;
  /** Id of the API session that it belongs to and ends with. */
  apiSessionId: string;
  /** Online edge routers to connect to. */
  edgeRouters: readonly SessionEdgeRouter[];
  /** Id of the identity that it belongs to. */
  identityId: string;
  service: EntityRef;
  /** Id of the service. */
  serviceId: string;
  /** JWT that edge routers admit; its `jti` is the id of the session. */
  token: string;
  type: DialBind;
}

/** An edge router to connect to with a session. */
export interface SessionEdgeRouter extends CommonEdgeRouterProperties {
  /** Addresses by protocol. */
  urls: Record<string, string>;
}

/** A session as administrators see it. */
export interface SessionManagementDetail extends SessionDetail {
  /** The service policies that grant it at present. */
  servicePolicies?: readonly EntityRef[] | undefined;
}

/** Sessions. */
export type SessionManagementList = readonly SessionManagementDetail[];

/** The way of a session through the network. */
export interface SessionRoutePathDetail {
  /** Ids of the routers, from the client to the service; empty when nothing is known. */
  routePath?: readonly string[] | undefined;
}

/** An OpenAPI document that the controller carries. */
export interface SpecDetail extends BaseEntity {
  /** Name of the document. */
  name: string;
}

/** API documents. */
export type SpecList = readonly SpecDetail[];

/** Role attributes, a sorted set without duplicates. */
export type StoredAttributes = readonly string[];

/** Values of the user's own, by name, as an answer has them; empty when there are none. */
export type SubTags = Record<string, unknown>;

/** Which token of the provider clients send. */
export type TargetToken = 'ACCESS' | 'ID' | null;

/** Cost of a terminator; traffic prefers low ones. */
export type TerminatorCost = number;

/** Costs by the id of the service. */
export type TerminatorCostMap = Record<string, TerminatorCost>;

/** Where traffic for a service leaves the network, as an address that one router reaches. */
export interface TerminatorDetail extends BaseEntity {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  cost: TerminatorCost;
  dynamicCost: TerminatorCost;
  /** Which of several hosting instances it leads to; empty when there is one. */
  identity: string;
  precedence: TerminatorPrecedence;
  router: EntityRef;
  /** Id of the router that it is on. */
  routerId: string;
  service: EntityRef;
  /** Id of the service that it serves. */
  serviceId: string;
}

/** Terminators. */
export type TerminatorList = readonly TerminatorDetail[];

/** Rank of a terminator. */
export type TerminatorPrecedence = 'default' | 'required' | 'failed';

/** Precedences by the id of the service. */
export type TerminatorPrecedenceMap = Record<string, TerminatorPrecedence>;

/** How traffic is spread over the terminators of a service. */
export type TerminatorStrategy = 'smartrouting' | 'weighted' | 'random' | 'sticky';

/** A token that proves a TOTP code. */
export interface TotpToken {
  /** When it was made. */
  issuedAt: string;
  /** A JWT for routers. */
  token: string;
}

/** Answer with a token that proves a TOTP code. */
export interface TotpTokenEnvelope {
  data: TotpToken;
  meta: Meta;
}

/** Whether an identity is traced. */
export interface TraceDetail {
  /** Whether it is traced from now on. */
  enabled?: boolean | undefined;
  /** What the lines of the log have as `traceId`; absent when it is not traced. */
  traceId?: string | undefined;
  /** When tracing ends by itself; absent when it is not traced. */
  until?: string | undefined;
}

/** Answer with the state of tracing. */
export interface TraceDetailEnvelope {
  data: TraceDetail;
  meta: Meta;
}

/** An identity that nobody uses. */
export interface UnusedIdentity {
  /** When it was made. */
  createdAt: string;
  /** Whether it is disabled. */
  disabled: boolean;
  /** Id of the identity. */
  id: string;
  lastUsedAt: UnusedLastUsedAt;
  /** Name of the identity. */
  name: string;
  roleAttributes: StoredAttributes;
  unusedSince: UnusedSince;
}

/** Identities that nobody uses. */
export type UnusedIdentityList = readonly UnusedIdentity[];

/** When it was used last, within an hour; null when it was not since that is known. */
export type UnusedLastUsedAt = string | null;

/** A service that nobody uses. */
export interface UnusedService {
  /** When it was made. */
  createdAt: string;
  /** Id of the service. */
  id: string;
  lastUsedAt: UnusedLastUsedAt;
  /** Name of the service. */
  name: string;
  roleAttributes: StoredAttributes;
  /** Number of terminators; 0 when nobody hosts it. */
  terminators: number;
  unusedSince: UnusedSince;
}

/** Services that nobody uses. */
export type UnusedServiceList = readonly UnusedService[];

/** Since when it is unused, as far as that is known. */
export type UnusedSince = string;

/** The software, the APIs it serves and what it is capable of. */
export interface Version {
  /** The APIs by name (`edge-client`, `edge-management`, …), each with its versions by name. */
  apiVersions?: Record<string, Record<string, ApiVersion>> | undefined;
  /** When the software was built. */
  buildDate?: string | undefined;
  /** Capabilities of this controller; never empty. */
  capabilities?: readonly string[] | undefined;
  /** Source revision that the software was built from. */
  revision?: string | undefined;
  /** Version of the runtime that the software runs on. */
  runtimeVersion?: string | undefined;
  /** Version of the software. */
  version?: string | undefined;
}

/** The software of a router, as it told when it connected. */
export interface VersionInfo {
  /** Processor architecture. */
  arch: string;
  /** When the software was built. */
  buildDate: string;
  /** Operating system. */
  os: string;
  /** Source revision. */
  revision: string;
  /** Version of the software. */
  version: string;
}

/** The new webhook. */
export interface WebhookCreated {
  _links: Links;
  /** Its id. */
  id: string;
  /** What its messages are signed with; shown here alone. */
  secret: string;
}

/** An event that could not be delivered. */
export interface WebhookDeadLetterDetail extends BaseEntity {
  /** How often it was sent. */
  attempts: number;
  /** The id of the event. */
  eventId: string;
  /** When it was sent first. */
  firstFailedAt: string;
  /** Whether it will be sent again. */
  isDue: boolean;
  /** The kind of the event. */
  kind: string;
  /** Why it did not arrive the last time. */
  lastError: string;
}

/** Dead letters. */
export type WebhookDeadLetterList = readonly WebhookDeadLetterDetail[];

/** A webhook, with how far its deliveries are. */
export interface WebhookDetail extends BaseEntity {
  /** How often the next event was sent and did not arrive. */
  attempts: number;
  /** How many dead letters it has. */
  deadLetters: number;
  /** When an event arrived last; null when none did. */
  deliveredAt: string | null;
  /** Whether events are sent to it. */
  enabled: boolean;
  /** Since when the next event does not arrive; null when all is well. */
  failingSince: string | null;
  /** The kinds of events that are sent; empty for all. */
  kinds: readonly string[];
  /** Why it did not arrive the last time; null when all is well. */
  lastError: string | null;
  /** Unique name. */
  name: string;
  /** When it is sent again; null when all is well. */
  nextAttemptAt: string | null;
  /** Where events are sent. */
  url: string;
}

/** Webhooks. */
export type WebhookList = readonly WebhookDetail[];

/** What will be sent again. */
export interface WebhookRedelivered {
  /** How many dead letters. */
  count: number;
}
