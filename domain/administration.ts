/** Administrative records apart from entities: settings of controllers, traces, revocations. */
import type { BaseEntity, Tags } from './model.js';

/** The id of what is set for all controllers together. */
export const GLOBAL_SETTINGS = 'global';

/** URIs that logins and logouts by OpenID Connect may redirect to. null: not set. */
export interface OidcUris {
  readonly redirectUris: readonly string[] | null;
  readonly postLogoutUris: readonly string[] | null;
}

export interface ControllerSettingDraft extends OidcUris {
  readonly tags: Tags;
}

/** Settings of one controller, with the controller's id, or of all controllers. */
export type ControllerSettings = BaseEntity & OidcUris;

/** Settings of one controller as set, and as in effect with the settings of all. */
export interface EffectiveSettings extends BaseEntity {
  readonly instance: OidcUris;
  readonly effective: OidcUris;
}

/** A name under which the requests of an identity are logged for a while. */
export interface Trace {
  readonly traceId: string;
  readonly endsAt: Date;
}

/** Kind of the id that a revocation names: a token, an identity or an API session. */
export type RevocationType = 'JTI' | 'IDENTITY' | 'API_SESSION';

/** Revocation of a token, an identity or an API session; it has the id of what it revokes. */
export interface Revocation extends BaseEntity {
  readonly type: RevocationType;
  /** Tokens of an identity issued later are still accepted. */
  readonly issuedBefore: Date;
  /** Time at which everything that it concerns has ended by itself. */
  readonly expiresAt: Date;
}
