/** The keys and names with which this controller logs users in: tokens are signed and read here, and nowhere else. */
import { createPublicKey, X509Certificate } from 'node:crypto';
import { parseHostPort } from '../../domain/pki/server-name.js';
import { readSessionToken } from '../../domain/oidc/claims.js';
import { hostsOfCertificate, Issuers } from '../../domain/oidc/issuers.js';
import { isOwn, ownClaims } from '../../domain/oidc/own-token.js';
import type { OwnKey } from '../../domain/oidc/own-token.js';
import { SignedHere } from '../../domain/oidc/signed-here.js';
import { DEFAULT_LOGOUT_URIS, DEFAULT_REDIRECT_URIS } from '../../domain/oidc/redirects.js';
import type { JwtSigner } from '../../domain/auth/signed-jwt.js';
import type { Stores } from '../../db/stores/stores.js';
import type { LoginProvider } from '../../handlers/login-provider.js';
import type { Settings } from '../settings/config.js';
import type { ServerIdentity } from './renewal.js';

export interface LoginProviderOptions {
  readonly config: Pick<
    Settings,
    | 'advertise'
    | 'listen'
    | 'oidcHosts'
    | 'oidcRedirectUris'
    | 'oidcLogoutUris'
    | 'oidcAccessToken'
    | 'oidcRefreshToken'
    | 'oidcIdToken'
    | 'oidcSession'
  >;
  readonly identity: Pick<ServerIdentity, 'signer' | 'otherFingerprints'>;
  readonly stores: Pick<Stores, 'controllers'>;
  readonly key: Buffer;
}

export interface RunningLoginProvider extends LoginProvider {
  /** Whether a token names a key of this network. */
  isOwn(token: string): boolean;
  /** Looks again where the network's controllers are reached: each takes what any of them has issued. */
  controllersChanged(): Promise<void>;
}

export async function openLoginProvider(options: LoginProviderOptions): Promise<RunningLoginProvider> {
  const { config, identity, stores, key } = options;
  const keyOf = ownKeys(identity);
  const signedHere = new SignedHere();
  let advertised: readonly string[] = [];
  let made: { readonly signer: JwtSigner; readonly by: readonly string[]; readonly issuers: Issuers } | undefined;
  const issuers = (): Issuers => {
    const signer = identity.signer();
    if (made?.signer === signer && made.by === advertised) return made.issuers;
    made = {
      signer,
      by: advertised,
      issuers: issuersOf(signer, config.oidcHosts, [config.advertise, config.listen, ...advertised]),
    };
    return made.issuers;
  };
  const provider: RunningLoginProvider = {
    ...returnsOf(config),
    seconds: {
      access: config.oidcAccessToken,
      refresh: config.oidcRefreshToken,
      id: config.oidcIdToken,
      session: config.oidcSession,
    },
    key,
    issuerAt: (host) => issuers().ofHost(host),
    signer: () => remembering(identity.signer(), signedHere),
    isOwn: (token) => isOwn(token, keyOf),
    read(token) {
      const claims = ownClaims(token, keyOf, (each) => signedHere.has(each));
      return claims && readSessionToken(claims, (issuer) => issuers().has(issuer));
    },
    async controllersChanged() {
      const endpoints = await stores.controllers.endpoints();
      advertised = endpoints.flatMap((endpoint) => endpoint.advertised);
    },
  };
  await provider.controllersChanged();
  return provider;
}

/** Refresh tokens come back, each once: access tokens are remembered where they are first shown. */
const remembering = (signer: JwtSigner, signedHere: SignedHere): ReturnType<LoginProvider['signer']> => ({
  algorithm: signer.algorithm,
  async sign(claims) {
    const token = await signer.sign(claims);
    if (claims['z_t'] === 'r') signedHere.add(token);
    return token;
  },
});

/** The key that serves TLS has a name for each certificate that it had: tokens that were signed before have those. */
function ownKeys({ signer, otherFingerprints }: LoginProviderOptions['identity']) {
  let known: { readonly signer: JwtSigner; readonly own: OwnKey } | undefined;
  return (kid: string): OwnKey | undefined => {
    const current = signer();
    if (kid !== current.kid && !otherFingerprints().includes(kid)) return undefined;
    if (known?.signer !== current) {
      const { kty, crv, x, y, n, e } = current.publicJwk;
      const jwk = { kty, ...(crv && x && y && { crv, x, y }), ...(n && e && { n, e }) };
      known = {
        signer: current,
        own: { key: createPublicKey({ key: jwk, format: 'jwk' }), algorithm: current.algorithm },
      };
    }
    return known.own;
  };
}

function issuersOf({ publicJwk }: JwtSigner, listed: readonly string[], addresses: readonly string[]): Issuers {
  const certificate = new X509Certificate(Buffer.from(publicJwk.x5c[0] ?? '', 'base64'));
  const reached = addresses.map(parseHostPort);
  return new Issuers({
    hosts: [...new Set([...hostsOfCertificate(certificate), ...listed, parseHostPort(addresses[0] ?? '').host])],
    ports: [...new Set(reached.map(({ port }) => port))],
  });
}

/** Settings take the place of what is registered otherwise: loopback, and a page of this controller's own address. */
function returnsOf({ advertise, oidcRedirectUris, oidcLogoutUris }: LoginProviderOptions['config']) {
  const origin = `https://${advertise.replace(/:443$/, '')}`;
  const either = (given: readonly string[], registered: readonly string[], page: string) =>
    given.length > 0 ? given : [...registered, `${origin}/auth/${page}`];
  return {
    redirectUris: either(oidcRedirectUris, DEFAULT_REDIRECT_URIS, 'callback'),
    logoutUris: either(oidcLogoutUris, DEFAULT_LOGOUT_URIS, 'logout'),
  };
}
