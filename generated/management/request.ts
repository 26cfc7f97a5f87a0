// Generated from specs/ by scripts/generate. Do not edit.

/** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
export type Attributes = string[];

/** A new auth policy. */
export interface AuthPolicyCreate {
  /** Unique name. */
  name: string;
  primary: AuthPolicyPrimary;
  secondary: AuthPolicySecondary;
  tags?: Tags;
}

/** Settings to change; what is absent or null stays. */
export interface AuthPolicyPatch {
  /** Unique name; null leaves it. */
  name?: string | null;
  primary?: AuthPolicyPrimaryPatch;
  secondary?: AuthPolicySecondaryPatch;
  tags?: Tags;
}

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

/** Logins with a client certificate, as far as they change. */
export type AuthPolicyPrimaryCertPatch = {
  /** Whether an expired certificate will do. */
  allowExpiredCerts?: boolean | null;
  /** Whether such logins are allowed. */
  allowed?: boolean | null;
} | null;

/** Logins with a token of an external provider. */
export interface AuthPolicyPrimaryExtJwt {
  /** Whether such logins are allowed. */
  allowed: boolean;
  /** Ids of the external JWT signers whose tokens will do; empty: every enabled one. */
  allowedSigners: string[];
}

/** Logins with a token of an external provider, as far as they change. */
export type AuthPolicyPrimaryExtJwtPatch = {
  /** Whether such logins are allowed. */
  allowed?: boolean | null;
  /** Ids of the external JWT signers whose tokens will do; empty: every enabled one. */
  allowedSigners?: string[] | null;
} | null;

/** How identities may log in, as far as it changes. */
export type AuthPolicyPrimaryPatch = {
  cert?: AuthPolicyPrimaryCertPatch;
  extJwt?: AuthPolicyPrimaryExtJwtPatch;
  updb?: AuthPolicyPrimaryUpdbPatch;
} | null;

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

/** Logins with username and password, as far as they change. */
export type AuthPolicyPrimaryUpdbPatch = {
  /** Whether such logins are allowed. */
  allowed?: boolean | null;
  /** Minutes that an identity stays disabled after too many wrong passwords; 0 and below, which is kept as 0: until an administrator enables it. */
  lockoutDurationMinutes?: number | null;
  /** Wrong passwords in a row that disable the identity; 0 and below, which is kept as 0: any number is allowed. */
  maxAttempts?: number | null;
  /** Least number of characters of a new password; below 5 it is raised to 5, above 100 lowered to 100. */
  minPasswordLength?: number | null;
  /** Whether a new password must have upper and lower case letters. */
  requireMixedCase?: boolean | null;
  /** Whether a new password must have a digit. */
  requireNumberChar?: boolean | null;
  /** Whether a new password must have a character that is no letter, digit or white space. */
  requireSpecialChar?: boolean | null;
} | null;

/** What is asked for after the login. */
export interface AuthPolicySecondary {
  /** Id of the external JWT signer whose token, in the name of the identity, must come with every request of a session; null: none. */
  requireExtJwtSigner?: string | null;
  /** Whether a code of an authenticator app is asked for. */
  requireTotp: boolean;
}

/** What is asked for after the login, as far as it changes. */
export type AuthPolicySecondaryPatch = {
  /** Id of the external JWT signer whose token, in the name of the identity, must come with every request of a session; empty: none. */
  requireExtJwtSigner?: string | null;
  /** Whether a code of an authenticator app is asked for. */
  requireTotp?: boolean | null;
} | null;

/** An auth policy as it shall be. */
export type AuthPolicyUpdate = AuthPolicyCreate;

/** Body of a login. */
export interface Authenticate {
  configTypes?: ConfigTypes;
  envInfo?: EnvInfo | null;
  /** A password. */
  password?: string | null;
  sdkInfo?: SdkInfo | null;
  /** A username, unique among all authenticators and enrollments of other identities. */
  username?: string | null;
}

/** A new authenticator. */
export interface AuthenticatorCreate {
  /** The certificate in PEM, for `cert`. */
  certPem?: string | null;
  /** Id of the identity that it belongs to. */
  identityId: string;
  /** `updb` or `cert`. */
  method: 'updb' | 'cert';
  /** The password, for `updb`, 5 to 100 characters. */
  password?: string | null;
  tags?: Tags;
  /** The username, for `updb`. */
  username?: string | null;
}

/** Changes to an authenticator. */
export interface AuthenticatorPatch {
  password?: PasswordNullable;
  tags?: Tags;
  username?: UsernameNullable;
}

/** Changes to one of the caller's authenticators, with the present password. */
export interface AuthenticatorPatchWithCurrent extends Omit<AuthenticatorPatch, 'tags'> {
  currentPassword: Password;
  tags?: Tags & OwnerTags;
}

/** New content of an authenticator. */
export interface AuthenticatorUpdate {
  password: Password;
  tags?: Tags;
  username: Username;
}

/** New content of one of the caller's authenticators, with the present password. */
export interface AuthenticatorUpdateWithCurrent extends Omit<AuthenticatorUpdate, 'tags'> {
  currentPassword: Password;
  tags?: Tags & OwnerTags;
}

/** A new certificate authority. */
export interface CaCreate {
  /** Certificate of the CA, PEM. */
  certPem: string;
  externalIdClaim?: ExternalIdClaim | null;
  /** Name of identities that enroll by themselves, with the symbols `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`. */
  identityNameFormat?: string | null;
  identityRoles: Attributes;
  /** Whether certificates of the CA may log in. */
  isAuthEnabled: boolean;
  /** Whether certificates of the CA enroll new identities without a token. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether certificates of the CA enroll identities with a one-time token. */
  isOttCaEnrollmentEnabled: boolean;
  /** Name of the CA; unique. */
  name: string;
  tags?: Tags;
}

/** Changes to a certificate authority. */
export interface CaPatch {
  externalIdClaim?: ExternalIdClaimPatch;
  /** Name of identities that enroll by themselves, with the symbols `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`. */
  identityNameFormat?: string | null;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  identityRoles?: string[] | null;
  /** Whether certificates of the CA may log in. */
  isAuthEnabled?: boolean | null;
  /** Whether certificates of the CA enroll new identities without a token. */
  isAutoCaEnrollmentEnabled?: boolean | null;
  /** Whether certificates of the CA enroll identities with a one-time token. */
  isOttCaEnrollmentEnabled?: boolean | null;
  /** Name of the CA; unique. */
  name?: string | null;
  tags?: Tags;
}

/** A certificate authority as it shall be. */
export interface CaUpdate {
  externalIdClaim?: ExternalIdClaim | null;
  /** Name of identities that enroll by themselves, with the symbols `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`. */
  identityNameFormat: string;
  identityRoles: Attributes;
  /** Whether certificates of the CA may log in. */
  isAuthEnabled: boolean;
  /** Whether certificates of the CA enroll new identities without a token. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether certificates of the CA enroll identities with a one-time token. */
  isOttCaEnrollmentEnabled: boolean;
  /** Name of the CA; unique. */
  name: string;
  tags?: Tags;
}

/** A new config. */
export interface ConfigCreate {
  /** Id of the type; cannot be changed later. */
  configTypeId: string;
  /** The data itself, as the schema of the type has it. */
  data: Record<string, unknown>;
  /** Name of the config; unique. */
  name: string;
  tags?: Tags;
}

/** Changes to a config. */
export interface ConfigPatch {
  /** The data itself, as the schema of the type has it. */
  data?: Record<string, unknown> | null;
  /** Name of the config; unique. */
  name?: string | null;
  tags?: Tags;
}

/** A new config type. */
export interface ConfigTypeCreate {
  /** Name of the type; unique. */
  name: string;
  /** JSON Schema that the data of configs has to follow. */
  schema?: Record<string, unknown> | null;
  tags?: Tags;
  /** What configs of this type are for; `service` when absent. */
  target?: 'service' | 'router' | 'other' | null;
}

/** Changes to a config type. */
export interface ConfigTypePatch {
  /** Name of the type; unique. */
  name?: string | null;
  /** JSON Schema that the data of configs has to follow. */
  schema?: Record<string, unknown> | null;
  tags?: Tags;
}

/** A config type as it shall be. */
export interface ConfigTypeUpdate {
  /** Name of the type; unique. */
  name: string;
  /** JSON Schema that the data of configs has to follow. */
  schema?: Record<string, unknown> | null;
  tags?: Tags;
}

/** Ids or names of config types, or `all`. */
export type ConfigTypes = string[] | null;

/** A config as it shall be. */
export interface ConfigUpdate {
  /** The data itself, as the schema of the type has it. */
  data: Record<string, unknown>;
  /** Name of the config; unique. */
  name: string;
  tags?: Tags;
}

/** New settings of a controller. */
export interface ControllerSettingCreate extends ControllerSettings {
  /** Id of the controller that the settings are for, as `/controllers` has it; `global` for all controllers. */
  controllerId: string;
  tags?: Tags;
}

/** What to change of the settings of a controller. */
export interface ControllerSettingPatch extends ControllerSettings {
  tags?: Tags;
}

/** The settings of a controller as they shall be. */
export interface ControllerSettingUpdate extends ControllerSettings {
  tags?: Tags;
}

/** What can be set for controllers. */
export interface ControllerSettings {
  /** Where logins by OpenID Connect may lead. */
  oidc?: {
    /** Where a browser may be sent after a logout. */
    postLogoutUris?: string[] | null;
    /** Where the answer to a login may be sent. */
    redirectUris?: string[] | null;
  } | null;
}

/** Whether traffic is sent to a service (`Dial`) or served (`Bind`). */
export type DialBind = 'Dial' | 'Bind' | 'Invalid';

/** How long to disable an identity. */
export interface DisableParams {
  /** Minutes; 0 or less for no end. */
  durationMinutes: number;
}

/** A new edge router. */
export interface EdgeRouterCreate {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Whether the router has a tunneler, and with it an identity and an edge router policy of its own id. */
  isTunnelerEnabled?: boolean | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
}

/** Changes to an edge router. */
export interface EdgeRouterPatch {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Whether the router has a tunneler, and with it an identity and an edge router policy of its own id. */
  isTunnelerEnabled?: boolean | null;
  /** Name of the router; unique. */
  name?: string | null;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
}

/** A new edge router policy. */
export interface EdgeRouterPolicyCreate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
  tags?: Tags;
}

/** Changes to an edge router policy. */
export interface EdgeRouterPolicyPatch {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name?: string | null;
  semantic?: Semantic | null;
  tags?: Tags;
}

/** An edge router policy as it shall be. */
export interface EdgeRouterPolicyUpdate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
  tags?: Tags;
}

/** An edge router as it shall be. */
export interface EdgeRouterUpdate {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Whether the router has a tunneler, and with it an identity and an edge router policy of its own id. */
  isTunnelerEnabled?: boolean | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
}

/** A new enrollment. */
export interface EnrollmentCreate {
  /** Id of the CA, for `ottca`; null otherwise. */
  caId?: string | null;
  /** When the token expires; has to be in the future when it is set. */
  expiresAt: string;
  /** Id of the identity that enrolls. */
  identityId: string;
  /** How the identity will enroll, by one-time token, by one-time token and a certificate of a CA, or by setting a password. */
  method: 'ott' | 'ottca' | 'updb';
  /** Username that will be set, for `updb`. */
  username?: string | null;
}

/** The new time of expiry. */
export interface EnrollmentRefresh {
  /** When the new token expires; has to be in the future. */
  expiresAt: string;
}

/** The environment that a client runs in, as it told at its last login. */
export interface EnvInfo {
  /** Processor architecture. */
  arch?: string | null;
  /** Domain that the device belongs to. */
  domain?: string | null;
  /** Name of the host. */
  hostname?: string | null;
  /** Operating system. */
  os?: string | null;
  /** Release of the operating system. */
  osRelease?: string | null;
  /** Version of the operating system. */
  osVersion?: string | null;
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

/** Changes to an `externalIdClaim`; empty, it removes the claim. */
export type ExternalIdClaimPatch = {
  /** Which of the values, from 0. */
  index?: number | null;
  /** Which names of the certificate are looked at, the common names of the subject, or URIs or e-mail addresses among its alternative names. */
  location?: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL' | null;
  /** Which of the names count, that is all, those with a prefix or suffix (common names and e-mail addresses), or those with a scheme (URIs). */
  matcher?: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME' | null;
  /** The prefix or suffix, which is cut off, or the scheme, which stays; not needed for `ALL`. */
  matcherCriteria?: string | null;
  /** What becomes of a name. */
  parser?: 'NONE' | 'SPLIT' | null;
  /** Where `SPLIT` cuts; not needed for `NONE`. */
  parserCriteria?: string | null;
} | null;

/** A new external JWT signer. */
export interface ExternalJwtSignerCreate {
  /** What the `aud` of a token must contain. */
  audience: string;
  /** One certificate in PEM form, whose key signs the tokens; its dates do not matter. */
  certPem?: string | null;
  /** JSON pointer to the claim that names the identity; a bare name is that of a top-level claim. */
  claimsProperty?: string | null;
  /** Client id by which clients ask the provider for tokens. */
  clientId?: string | null;
  /** Whether its tokens are accepted. */
  enabled: boolean;
  /** JSON pointer to the claim with the role attributes of identities that enroll by a token. */
  enrollAttributeClaimsSelector?: string | null;
  /** Id of the auth policy of identities that enroll by a token. */
  enrollAuthPolicyId?: string | null;
  /** JSON pointer to the claim with the name of identities that enroll by a token. */
  enrollNameClaimsSelector?: string | null;
  /** Whether a token enrolls a new identity that logs in with a certificate. */
  enrollToCertEnabled?: boolean | null;
  /** Whether a token enrolls a new identity that logs in with tokens. */
  enrollToTokenEnabled?: boolean | null;
  /** Where users get a token, an `http` or `https` URL. */
  externalAuthUrl?: string | null;
  /** What the `iss` of a token must be; unique. */
  issuer: string;
  /** Where the provider publishes its keys (JWKS), an `http` or `https` URL. */
  jwksEndpoint?: string | null;
  /** What the `kid` of a token must be when the key is that of `certPem`; without it any will do. */
  kid?: string | null;
  /** Unique name. */
  name: string;
  /** Scopes that clients ask the provider for. */
  scopes?: string[] | null;
  tags?: Tags;
  targetToken?: TargetToken;
  /** Whether the claim holds the `externalId` of the identity; else it holds its id. */
  useExternalId?: boolean | null;
}

/** Settings to change; what is absent or null stays. */
export interface ExternalJwtSignerPatch {
  /** What the `aud` of a token must contain. */
  audience?: string | null;
  /** One certificate in PEM form, whose key signs the tokens; its dates do not matter. */
  certPem?: string | null;
  /** JSON pointer to the claim that names the identity; a bare name is that of a top-level claim. */
  claimsProperty?: string | null;
  /** Client id by which clients ask the provider for tokens. */
  clientId?: string | null;
  /** Whether its tokens are accepted. */
  enabled?: boolean | null;
  /** JSON pointer to the claim with the role attributes of identities that enroll by a token. */
  enrollAttributeClaimsSelector?: string | null;
  /** Id of the auth policy of identities that enroll by a token. */
  enrollAuthPolicyId?: string | null;
  /** JSON pointer to the claim with the name of identities that enroll by a token. */
  enrollNameClaimsSelector?: string | null;
  /** Whether a token enrolls a new identity that logs in with a certificate. */
  enrollToCertEnabled?: boolean | null;
  /** Whether a token enrolls a new identity that logs in with tokens. */
  enrollToTokenEnabled?: boolean | null;
  /** Where users get a token, an `http` or `https` URL. */
  externalAuthUrl?: string | null;
  /** What the `iss` of a token must be; unique. */
  issuer?: string | null;
  /** Where the provider publishes its keys (JWKS), an `http` or `https` URL. */
  jwksEndpoint?: string | null;
  /** What the `kid` of a token must be when the key is that of `certPem`; without it any will do. */
  kid?: string | null;
  /** Unique name. */
  name?: string | null;
  /** Scopes that clients ask the provider for. */
  scopes?: string[] | null;
  tags?: Tags;
  targetToken?: TargetToken;
  /** Whether the claim holds the `externalId` of the identity; else it holds its id. */
  useExternalId?: boolean | null;
}

/** An external JWT signer as it shall be. */
export type ExternalJwtSignerUpdate = ExternalJwtSignerCreate;

/** A new identity. */
export interface IdentityCreate {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Id of the auth policy; the policy `default` when absent, null or empty. */
  authPolicyId?: string | null;
  /** Cost of a terminator; traffic prefers low ones. */
  defaultHostingCost?: number | null;
  defaultHostingPrecedence?: TerminatorPrecedence | null;
  /** Enrollments to create together with the identity. */
  enrollment?: {
    /** Whether to create one by one-time token. */
    ott?: boolean | null;
    /** Id of the CA for one by one-time token and certificate. */
    ottca?: string | null;
    /** Username for one that sets a password. */
    updb?: string | null;
  } | null;
  /** Id of the identity in the claims of external JWTs and certificates; unique. */
  externalId?: string | null;
  /** Whether the identity may use the whole management API. */
  isAdmin: boolean;
  /** Name of the identity; unique. */
  name: string;
  permissions?: Permissions;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  /** Costs by the id of the service. */
  serviceHostingCosts?: Record<string, TerminatorCost> | null;
  /** Precedences by the id of the service. */
  serviceHostingPrecedences?: Record<string, TerminatorPrecedence> | null;
  tags?: Tags;
  type: IdentityType;
}

/** A request for a renewed certificate. */
export interface IdentityExtendEnrollmentRequest {
  /** Certificate signing request (PKCS#10) in PEM, at most 16,384 characters. */
  clientCertCsr: string;
}

/** The proof that a renewed certificate has arrived. */
export interface IdentityExtendValidateEnrollmentRequest {
  /** The renewed certificate in PEM; intermediates may follow it. */
  clientCert: string;
}

/** Changes to an identity. */
export interface IdentityPatch {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Id of the auth policy; the policy `default` when absent, null or empty. */
  authPolicyId?: string | null;
  /** Cost of a terminator; traffic prefers low ones. */
  defaultHostingCost?: number | null;
  defaultHostingPrecedence?: TerminatorPrecedence | null;
  /** Id of the identity in the claims of external JWTs and certificates; unique. */
  externalId?: string | null;
  /** Whether the identity may use the whole management API. */
  isAdmin?: boolean | null;
  /** Name of the identity; unique. */
  name?: string | null;
  permissions?: Permissions;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  /** Costs by the id of the service. */
  serviceHostingCosts?: Record<string, TerminatorCost> | null;
  /** Precedences by the id of the service. */
  serviceHostingPrecedences?: Record<string, TerminatorPrecedence> | null;
  tags?: Tags;
  type?: IdentityType | null;
}

/** What the identity stands for. */
export type IdentityType = 'User' | 'Device' | 'Service' | 'Router' | 'Default';

/** An identity as it shall be. */
export interface IdentityUpdate {
  /** Values for the applications that use the network, by name. */
  appData?: Record<string, unknown> | null;
  /** Id of the auth policy; the policy `default` when absent, null or empty. */
  authPolicyId?: string | null;
  /** Cost of a terminator; traffic prefers low ones. */
  defaultHostingCost?: number | null;
  defaultHostingPrecedence?: TerminatorPrecedence | null;
  /** Id of the identity in the claims of external JWTs and certificates; unique. */
  externalId?: string | null;
  /** Whether the identity may use the whole management API. */
  isAdmin: boolean;
  /** Name of the identity; unique. */
  name: string;
  permissions?: Permissions;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  /** Costs by the id of the service. */
  serviceHostingCosts?: Record<string, TerminatorCost> | null;
  /** Precedences by the id of the service. */
  serviceHostingPrecedences?: Record<string, TerminatorPrecedence> | null;
  tags?: Tags;
  type: IdentityType;
}

/** A code of the second factor. */
export interface MfaCode {
  /** Six digits of an authenticator app, or a recovery code where one will do. */
  code: string;
}

/** An operating system and the versions of it that are meant. */
export interface OperatingSystem {
  type: OsType;
  /** Ranges of semantic versions, one of which has to match; empty for any version. */
  versions: string[];
}

/** Name of an operating system. */
export type OsType = string;

/** Values of the user's own, by name, as a caller writes them to what belongs to it. */
export type OwnerTags = Record<string, unknown> | null;

/** A password. */
export type Password = string;

/** A new password; null leaves it as it is. */
export type PasswordNullable = string | null;

/** What an identity that is no administrator may administer: an entity for every action on it, an entity and one action, or `admin_readonly` f… */
export type Permissions = ('admin_readonly' | 'audit' | 'audit.read' | 'auth-policy' | 'auth-policy.read' | 'auth-policy.create' | 'auth-policy.update' | 'auth-policy.delete' | 'ca' | 'ca.read' | 'ca.create' | 'ca.update' | 'ca.delete' | 'config' | 'config.read' | 'config.create' | 'config.update' | 'config.delete' | 'config-type' | 'config-type.read' | 'config-type.create' | 'config-type.update' | 'config-type.delete' | 'edge-router-policy' | 'edge-router-policy.read' | 'edge-router-policy.create' | 'edge-router-policy.update' | 'edge-router-policy.delete' | 'enrollment' | 'enrollment.read' | 'enrollment.create' | 'enrollment.update' | 'enrollment.delete' | 'external-jwt-signer' | 'external-jwt-signer.read' | 'external-jwt-signer.create' | 'external-jwt-signer.update' | 'external-jwt-signer.delete' | 'identity' | 'identity.read' | 'identity.create' | 'identity.update' | 'identity.delete' | 'ops' | 'ops.read' | 'ops.update' | 'ops.delete' | 'posture-check' | 'posture-check.read' | 'posture-check.create' | 'posture-check.update' | 'posture-check.delete' | 'router' | 'router.read' | 'router.create' | 'router.update' | 'router.delete' | 'service' | 'service.read' | 'service.create' | 'service.update' | 'service.delete' | 'service-edge-router-policy' | 'service-edge-router-policy.read' | 'service-edge-router-policy.create' | 'service-edge-router-policy.update' | 'service-edge-router-policy.delete' | 'service-policy' | 'service-policy.read' | 'service-policy.create' | 'service-policy.update' | 'service-policy.delete' | 'terminator' | 'terminator.read' | 'terminator.create' | 'terminator.update' | 'terminator.delete' | 'webhook' | 'webhook.read' | 'webhook.create' | 'webhook.update' | 'webhook.delete')[] | null;

/** A new posture check; `typeId` decides which model applies. */
export type PostureCheckCreate =
  | PostureCheckDomainCreate
  | PostureCheckMacAddressCreate
  | PostureCheckMfaCreate
  | PostureCheckOperatingSystemCreate
  | PostureCheckProcessCreate
  | PostureCheckProcessMultiCreate;

/** What every PostureCheckCreate has. */
export interface PostureCheckCreateBase {
  /** Name of the check; unique. */
  name: string;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  typeId: string;
}

/** A new check of Windows domains. */
export interface PostureCheckDomainCreate extends PostureCheckCreateBase {
  /** Domains, one of which the device has to be in. */
  domains: string[];
  typeId: 'DOMAIN' | 'postureCheckDomainCreate';
}

/** Changes to a check of Windows domains. */
export interface PostureCheckDomainPatch extends PostureCheckPatchBase {
  /** Domains, one of which the device has to be in. */
  domains?: string[] | null;
  typeId: 'DOMAIN' | 'postureCheckDomainPatch';
}

/** A check of Windows domains as it shall be. */
export interface PostureCheckDomainUpdate extends PostureCheckUpdateBase {
  /** Domains, one of which the device has to be in. */
  domains: string[];
  typeId: 'DOMAIN' | 'postureCheckDomainUpdate';
}

/** A new check of hardware addresses. */
export interface PostureCheckMacAddressCreate extends PostureCheckCreateBase {
  /** Addresses, one of which the device has to have. */
  macAddresses: string[];
  typeId: 'MAC' | 'postureCheckMacAddressCreate';
}

/** Changes to a check of hardware addresses. */
export interface PostureCheckMacAddressPatch extends PostureCheckPatchBase {
  /** Addresses, one of which the device has to have. */
  macAddresses?: string[] | null;
  typeId: 'MAC' | 'postureCheckMacAddressPatch';
}

/** A check of hardware addresses as it shall be. */
export interface PostureCheckMacAddressUpdate extends PostureCheckUpdateBase {
  /** Addresses, one of which the device has to have. */
  macAddresses: string[];
  typeId: 'MAC' | 'postureCheckMacAddressUpdate';
}

/** A new check of TOTP codes. */
export interface PostureCheckMfaCreate extends PostureCheckCreateBase, PostureCheckMfaProperties {
  typeId: 'MFA' | 'postureCheckMfaCreate';
}

/** Changes to a check of TOTP codes. */
export interface PostureCheckMfaPatch extends PostureCheckPatchBase, PostureCheckMfaPropertiesPatch {
  typeId: 'MFA' | 'postureCheckMfaPatch';
}

/** When a TOTP code has to be given again. */
export interface PostureCheckMfaProperties {
  /** Whether the time limit is waived for API sessions whose client has reported no wake or unlock, as old clients do. */
  ignoreLegacyEndpoints?: boolean | null;
  /** Whether a code is due within five minutes of an unlock. */
  promptOnUnlock?: boolean | null;
  /** Whether a code is due within five minutes of a wake. */
  promptOnWake?: boolean | null;
  /** Seconds that a code lasts; 0 or -1 for no limit, read back as -1. */
  timeoutSeconds?: number | null;
}

/** Changes to when a TOTP code has to be given again. */
export interface PostureCheckMfaPropertiesPatch {
  /** Whether the time limit is waived for API sessions whose client has reported no wake or unlock, as old clients do. */
  ignoreLegacyEndpoints?: boolean | null;
  /** Whether a code is due within five minutes of an unlock. */
  promptOnUnlock?: boolean | null;
  /** Whether a code is due within five minutes of a wake. */
  promptOnWake?: boolean | null;
  /** Seconds that a code lasts; 0 or -1 for no limit, read back as -1. */
  timeoutSeconds?: number | null;
}

/** A check of TOTP codes as it shall be. */
export interface PostureCheckMfaUpdate extends PostureCheckUpdateBase, PostureCheckMfaProperties {
  typeId: 'MFA' | 'postureCheckMfaUpdate';
}

/** A new check of operating systems. */
export interface PostureCheckOperatingSystemCreate extends PostureCheckCreateBase {
  /** Operating systems, one of which the device has to run. */
  operatingSystems: OperatingSystem[];
  typeId: 'OS' | 'postureCheckOperatingSystemCreate';
}

/** Changes to a check of operating systems. */
export interface PostureCheckOperatingSystemPatch extends PostureCheckPatchBase {
  /** Operating systems, one of which the device has to run. */
  operatingSystems?: OperatingSystem[] | null;
  typeId: 'OS' | 'postureCheckOperatingSystemPatch';
}

/** A check of operating systems as it shall be. */
export interface PostureCheckOperatingSystemUpdate extends PostureCheckUpdateBase {
  /** Operating systems, one of which the device has to run. */
  operatingSystems: OperatingSystem[];
  typeId: 'OS' | 'postureCheckOperatingSystemUpdate';
}

/** Changes to a posture check; `typeId` decides which model applies. */
export type PostureCheckPatch =
  | PostureCheckDomainPatch
  | PostureCheckMacAddressPatch
  | PostureCheckMfaPatch
  | PostureCheckOperatingSystemPatch
  | PostureCheckProcessMultiPatch
  | PostureCheckProcessPatch;

/** What every PostureCheckPatch has. */
export interface PostureCheckPatchBase {
  /** Name of the check; unique. */
  name?: string | null;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  typeId: string;
}

/** A new check of a process. */
export interface PostureCheckProcessCreate extends PostureCheckCreateBase {
  process: Process;
  typeId: 'PROCESS' | 'postureCheckProcessCreate';
}

/** A new check of processes. */
export interface PostureCheckProcessMultiCreate extends PostureCheckCreateBase {
  /** The processes. */
  processes: ProcessMulti[];
  semantic: PostureCheckProcessSemantic;
  typeId: 'PROCESS_MULTI' | 'postureCheckProcessMultiCreate';
}

/** Changes to a check of processes. */
export interface PostureCheckProcessMultiPatch extends PostureCheckPatchBase {
  /** The processes. */
  processes?: ProcessMulti[] | null;
  semantic?: PostureCheckProcessSemantic | null;
  typeId: 'PROCESS_MULTI' | 'postureCheckProcessMultiPatch';
}

/** A check of processes as it shall be. */
export interface PostureCheckProcessMultiUpdate extends PostureCheckUpdateBase {
  /** The processes. */
  processes: ProcessMulti[];
  semantic: PostureCheckProcessSemantic;
  typeId: 'PROCESS_MULTI' | 'postureCheckProcessMultiUpdate';
}

/** Changes to a check of a process. */
export interface PostureCheckProcessPatch extends PostureCheckPatchBase {
  process?: ProcessPatch;
  typeId: 'PROCESS' | 'postureCheckProcessPatch';
}

/** `AllOf` asks for every process, `AnyOf` for at least one. */
export type PostureCheckProcessSemantic = 'AllOf' | 'AnyOf' | 'OneOf';

/** A check of a process as it shall be. */
export interface PostureCheckProcessUpdate extends PostureCheckUpdateBase {
  process: Process;
  typeId: 'PROCESS' | 'postureCheckProcessUpdate';
}

/** Kind of a posture check; it decides which model applies. */
export type PostureCheckType = 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';

/** A posture check as it shall be; `typeId` decides which model applies. */
export type PostureCheckUpdate =
  | PostureCheckDomainUpdate
  | PostureCheckMacAddressUpdate
  | PostureCheckMfaUpdate
  | PostureCheckOperatingSystemUpdate
  | PostureCheckProcessMultiUpdate
  | PostureCheckProcessUpdate;

/** What every PostureCheckUpdate has. */
export interface PostureCheckUpdateBase {
  /** Name of the check; unique. */
  name: string;
  /** Role attributes, without the `#` that selects them; kept as a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  typeId: string;
}

/** A process on the device. */
export interface Process {
  /** SHA-256 hashes of the binary in hex, one of which has to match; empty for any. */
  hashes?: string[] | null;
  os?: OsType | null;
  osType?: OsType | null;
  /** Path of the binary. */
  path: string;
  /** SHA-1 of the certificate that signed the binary, hex; Windows only. */
  signerFingerprint?: string | null;
}

/** A process on the device, with several accepted signers. */
export interface ProcessMulti {
  /** SHA-256 hashes of the binary in hex, one of which has to match; empty for any. */
  hashes?: string[] | null;
  os?: OsType | null;
  osType?: OsType | null;
  /** Path of the binary. */
  path: string;
  /** SHA-1 of certificates in hex, one of which has to have signed the binary; empty for any. */
  signerFingerprints?: string[] | null;
}

/** Changes to the process of a check. */
export type ProcessPatch = {
  /** SHA-256 hashes of the binary in hex, one of which has to match; empty for any. */
  hashes?: string[] | null;
  os?: OsType | null;
  osType?: OsType | null;
  /** Path of the binary. */
  path?: string | null;
  /** SHA-1 of the certificate that signed the binary, hex; empty for any. */
  signerFingerprint?: string | null;
} | null;

/** How long the new enrollment is valid. */
export interface ReEnroll {
  /** When the token expires, in the future. */
  expiresAt: string;
}

/** What the renewal should be like. */
export interface RequestExtendAuthenticator {
  /** Whether the renewal must use a new key; one with the old key is then refused. */
  rollKeys?: boolean | null;
}

/** What to revoke. */
export interface RevocationCreate {
  /** What is revoked, by its type: the `jti` of a token, the id of an identity, or that of an API session. */
  id: string;
  tags?: Tags;
  type: RevocationTypeEnum;
}

/** What the id names: a token (`JTI`), an identity (`IDENTITY`) or an API session (`API_SESSION`). */
export type RevocationTypeEnum = 'JTI' | 'IDENTITY' | 'API_SESSION';

/** A new transit router. */
export interface RouterCreate {
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** Changes to a transit router. */
export interface RouterPatch {
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Name of the router; unique. */
  name?: string | null;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** A transit router as it shall be. */
export interface RouterUpdate {
  /** Ids of the configs that the router gets, at most one of a type, all of types for routers. */
  configs?: string[] | null;
  /** What a path through the router costs; 0 when absent. */
  cost?: number | null;
  /** Addresses at which the router listens for controllers, each with the names of its groups. */
  ctrlChanListeners?: Record<string, string[] | null> | null;
  /** Whether the router is out of service. */
  disabled?: boolean | null;
  /** Name of the router; unique. */
  name: string;
  /** Whether the router only starts and ends paths, and is never passed through. */
  noTraversal?: boolean | null;
  tags?: Tags;
}

/** The software of a client, as it told at its last login. */
export interface SdkInfo {
  /** Name of the application. */
  appId?: string | null;
  /** Version of the application. */
  appVersion?: string | null;
  /** Source branch of the SDK. */
  branch?: string | null;
  /** Source revision of the SDK. */
  revision?: string | null;
  /** Name of the SDK. */
  type?: string | null;
  /** Version of the SDK. */
  version?: string | null;
}

/** `AllOf` selects what has every `#attribute` of a role list, `AnyOf` what has at least one; `@id` selectors always add. */
export type Semantic = 'AllOf' | 'AnyOf';

/** A config for a service. */
export interface ServiceConfigAssign {
  /** Id of the config. */
  configId: string;
  /** Id of the service. */
  serviceId: string;
}

/** Configs for services. */
export type ServiceConfigsAssignList = ServiceConfigAssign[];

/** A new service. */
export interface ServiceCreate {
  /** Ids of the configs of the service. */
  configs?: string[] | null;
  /** Whether both ends have to encrypt end to end. */
  encryptionRequired: boolean;
  /** Milliseconds after which idle circuits are taken down; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique. */
  name: string;
  /** Role attributes, a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** A new service edge router policy. */
export interface ServiceEdgeRouterPolicyCreate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
}

/** Changes to a service edge router policy. */
export interface ServiceEdgeRouterPolicyPatch {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Name of the policy; unique. */
  name?: string | null;
  semantic?: Semantic | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
}

/** A service edge router policy as it shall be. */
export interface ServiceEdgeRouterPolicyUpdate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  edgeRouterRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  semantic: Semantic;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
}

/** Changes to a service. */
export interface ServicePatch {
  /** Ids of the configs of the service. */
  configs?: string[] | null;
  /** Whether both ends have to encrypt end to end. */
  encryptionRequired?: boolean | null;
  /** Milliseconds after which idle circuits are taken down; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique. */
  name?: string | null;
  /** Role attributes, a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** A new service policy. */
export interface ServicePolicyCreate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  postureCheckRoles?: string[] | null;
  semantic: Semantic;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
  type: DialBind;
}

/** Changes to a service policy. */
export interface ServicePolicyPatch {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name?: string | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  postureCheckRoles?: string[] | null;
  semantic?: Semantic | null;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
  type?: DialBind | null;
}

/** A service policy as it shall be. */
export interface ServicePolicyUpdate {
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  identityRoles?: string[] | null;
  /** Name of the policy; unique. */
  name: string;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  postureCheckRoles?: string[] | null;
  semantic: Semantic;
  /** Selectors of entities, a sorted set: `#attribute`, `@id`, or `#all` alone. */
  serviceRoles?: string[] | null;
  tags?: Tags;
  type: DialBind;
}

/** A service as it shall be. */
export interface ServiceUpdate {
  /** Ids of the configs of the service. */
  configs?: string[] | null;
  /** Whether both ends have to encrypt end to end. */
  encryptionRequired?: boolean | null;
  /** Milliseconds after which idle circuits are taken down; 0 for never. */
  maxIdleTimeMillis?: number | null;
  /** Name of the service; unique. */
  name: string;
  /** Role attributes, a sorted set without duplicates. */
  roleAttributes?: string[] | null;
  tags?: Tags;
  terminatorStrategy?: TerminatorStrategy | null;
}

/** Values of the user's own, by name. */
export type Tags = Record<string, unknown> | null;

/** Which token of the provider clients send. */
export type TargetToken = 'ACCESS' | 'ID' | null;

/** Cost of a terminator; traffic prefers low ones. */
export type TerminatorCost = number;

/** A terminator to be made. */
export interface TerminatorCreate {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  /** Tells apart the instances that host one service; empty when there is one. */
  identity?: string | null;
  /** Secret by which an instance proves to be itself, in base64; never answered. */
  identitySecret?: string | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router: string;
  /** Id of the service that it serves. */
  service: string;
  tags?: Tags;
}

/** What to change; null and absent fields stay as they are. */
export interface TerminatorPatch {
  /** Where the router sends the traffic, in the form of the binding. */
  address?: string | null;
  /** How the router reaches the address. */
  binding?: string | null;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router?: string | null;
  /** Id of the service that it serves. */
  service?: string | null;
  tags?: Tags;
}

/** Rank of a terminator. */
export type TerminatorPrecedence = 'default' | 'required' | 'failed';

/** How traffic is spread over the terminators of a service. */
export type TerminatorStrategy = string;

/** A terminator as it shall be. */
export interface TerminatorUpdate {
  /** Where the router sends the traffic, in the form of the binding. */
  address: string;
  /** How the router reaches the address. */
  binding: string;
  /** Cost of a terminator; traffic prefers low ones. */
  cost?: number | null;
  precedence?: TerminatorPrecedence | null;
  /** Id of the router that it is on. */
  router: string;
  /** Id of the service that it serves. */
  service: string;
  tags?: Tags;
}

/** What to trace, and how long. */
export interface TraceSpec {
  /** Kinds of channels to routers that are meant. */
  channels?: string[] | null;
  /** How long to trace, as Go writes durations: `90s`, `1h30m`; more than nothing and up to `744h`. */
  duration?: string | null;
  /** Whether to trace. */
  enabled?: boolean | null;
  /** Name of the trace: letters, digits, `_`, `.`, `:` and `-`. */
  traceId?: string | null;
}

/** A username, unique among all authenticators and enrollments of other identities. */
export type Username = string;

/** A new username; null leaves it as it is. */
export type UsernameNullable = string | null;

/** A new webhook. */
export interface WebhookCreate {
  /** Whether events are sent to it. */
  enabled?: boolean | null;
  /** The kinds of events that are sent, such as `identity.*`; empty for all. */
  kinds?: string[] | null;
  /** Unique name. */
  name: string;
  /** What messages are signed with, `whsec_` and the base64 of 24 to 64 bytes. */
  secret?: string | null;
  tags?: Tags;
  /** Where events are sent, an `https` URL of a public address, or of one that `outgoing.allow` names. */
  url: string;
}

/** What to change; what is absent or null stays. */
export interface WebhookPatch {
  /** Whether events are sent to it. */
  enabled?: boolean | null;
  /** The kinds of events that are sent, such as `identity.*`; empty for all. */
  kinds?: string[] | null;
  /** Unique name. */
  name?: string | null;
  /** What messages are signed with, `whsec_` and the base64 of 24 to 64 bytes. */
  secret?: string | null;
  tags?: Tags;
  /** Where events are sent, an `https` URL of a public address, or of one that `outgoing.allow` names. */
  url?: string | null;
}

/** Which dead letters to send again. */
export interface WebhookRedeliver {
  /** Their ids; without it all of the webhook. */
  ids?: string[] | null;
}

/** The webhook as it shall be. */
export type WebhookUpdate = WebhookCreate;
