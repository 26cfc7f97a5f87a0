/**
 * The exchange of a router's certificates over its channel. The router has proved the present one at the beginning of
 * the channel. The next one waits, worth nothing, until the router shows that it has it; then it takes the place of the
 * present one, which fails from then on.
 */
import type { Actor } from '../../db/postgres/attribution.js';
import type { RouterCertificate } from '../../db/stores/router-certificates.js';
import { DomainError } from '../../domain/errors.js';
import type { Context } from '../context.js';
import { certificateOf, issuePair, warnOfNames } from './router-certificates.js';
import type { CertificateParts } from './router-certificates.js';

/** @property fingerprint  of the certificate in force */
export interface ExtendingRouter {
  readonly id: string;
  readonly fingerprint: string;
}

/** The two certificate requests of a router, PEM. */
export interface ExtensionRequests {
  readonly client: string;
  readonly server: string;
}

/** @property clientPem  the leaf, then its intermediates; the server's the same */
export interface NewCertificates {
  readonly clientPem: string;
  readonly serverPem: string;
  /** Certificates to trust. */
  readonly caPem: string;
  readonly certificate: RouterCertificate;
}

export interface RouterCertificationOptions extends CertificateParts, Pick<Context, 'warn'> {
  /** Name of this controller, for the audit record. */
  readonly controller: string;
}

export class RouterCertification {
  constructor(private readonly options: RouterCertificationOptions) {}

  /**
   * @param isVerified  the router will show that it has the certificate; otherwise it is in force at once
   * @throws DomainError `csrInvalid`; `unauthenticated` when the router has another certificate by now
   */
  async issue(router: ExtendingRouter, requests: ExtensionRequests, isVerified: boolean): Promise<NewCertificates> {
    // A router that runs without a name that it asks for goes on: refused, its certificate would end.
    const pair = await issuePair(router.id, requests, this.options);
    const { client, server } = pair;
    const certificate = certificateOf(pair);
    await this.#stores(router).transaction(async (tx) => {
      const isPresent = isVerified
        ? await tx.routers.awaitVerification(router.id, router.fingerprint, certificate)
        : await tx.routers.certify(router.id, router.fingerprint, certificate);
      if (!isPresent) throw new DomainError('unauthenticated', { logReason: 'the router has another certificate' });
      await tx.issuedCertificates.add([client.record, server.record]);
    });
    warnOfNames(router.id, certificate, this.options);
    return {
      clientPem: client.chainPem,
      serverPem: server.chainPem,
      caPem: this.options.pki.caBundlePem(),
      certificate,
    };
  }

  /** Puts the certificate that waits in force. False when another one waits, or is in force, by now. */
  complete(router: ExtendingRouter, certificate: RouterCertificate): Promise<boolean> {
    return this.#stores(router).routers.verify(router.id, router.fingerprint, certificate);
  }

  #stores({ id }: ExtendingRouter) {
    const actor: Actor = { kind: 'router', id, controller: this.options.controller };
    return this.options.stores.forRequest({ actor });
  }
}
