/** What handlers work with. Built once by server/; everything here is safe to use from many requests at once. */
import type { Stores } from '../db/stores.js';
import type { ConfigType, EnrollmentDraft, EnrollmentMethod } from '../domain/model.js';
import type { ApiSession, PolicyType } from '../domain/model.js';
import type { Api } from '../generated/operation.js';
import type { WrittenCache } from './written-cache.js';

/** Hashing of passwords, bounded in how many run and wait. @throws DomainError `tooManyRequests` */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Does the same work when `hash` is undefined, and answers false. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** An API session with what changes in memory before it reaches the database. */
export interface LiveSession {
  readonly session: ApiSession;
  /** Activity seen by this controller, not yet written. */
  readonly cachedLastActivityAt: Date;
}

export interface Sessions {
  readonly timeoutSeconds: number;
  /** Opens a session and answers its token, which is nowhere else. */
  open(draft: { identityId: string; authenticatorId: string; ipAddress: string; configTypes: readonly string[] }): Promise<{ token: string }>;
  /** The session of a token; found without hashing it when the id is known. @throws DomainError `unauthenticated` */
  live(token: string, apiSessionId?: string): Promise<LiveSession>;
  /** Call after the database has forgotten or changed them, so that this controller does at once. */
  forget(apiSessionId: string): void;
  forgetIdentity(identityId: string): void;
}

export interface Enrollments {
  /** A new one-time token and its signed JWT. @param subjectId the identity or router that enrolls */
  issue(subjectId: string, method: EnrollmentMethod, expiresAt: Date): Promise<Pick<EnrollmentDraft, 'token' | 'jwt'>>;
  /** When an enrollment made now without a given end expires. */
  defaultExpiry(): Date;
  networkJwt(): Promise<string>;
}

export interface SessionTokens {
  /** The JWT by which routers admit a session. */
  sign(session: { id: string; apiSessionId: string; identityId: string; serviceId: string; type: PolicyType }): Promise<string>;
}

export interface NetworkInfo {
  readonly controllerId: string;
  readonly name: string;
  /** `host:port` that clients reach. */
  readonly advertise: string;
  readonly startedAt: Date;
  /** Base64 of a PKCS#7 bundle of the trusted CA certificates, 64 columns. */
  readonly caBundlePkcs7: string;
}

export interface VersionInfo {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly runtimeVersion: string;
}

/** The two API descriptions as they are served. */
export interface Documents {
  readonly publishedAt: Date;
  text(api: Api, format: 'yaml' | 'json'): string;
}

export interface Services {
  readonly stores: Stores;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly enrollments: Enrollments;
  readonly sessionTokens: SessionTokens;
  readonly network: NetworkInfo;
  readonly version: VersionInfo;
  readonly documents: Documents;
  /** Answers that hold until the access epoch moves. */
  readonly written: WrittenCache;
  readonly newId: () => string;
  /** @throws DomainError `invalidField` when `data` breaks the type's schema */
  readonly checkConfigData: (type: ConfigType, data: unknown) => void;
  /** @throws DomainError `invalidField` when it is no usable schema */
  readonly checkConfigSchema: (schema: object) => void;
}
