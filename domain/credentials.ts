/**
 * The entities by which an identity proves who it is: authenticators, enrollments, certificates and their authorities,
 * and the API sessions that a login opens.
 */
import type { RequiredSigner } from './auth/external-signer.js';
import type { BaseEntity, IdentityRef, NamedRef } from './entity.js';

export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
export type AuthenticatorMethod = 'updb' | 'cert';

/** A CA, as far as its links need it. */
export interface CaRef extends NamedRef {
  readonly isVerified: boolean;
  readonly isAutoCaEnrollmentEnabled: boolean;
}

export interface AuthenticatorSummary {
  readonly id: string;
  readonly method: AuthenticatorMethod;
  readonly username: string | null;
  readonly fingerprint: string | null;
}

export interface EnrollmentSummary {
  readonly id: string;
  readonly method: EnrollmentMethod;
  readonly ca: CaRef | null;
  readonly token: string;
  readonly jwt: string;
  readonly expiresAt: Date;
}

export interface Authenticator extends BaseEntity {
  readonly identity: IdentityRef;
  readonly method: AuthenticatorMethod;
  readonly username: string | null;
  readonly certPem: string | null;
  readonly fingerprint: string | null;
  /** State of the certificate; null for other methods. */
  readonly cert: CertificateState | null;
}

/** Facts about an authenticator's certificate, apart from its PEM. */
export interface CertificateState {
  readonly caId: string | null;
  /** Only what this network issued can be extended. */
  readonly isIssuedByNetwork: boolean;
  /** Whether the client sent every intermediate that its chain needs, at its last login. */
  readonly lastAuthResolvedToRoot: boolean;
  readonly extendRequestedAt: Date | null;
  readonly isKeyRollRequested: boolean;
  readonly lastExtendRolledKeys: boolean;
}

/** Location of an identity's `externalId` in a certificate of the CA. */
export interface ExternalIdClaim {
  readonly location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL';
  readonly matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME';
  readonly matcherCriteria: string;
  readonly parser: 'NONE' | 'SPLIT';
  readonly parserCriteria: string;
  readonly index: number;
}

/** Settings of a CA that can change after its creation. */
export interface CaSettings {
  readonly name: string;
  readonly isAuthEnabled: boolean;
  readonly isAutoCaEnrollmentEnabled: boolean;
  readonly isOttCaEnrollmentEnabled: boolean;
  readonly identityRoles: readonly string[];
  readonly identityNameFormat: string;
  readonly externalIdClaim: ExternalIdClaim | null;
}

/** A third party's certificate authority, trusted once it is verified. */
export interface Ca extends BaseEntity, CaSettings {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly isVerified: boolean;
  readonly verificationToken: string;
}

export interface ApiSessionCertificate extends BaseEntity {
  /** Leaf, then intermediates. */
  readonly certPem: string;
  readonly fingerprint: string;
  readonly subject: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

export interface Enrollment extends BaseEntity {
  readonly method: EnrollmentMethod;
  readonly identity: IdentityRef | null;
  readonly edgeRouter: NamedRef | null;
  readonly transitRouter: NamedRef | null;
  readonly ca: CaRef | null;
  readonly username: string | null;
  readonly token: string;
  readonly jwt: string;
  readonly expiresAt: Date;
}

export interface EnrollmentDraft {
  readonly id: string;
  readonly method: EnrollmentMethod;
  readonly caId: string | null;
  readonly username: string | null;
  readonly token: string;
  readonly jwt: string;
  readonly expiresAt: Date;
}

/** The API whose login opened an API session. */
export type SessionApi = 'client' | 'management';

/** How a caller proves who it is at a login. */
export type LoginMethod = 'password' | 'cert' | 'ext-jwt';

export interface ApiSession extends BaseEntity {
  readonly identity: IdentityRef;
  readonly authenticatorId: string;
  /** SHA-256 of the token; the token itself is never stored. */
  readonly tokenHash: Buffer;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  /** The identity has a verified TOTP enrollment. */
  readonly isMfaRequired: boolean;
  /** This session has given a code. */
  readonly isMfaComplete: boolean;
  /** A code is asked for, by the enrollment or by the auth policy, and none was given yet. */
  readonly owesTotp: boolean;
  /** The auth policy asks for a token of this signer with every request. */
  readonly requiredSigner: RequiredSigner | null;
  /** The certificate of the login was issued by this network. */
  readonly isCertExtendable: boolean;
  readonly isCertExtendRequested: boolean;
  readonly isCertKeyRollRequested: boolean;
  readonly improperClientCertChain: boolean;
  readonly lastActivityAt: Date;
}
