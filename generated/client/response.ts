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

/** Something that a controller may be able to do: `EDGE_CONTROLLER` serves these two APIs, `OIDC_AUTH` offers logins by OpenID Connect, `OIDC_… */
export type Capabilities = 'EDGE_CONTROLLER' | 'OIDC_AUTH' | 'OIDC_AUTH_WITH_CSR' | 'HA_CONTROLLER';

/** An external JWT signer as everybody sees it. */
export interface ClientExternalJwtSignerDetail extends BaseEntity {
  /** What the `aud` of a token must contain. */
  audience?: string | null | undefined;
  /** Client id by which clients ask the provider for tokens. */
  clientId?: string | null | undefined;
  /** Whether a token enrolls a new identity that logs in with a certificate. */
  enrollToCertEnabled?: boolean | undefined;
  /** Whether a token enrolls a new identity that logs in with tokens. */
  enrollToTokenEnabled?: boolean | undefined;
  /** Where users get a token; empty when it is not said. */
  externalAuthUrl: string;
  /** Unique name. */
  name: string;
  /** Where the provider describes itself (OpenID Connect discovery); not given by this release. */
  openIdConfigurationUrl?: string | undefined;
  /** Scopes that clients ask the provider for. */
  scopes?: readonly string[] | undefined;
  targetToken?: TargetToken | undefined;
}

/** External JWT signers. */
export type ClientExternalJwtSignerList = readonly ClientExternalJwtSignerDetail[];

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

/** Controllers. */
export type ControllersList = readonly ControllerDetail[];

/** Answer with a new certificate of the current API session. */
export interface CreateCurrentApiSessionCertificateEnvelope {
  data: CurrentApiSessionCertificateCreateResponse;
  meta: Meta;
}

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

/** A new certificate of an API session. */
export interface CurrentApiSessionCertificateCreateResponse extends CreateLocation {
  /** The authorities of the network, roots first, as PEM. */
  cas?: string | undefined;
  /** The certificate, then its intermediates, as PEM. */
  certificate: string;
}

/** A certificate of an API session. */
export interface CurrentApiSessionCertificateDetail extends BaseEntity {
  /** The certificate, then its intermediates, as PEM. */
  certificate: string;
  /** SHA-1 of the certificate's DER, 40 lower-case hex digits. */
  fingerprint: string;
  /** Whom it names. */
  subject: string;
  /** When it becomes valid. */
  validFrom: string;
  /** When it expires. */
  validTo: string;
}

/** Certificates of an API session. */
export type CurrentApiSessionCertificateList = readonly CurrentApiSessionCertificateDetail[];

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

/** The last change to the services of an identity. */
export interface CurrentApiSessionServiceUpdateList {
  /** When the services, or the permissions for them, last changed. */
  lastChangeAt: string;
}

/** Answer with the caller's identity. */
export interface CurrentIdentityDetailEnvelope {
  data: IdentityDetail;
  meta: Meta;
}

/** An edge router that the caller may use. */
export interface CurrentIdentityEdgeRouterDetail extends BaseEntity, CommonEdgeRouterProperties {}

/** Edge routers. */
export type CurrentIdentityEdgeRouterList = readonly CurrentIdentityEdgeRouterDetail[];

/** Answer with one authenticator. */
export interface DetailAuthenticatorEnvelope {
  data: AuthenticatorDetail;
  meta: Meta;
}

/** Answer with one certificate of the current API session. */
export interface DetailCurrentApiSessionCertificateEnvelope {
  data: CurrentApiSessionCertificateDetail;
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

/** Answer with one service. */
export interface DetailServiceEnvelope {
  data: ServiceDetail;
  meta: Meta;
}

/** Answer with one session. */
export interface DetailSessionEnvelope {
  data: SessionDetail;
  meta: Meta;
}

/** Answer with one entry of the API documents. */
export interface DetailSpecEnvelope {
  data: SpecDetail;
  meta: Meta;
}

/** Whether traffic is sent to a service (`Dial`) or served (`Bind`). */
export type DialBind = 'Dial' | 'Bind' | 'Invalid';

/** What the caller may do with a service. */
export type DialBindArray = readonly DialBind[];

/** Answer without content, to a change or a deletion. */
export interface Empty {
  /** Empty. */
  data: Record<string, unknown>;
  meta: Meta;
}

/** What an enrollment yields; depends on the method. */
export interface EnrollmentCerts {
  /** Certificates to trust, PEM. */
  ca?: string | undefined;
  /** The client certificate with its intermediates, PEM. */
  cert?: string | undefined;
  controllers?: ControllersList | undefined;
  /** A router's server certificate with its intermediates, PEM. */
  serverCert?: string | undefined;
  /** The username that was set, for `updb`. */
  username?: string | undefined;
}

/** Answer to an enrollment. */
export interface EnrollmentCertsEnvelope {
  data: EnrollmentCerts;
  meta: Meta;
}

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

/** A public key as a JSON Web Key (RFC 7517, RFC 7518). */
export interface Jwk {
  /** Algorithm of its signatures, such as `ES256`. */
  alg?: string | undefined;
  /** Curve of an elliptic key. */
  crv?: string | undefined;
  /** Part of a private key; never sent. */
  d?: string | undefined;
  /** Part of a private key; never sent. */
  dp?: string | undefined;
  /** Part of a private key; never sent. */
  dq?: string | undefined;
  /** Exponent of an RSA key, base64url. */
  e?: string | undefined;
  /** What it may be used for; not sent, `use` says it. */
  key_ops?: readonly string[] | undefined;
  /** Id of the key, as in the header of a JWT: SHA-1 of the certificate, lower-case hex. */
  kid?: string | undefined;
  /** Kind of key, `EC` or `RSA`. */
  kty: string;
  /** Modulus of an RSA key, base64url. */
  n?: string | undefined;
  /** Further primes of a private key; never sent. */
  oth?: readonly OtherPrime[] | undefined;
  /** Part of a private key; never sent. */
  p?: string | undefined;
  /** Part of a private key; never sent. */
  q?: string | undefined;
  /** Part of a private key; never sent. */
  qi?: string | undefined;
  /** What it is for, `sig`. */
  use?: string | undefined;
  /** X coordinate of an elliptic key, base64url. */
  x?: string | undefined;
  /** The certificate of the key, then its issuers, DER in base64. */
  x5c?: readonly string[] | undefined;
  /** SHA-1 of the certificate, base64url; not sent. */
  x5t?: string | undefined;
  /** SHA-256 of the certificate, base64url; not sent. */
  'x5t#S256'?: string | undefined;
  /** Where the certificates are; not sent. */
  x5u?: string | undefined;
  /** Y coordinate of an elliptic key, base64url. */
  y?: string | undefined;
}

/** A JSON Web Key Set (RFC 7517). */
export interface Jwks {
  /** The keys. */
  keys?: readonly Jwk[] | undefined;
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

/** Answer with one page of authenticators. */
export interface ListAuthenticatorsEnvelope {
  data: AuthenticatorList;
  meta: Meta;
}

/** Answer with one page of external JWT signers. */
export interface ListClientExternalJwtSignersEnvelope {
  data: ClientExternalJwtSignerList;
  meta: Meta;
}

/** Answer with one page of terminators. */
export interface ListClientTerminatorsEnvelope {
  data: TerminatorClientList;
  meta: Meta;
}

/** Answer with one page of controllers. */
export interface ListControllersEnvelope {
  data: ControllersList;
  meta: Meta;
}

/** Answer with one page of certificates of the current API session. */
export interface ListCurrentApiSessionCertificatesEnvelope {
  data: CurrentApiSessionCertificateList;
  meta: Meta;
}

/** Answer with the time of the last change. */
export interface ListCurrentApiSessionServiceUpdatesEnvelope {
  data: CurrentApiSessionServiceUpdateList;
  meta: Meta;
}

/** Answer with one page of edge routers of the caller. */
export interface ListCurrentIdentityEdgeRoutersEnvelope {
  data: CurrentIdentityEdgeRouterList;
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

/** Answer with the tokens that describe the network. */
export interface ListNetworkJWTsEnvelope {
  data: NetworkJWTList;
  meta: Meta;
}

/** Ways to reach the controller, by the name of the protocol. */
export type ListProtocols = Record<string, Protocol>;

/** Answer with the protocols. */
export interface ListProtocolsEnvelope {
  data: ListProtocols;
  meta: Meta;
}

/** Answer with one page of edge routers of a service. */
export interface ListServiceEdgeRoutersEnvelope {
  data: ServiceEdgeRouters;
  meta: Meta;
}

/** Answer with one page of services. */
export interface ListServicesEnvelope {
  data: ServiceList;
  meta: Meta;
}

/** Answer with one page of sessions. */
export interface ListSessionsEnvelope {
  data: SessionList;
  meta: Meta;
}

/** Answer with the API documents. */
export interface ListSpecsEnvelope {
  data: SpecList;
  meta: Meta;
}

/** Answer with the version of the controller. */
export interface ListVersionEnvelope {
  data: Version;
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

/** A token that describes the network. */
export interface NetworkJWT {
  /** Name of the token. */
  name: string;
  /** A JWT, signed with the key of the controller's TLS certificate, that carries the controller's address. */
  token: string;
}

/** Tokens that describe the network. */
export type NetworkJWTList = readonly NetworkJWT[];

/** A nonce, signed. */
export interface NonceSignature {
  /** Algorithm of the signature. */
  algorithm: string;
  /** Certificates to trust, PEM. */
  caPool: string;
  /** Id of the key that signed. */
  kid: string;
  /** The signature, base64. */
  signature: string;
}

/** Name of an operating system. */
export type OsType = 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';

/** Part of a private key (RFC 7518 section 6.3.2.7); never sent. */
export interface OtherPrime {
  /** Exponent of the prime. */
  d?: string | undefined;
  /** The prime. */
  r?: string | undefined;
  /** Coefficient of the prime. */
  t?: string | undefined;
}

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

/** Kind of a posture check; it decides which model applies. */
export type PostureCheckType = 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';

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

/** What comes of a report. */
export interface PostureResponse {
  /** Services whose MFA check asks for a new TOTP code because of the reported wake or unlock; empty when no code was given in this API session,… */
  services: readonly PostureResponseService[];
}

/** Answer to a report on the device. */
export interface PostureResponseEnvelope {
  data: PostureResponse;
  meta: Meta;
}

/** A service that asks for a new TOTP code. */
export interface PostureResponseService {
  /** Id of the service. */
  id: string;
  /** Name of the service. */
  name: string;
  /** Always `MFA`. */
  postureQueryType: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  /** Seconds that a code lasts; -1 for no limit. */
  timeout: number;
  /** Seconds until the check fails unless a code is given. */
  timeoutRemaining: number;
}

/** A way to reach the controller. */
export interface Protocol {
  /** Host and port. */
  address: string;
}

/** One thing that the program of a router can do. */
export type RouterCapability = 'MULTI_CHANNEL' | 'CONNECT_V2' | 'SERVICE_SUBSCRIPTIONS' | 'POSTURE_CHECKS' | 'BIND_SUCCESS';

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

/** The edge routers of a service. */
export interface ServiceEdgeRouters {
  /** Edge routers that the policies allow to the caller for the service. */
  edgeRouters?: readonly CommonEdgeRouterProperties[] | undefined;
}

/** Services. */
export type ServiceList = readonly ServiceDetail[];

/** Answer with the session. */
export interface SessionCreateEnvelope {
  data: SessionDetail;
  meta: Meta;
}

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

/** Sessions. */
export type SessionList = readonly SessionDetail[];

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

/** A terminator as clients see it. */
export interface TerminatorClientDetail extends BaseEntity {
  /** Which of several hosting instances it leads to; empty when there is one. */
  identity: string;
  /** Id of the router that it is on. */
  routerId: string;
  service: EntityRef;
  /** Id of the service that it serves. */
  serviceId: string;
}

/** Terminators. */
export type TerminatorClientList = readonly TerminatorClientDetail[];

/** Cost of a terminator; traffic prefers low ones. */
export type TerminatorCost = number;

/** Costs by the id of the service. */
export type TerminatorCostMap = Record<string, TerminatorCost>;

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
