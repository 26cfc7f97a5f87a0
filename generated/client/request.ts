// Generated from specs/ by scripts/generate. Do not edit.

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

/** Ids or names of config types, or `all`. */
export type ConfigTypes = string[] | null;

export type CreatePostureResponseBulkBody = PostureResponseCreate[];

/** What a certificate of an API session is made from. */
export interface CurrentApiSessionCertificateCreate {
  /** Certificate signing request (PKCS#10) as one PEM block of at most 16,384 characters, signed with SHA-256 or better by a key on P-256, P-384… */
  csr: string;
}

/** Whether traffic is sent to a service (`Dial`) or served (`Bind`). */
export type DialBind = 'Dial' | 'Bind' | 'Invalid';

export interface EnrollUpdbBody {
  password: Password;
  /** A username, unique among all authenticators and enrollments of other identities. */
  username?: string | null;
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

/** What an edge router enrolls with. */
export interface ErOttEnrollmentRequest {
  /** CSR of the client certificate, PEM. */
  clientCsr?: string | null;
  /** CSR of the server certificate, PEM, with the host names and addresses that clients reach the router by. */
  serverCsr?: string | null;
  /** Token of the enrollment, when the query has none. */
  token?: string | null;
}

/** What the methods of enrollment need. */
export interface GenericEnroll {
  /** CSR of a router's client certificate, PEM. */
  certCsr?: string | null;
  /** CSR of the client certificate, PEM. */
  clientCsr?: string | null;
  /** Name that the identity asks for, for `ca`; what is beyond 500 characters is cut. */
  name?: string | null;
  /** A password. */
  password?: string | null;
  /** CSR of a router's server certificate, PEM. */
  serverCertCsr?: string | null;
  /** A username, unique among all authenticators and enrollments of other identities. */
  username?: string | null;
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

/** A code of the second factor. */
export interface MfaCode {
  /** Six digits of an authenticator app, or a recovery code where one will do. */
  code: string;
}

/** Something to sign. */
export interface NonceChallenge {
  /** Id of the key to sign with. */
  keyId: string;
  /** A value that was never signed before. */
  nonce: string;
}

/** What an identity enrolls with. */
export interface OttEnrollmentRequest {
  /** CSR of the client certificate, PEM, for `ott`. */
  clientCsr?: string | null;
  /** Token of the enrollment, when the query has none. */
  token?: string | null;
}

/** Values of the user's own, by name, as a caller writes them to what belongs to it. */
export type OwnerTags = Record<string, unknown> | null;

/** A password. */
export type Password = string;

/** A new password; null leaves it as it is. */
export type PasswordNullable = string | null;

/** A report on the device; `typeId` decides which model applies. */
export type PostureResponseCreate =
  | PostureResponseDomainCreate
  | PostureResponseEndpointStateCreate
  | PostureResponseMacAddressCreate
  | PostureResponseOperatingSystemCreate
  | PostureResponseProcessCreate;

/** What every PostureResponseCreate has. */
export interface PostureResponseCreateBase {
  /** Id of the posture check that is answered. */
  id: string;
  typeId: string;
}

/** The Windows domain of the device. */
export interface PostureResponseDomainCreate extends PostureResponseCreateBase {
  /** Name of the domain; empty for none. */
  domain: string;
  typeId: 'DOMAIN' | 'postureResponseDomainCreate';
}

/** Something that happened to the device. */
export interface PostureResponseEndpointStateCreate extends PostureResponseCreateBase {
  typeId: 'ENDPOINT_STATE' | 'postureResponseEndpointStateCreate';
  /** Whether it was unlocked just now. */
  unlocked?: boolean | null;
  /** Whether it woke from sleep just now. */
  woken?: boolean | null;
}

/** The hardware addresses of the device. */
export interface PostureResponseMacAddressCreate extends PostureResponseCreateBase {
  /** All addresses. */
  macAddresses: string[];
  typeId: 'MAC' | 'postureResponseMacAddressCreate';
}

/** The operating system of the device. */
export interface PostureResponseOperatingSystemCreate extends PostureResponseCreateBase {
  /** Number of the build. */
  build?: string | null;
  /** Name of the system in any usual spelling, such as `WindowsServer` or `Windows Server`. */
  type: string;
  typeId: 'OS' | 'postureResponseOperatingSystemCreate';
  /** Its version, a semantic one. */
  version: string;
}

/** The state of one process that a check of type `PROCESS` or `PROCESS_MULTI` asks for. */
export interface PostureResponseProcessCreate extends PostureResponseCreateBase {
  /** SHA-256 of the binary in hex. */
  hash?: string | null;
  /** Whether it runs. */
  isRunning?: boolean | null;
  /** Path of the binary as the check has it. */
  path?: string | null;
  /** SHA-1 of the certificates that signed the binary, in hex. */
  signerFingerprints?: string[] | null;
  typeId: 'PROCESS' | 'postureResponseProcessCreate';
}

/** Kind of a report on the device; it decides which model applies. */
export type PostureResponseType = 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'ENDPOINT_STATE';

/** What a router renews its certificates with. */
export interface RouterExtendEnrollmentRequest {
  /** CSR of the client certificate, PEM. */
  certCsr: string;
  /** CSR of the server certificate, PEM, with the host names and addresses that clients reach the router by. */
  serverCertCsr: string;
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

/** A session to be made. */
export interface SessionCreate {
  /** Id of the service. */
  serviceId?: string | null;
  tags?: OwnerTags;
  type?: DialBind | null;
}

/** Values of the user's own, by name. */
export type Tags = Record<string, unknown> | null;

/** How traffic is spread over the terminators of a service. */
export type TerminatorStrategy = string;

/** What a token of an external JWT signer enrolls to. */
export interface TokenEnrollmentRequest {
  /** CSR of the client certificate, PEM. */
  clientCsr?: string | null;
}

/** A username, unique among all authenticators and enrollments of other identities. */
export type Username = string;

/** A new username; null leaves it as it is. */
export type UsernameNullable = string | null;
