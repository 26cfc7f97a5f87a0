/** The network's own certificate authority at work: the issuer in use, and what clients trust. */
import { X509Certificate } from 'node:crypto';
import type { IssuedKind } from '../../db/stores/issued-certificates.js';
import {
  issueClientCertificate,
  issueRouterServerCertificate,
  lifetimes,
  openIssuer,
} from '../../domain/pki/authority.js';
import type { IssuedCertificate, Issuer } from '../../domain/pki/authority.js';
import type { SigningRequest } from '../../domain/pki/csr.js';
import { certFingerprint, publicKeyFingerprint } from '../../domain/pki/keys.js';
import { certsOnlyPkcs7 } from '../../domain/pki/pkcs7.js';
import { apiSessionCertificateUri, identityUri, routerUri } from '../../domain/pki/spiffe.js';
import type { IssuedChain, Pki } from '../../handlers/context.js';

export interface Authority {
  /** The newest, which signs intermediates, first. */
  readonly rootPems: readonly string[];
  /** Certificates that lead from the root of the issuer to earlier ones, for those who know these alone. */
  readonly crossPems: readonly string[];
  /** Every generation that may still have signed something; the newest, which signs, first. */
  readonly intermediatePems: readonly string[];
  /** Private key of the newest intermediate. */
  readonly intermediateKeyPem: string;
}

interface State {
  readonly issuer: Issuer;
  readonly issuerFingerprint: string;
  readonly chainPem: string;
  readonly roots: readonly X509Certificate[];
  readonly intermediates: readonly X509Certificate[];
  readonly caBundlePem: string;
  readonly caBundlePkcs7: string;
}

/** Contents of a client's certificate. */
interface ClientCertificate {
  readonly request: SigningRequest;
  readonly uri: string;
  readonly commonName: string;
  readonly lifetimeSeconds: number;
}

function openState({ rootPems, crossPems, intermediatePems, intermediateKeyPem }: Authority): State {
  const pems = [...rootPems, ...intermediatePems];
  const issuer = openIssuer({ certPem: intermediatePems[0] ?? '', privateKeyPem: intermediateKeyPem });
  return {
    issuer,
    issuerFingerprint: certFingerprint(issuer.certificate.raw),
    chainPem: [issuer.certPem, ...crossPems].join(''),
    roots: rootPems.map((pem) => new X509Certificate(pem)),
    intermediates: intermediatePems.map((pem) => new X509Certificate(pem)),
    caBundlePem: pems.join(''),
    caBundlePkcs7: certsOnlyPkcs7(pems),
  };
}

export class RunningPki implements Pki {
  readonly trustDomain: string;
  #state: State;

  private constructor(trustDomain: string, state: State) {
    this.trustDomain = trustDomain;
    this.#state = state;
  }

  static open(trustDomain: string, authority: Authority): RunningPki {
    return new RunningPki(trustDomain, openState(authority));
  }

  /** Lets this authority sign from now on. */
  use(authority: Authority): void {
    this.#state = openState(authority);
  }

  /** Returns the certificates that follow every leaf in a chain: the intermediate's, then those of a change of root. */
  chainPem(): string {
    return this.#state.chainPem;
  }

  caBundlePem(): string {
    return this.#state.caBundlePem;
  }

  caBundlePkcs7(): string {
    return this.#state.caBundlePkcs7;
  }

  trust(): Pick<State, 'roots' | 'intermediates'> {
    return this.#state;
  }

  issueForIdentity(request: SigningRequest, id: string): Promise<IssuedChain> {
    return this.#issueForClient('identity', id, {
      request,
      uri: identityUri(this.trustDomain, id),
      commonName: id,
      lifetimeSeconds: lifetimes.clientSeconds,
    });
  }

  issueForApiSession(
    request: SigningRequest,
    ids: { identityId: string; apiSessionId: string; certificateId: string },
  ): Promise<IssuedChain> {
    return this.#issueForClient('apiSession', ids.apiSessionId, {
      request,
      uri: apiSessionCertificateUri(this.trustDomain, ids),
      commonName: ids.identityId,
      lifetimeSeconds: lifetimes.apiSessionSeconds,
    });
  }

  issueForRouter(request: SigningRequest, id: string): Promise<IssuedChain> {
    return this.#issueForClient('router', id, {
      request,
      uri: routerUri(this.trustDomain, id),
      commonName: id,
      lifetimeSeconds: lifetimes.clientSeconds,
    });
  }

  async issueForRouterServer(
    request: SigningRequest,
    id: string,
    names: { dns: readonly string[]; ip: readonly string[] },
  ): Promise<IssuedChain> {
    const state = this.#state;
    const uri = routerUri(this.trustDomain, id);
    const wanted = { now: new Date(), commonName: id, request, uri, names };
    return chainOf('routerServer', id, request, await issueRouterServerCertificate(state.issuer, wanted), state);
  }

  async #issueForClient(kind: IssuedKind, subjectId: string, wanted: ClientCertificate): Promise<IssuedChain> {
    const state = this.#state;
    const issued = await issueClientCertificate(state.issuer, { now: new Date(), ...wanted });
    return chainOf(kind, subjectId, wanted.request, issued, state);
  }
}

/** Returns what was issued with the issuer's certificate, and the record of it. */
function chainOf(
  kind: IssuedKind,
  subjectId: string,
  { publicKey }: SigningRequest,
  { certPem, fingerprint, serialNumber, notBefore, notAfter }: IssuedCertificate,
  { chainPem, issuerFingerprint }: State,
): IssuedChain {
  return {
    leafPem: certPem,
    chainPem: certPem + chainPem,
    fingerprint,
    publicKeyFingerprint: publicKeyFingerprint(publicKey),
    record: { serialNumber, fingerprint, kind, subjectId, issuerFingerprint, notBefore, notAfter },
  };
}
