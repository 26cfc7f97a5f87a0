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
import { retireRoots } from './authority-keys.js';
import type { NetworkKeys, Renewable, ServerEntity } from './network-keys.js';
import type { SigningEntity } from './pki-records.js';
import type { RunningPki } from './pki.js';
import { secureContext } from '../sockets/tls-server.js';

/**
 * The certificate that serves TLS, and the signer of JWTs, with the same key. A renewed certificate serves at once;
 * JWTs name it when routers have been told of it.
 */
export interface ServerIdentity {
  readonly signer: () => JwtSigner;
  readonly fingerprint: () => string;
  /** End of the certificate. */
  readonly notAfter: () => Date;
  /** See `ServerEntity`. */
  readonly otherFingerprints: () => readonly string[];
  replace(server: ServerEntity): void;
}

export function serverIdentity(first: ServerEntity): ServerIdentity {
  const stateOf = (server: ServerEntity) => ({
    signer: createJwtSigner(server.named),
    fingerprint: server.fingerprint,
    otherFingerprints: server.otherFingerprints,
    notAfter: new Date(new X509Certificate(server.certPem).validTo),
  });
  let state = stateOf(first);
  return {
    signer: () => state.signer,
    fingerprint: () => state.fingerprint,
    otherFingerprints: () => state.otherFingerprints,
    notAfter: () => state.notAfter,
    replace: (server) => {
      state = stateOf(server);
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
 * @returns what looks for renewed keys, once at a time, and answers in how many milliseconds it is to look again. Open
 * connections keep the certificate they have; new ones get the new one.
 */
export function keepKeysFresh({ servers, pki, identity, current, announce, log }: RenewalOptions) {
  let announced = identity.fingerprint();
  const check = async () => {
    const next = await current();
    const chainBefore = pki.chainPem();
    pki.use(next.authority);
    const chainPem = pki.chainPem();
    const { fingerprint } = next.server;
    const isNew = fingerprint !== identity.fingerprint();
    if (isNew || chainPem !== chainBefore) {
      const context = secureContext(next.server.certPem + chainPem, next.server.privateKeyPem);
      for (const server of servers) server.setSecureContext(context);
      if (isNew) log.info({ fingerprint }, 'the server certificate was renewed');
    }
    if (isNew || next.server.named.fingerprint !== identity.signer().kid) identity.replace(next.server);
    if (fingerprint !== announced) {
      await announce(next.server);
      announced = fingerprint;
    }
    return next.changesInMs;
  };
  let last: Promise<number | undefined> = Promise.resolve(undefined);
  return (): Promise<number | undefined> =>
    (last = last.then(check).catch((error: unknown) => {
      noteFailure(log, error, 'the keys of the network could not be checked; it is tried again');
      return undefined;
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
    await refreshKeys(config, stores, network, controllerId, log, what);
    return (await stores.network.allPki()).filter(({ purpose }) => purpose === what).at(-1)?.certPem ?? '';
  });
}

/**
 * Ends the time in which earlier roots are trusted; controllers that run stop trusting them at once.
 * @param isForced  also while certificates below them let somebody in
 * @returns how many certificates that were in use are refused from now on
 * @throws ConfigError when there is no network, nothing to retire, or too early
 */
export async function retireEarlierRoots(config: Settings, isForced: boolean, log: Logger): Promise<number> {
  return withNetwork(config, log, ({ stores }) =>
    stores.transaction(async (tx) => {
      await tx.network.lockStart();
      return retireRoots(tx, isForced);
    }),
  );
}
