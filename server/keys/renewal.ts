/** Renewed keys and certificates, taken up while the controller runs; and how an administrator asks for them early. */
import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:tls';
import { newId } from '../../domain/auth/tokens.js';
import { createPasswordHasher } from '../../domain/auth/passwords.js';
import { createJwtSigner } from '../../domain/auth/signed-jwt.js';
import type { JwtSigner } from '../../domain/auth/signed-jwt.js';
import { openNetwork, refreshKeys } from './bootstrap.js';
import type { Settings } from '../settings/config.js';
import type { Logger } from '../base/log.js';
import { withNetwork } from '../data/network-access.js';
import { noteFailure } from '../base/outage-log.js';
import type { NetworkKeys, Renewable, ServerEntity, SigningEntity } from './network-keys.js';
import type { RunningPki } from './pki.js';
import { secureContext } from '../sockets/tls-server.js';

/** The certificate that serves TLS, and the signer of JWTs that names it: both change together when it is renewed. */
export interface ServerIdentity {
  readonly signer: () => JwtSigner;
  readonly fingerprint: () => string;
  /** When the certificate ends. */
  readonly notAfter: () => Date;
  /** See `ServerEntity`. */
  readonly earlierFingerprints: () => readonly string[];
  replace(server: ServerEntity): void;
}

export function serverIdentity(first: ServerEntity): ServerIdentity {
  const endOf = ({ certPem }: ServerEntity) => new Date(new X509Certificate(certPem).validTo);
  let [signer, { earlierFingerprints }, notAfter] = [createJwtSigner(first), first, endOf(first)];
  return {
    signer: () => signer,
    fingerprint: () => signer.kid,
    earlierFingerprints: () => earlierFingerprints,
    notAfter: () => notAfter,
    replace: (server) => {
      [signer, { earlierFingerprints }, notAfter] = [createJwtSigner(server), server, endOf(server)];
    },
  };
}

export interface RenewalOptions {
  readonly servers: readonly Pick<Server, 'setSecureContext'>[];
  readonly pki: RunningPki;
  readonly identity: ServerIdentity;
  readonly current: () => Promise<NetworkKeys>;
  /** Publishes this controller's certificate for the other controllers and the clients. */
  readonly announce: (server: SigningEntity) => Promise<unknown>;
  readonly log: Logger;
}

/**
 * @returns what looks for renewed keys, once at a time. Open connections keep the certificate they have; new ones get
 * the new one.
 */
export function keepKeysFresh({ servers, pki, identity, current, announce, log }: RenewalOptions): () => Promise<void> {
  let announced = identity.fingerprint();
  const check = async () => {
    const next = await current();
    if (pki.issuerPem() !== next.authority.intermediatePems[0]) await pki.use(next.authority);
    const { fingerprint } = next.server;
    if (fingerprint !== identity.fingerprint()) {
      const context = secureContext(next.server.certPem + pki.issuerPem(), next.server.privateKeyPem);
      for (const server of servers) server.setSecureContext(context);
      identity.replace(next.server);
      log.info({ fingerprint }, 'the server certificate was renewed');
    }
    if (fingerprint === announced) return;
    await announce(next.server);
    announced = fingerprint;
  };
  let last: Promise<void> = Promise.resolve();
  return () =>
    (last = last.then(check).catch((error: unknown) => {
      noteFailure(log, error, 'the keys of the network could not be checked; it is tried again');
    }));
}

/**
 * Renews a certificate of the network before its time; controllers that run take it up at once. Works with or without a
 * running controller, and needs that controller's settings: its name and addresses are in the certificate.
 * @returns the new certificate
 * @throws ConfigError when there is no network yet
 */
export async function renewEarly(config: Settings, what: Renewable, log: Logger): Promise<string> {
  return withNetwork(config, log, async ({ stores }) => {
    const controllerId = (await stores.controllers.idOf(config.name)) ?? newId();
    const network = await openNetwork(config, stores, createPasswordHasher(), controllerId, log);
    const { server, authority } = await refreshKeys(config, stores, network, controllerId, log, what);
    return what === 'server' ? server.certPem : (authority.intermediatePems[0] ?? '');
  });
}
