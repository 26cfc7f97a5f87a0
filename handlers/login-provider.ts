/** The part of a controller by which users log in as OpenID Connect says, as handlers use it. */
import type { JwtSigner } from '../domain/auth/signed-jwt.js';
import type { SessionToken } from '../domain/oidc/claims.js';

/** Endpoints by which users log in as OpenID Connect says. */
export interface LoginProvider {
  /** Addresses that a login or a logout may return to. */
  readonly redirectUris: readonly string[];
  readonly logoutUris: readonly string[];
  readonly seconds: LoginLifetimes;
  /** Derives codes and ids of tokens: the same on every controller. */
  readonly key: Buffer;
  /** The issuer of a request by its `Host`; undefined for a host of others. */
  issuerAt(host: string | undefined): string | undefined;
  /** Signer with the key that serves TLS. */
  signer(): Pick<JwtSigner, 'algorithm' | 'sign'>;
  /** Reads a token of a login that this network has signed; when it ends is for the caller to look at. */
  read(token: string): SessionToken | undefined;
}

/** Lifetimes in seconds. */
export interface LoginLifetimes {
  readonly access: number;
  readonly refresh: number;
  readonly id: number;
  /** Time for which tokens that come of one login can be refreshed. */
  readonly session: number;
}
