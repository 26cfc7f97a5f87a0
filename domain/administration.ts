/** What administrators set and end besides entities: settings of controllers, traces, revocations. */
import type { BaseEntity, Tags } from './model.js';

/** The id of what is set for all controllers together. */
export const GLOBAL_SETTINGS = 'global';

/** Where logins and logouts by OpenID Connect may lead. null: nothing is set. */
export interface OidcUris {
  readonly redirectUris: readonly string[] | null;
  readonly postLogoutUris: readonly string[] | null;
}

export interface ControllerSettingDraft extends OidcUris {
  readonly tags: Tags;
}

/** What was set for one controller, whose id it has, or for all. */
export type ControllerSettings = BaseEntity & OidcUris;

/** What was set for one controller, and what holds for it. */
export interface EffectiveSettings extends BaseEntity {
  readonly instance: OidcUris;
  readonly effective: OidcUris;
}

/** A name under which the requests of an identity are logged for a while. */
export interface Trace {
  readonly traceId: string;
  readonly endsAt: Date;
}

/** What the id of a revocation names: a token, an identity or an API session. */
export type RevocationType = 'JTI' | 'IDENTITY' | 'API_SESSION';

/** What no longer counts; its id is that of what was revoked. */
export interface Revocation extends BaseEntity {
  readonly type: RevocationType;
  /** Of an identity: what it was given later counts. */
  readonly issuedBefore: Date;
  /** When all that it concerns has ended by itself. */
  readonly expiresAt: Date;
}
