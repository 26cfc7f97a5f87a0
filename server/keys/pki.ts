/** The network's own certificate authority at work: the issuer in use, and what clients trust. */
import { X509Certificate } from 'node:crypto';
import type { IssuedCertificateRecord, IssuedKind } from '../../db/stores/issued-certificates.js';
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
  readonly rootPems: readonly string[];
  /** Every generation that may still have signed something; the newest, which signs, first. */
  readonly intermediatePems: readonly string[];
  /** Private key of the newest intermediate. */
  readonly intermediateKeyPem: string;
}

export interface RunningPki extends Pki {
  /** The intermediate's certificate, which follows every leaf in a chain. */
  readonly issuerPem: () => string;
  /** From now on this authority signs. */
  use(authority: Authority): Promise<void>;
}

interface State {
  readonly issuer: Issuer;
  readonly issuerFingerprint: string;
  readonly roots: readonly X509Certificate[];
  readonly intermediates: readonly X509Certificate[];
  readonly caBundlePem: string;
  readonly caBundlePkcs7: string;
}

async function open({ rootPems, intermediatePems, intermediateKeyPem }: Authority): Promise<State> {
  const pems = [...rootPems, ...intermediatePems];
  const issuer = await openIssuer({ certPem: intermediatePems[0] ?? '', privateKeyPem: intermediateKeyPem });
  return {
    issuer,
    issuerFingerprint: certFingerprint(issuer.certificate.raw),
    roots: rootPems.map((pem) => new X509Certificate(pem)),
    intermediates: intermediatePems.map((pem) => new X509Certificate(pem)),
    caBundlePem: pems.join(''),
    caBundlePkcs7: certsOnlyPkcs7(pems),
  };
}

export async function createPki(trustDomain: string, authority: Authority): Promise<RunningPki> {
  let state = await open(authority);

  const chainOf = (
    kind: IssuedKind,
    subjectId: string,
    request: SigningRequest,
    issued: IssuedCertificate,
    { issuer, issuerFingerprint }: State,
  ): IssuedChain => {
    const { certPem, fingerprint, serialNumber, notBefore, notAfter } = issued;
    const record: IssuedCertificateRecord = {
      serialNumber,
      fingerprint,
      kind,
      subjectId,
      issuerFingerprint,
      notBefore,
      notAfter,
    };
    return {
      leafPem: certPem,
      chainPem: certPem + issuer.certPem,
      fingerprint,
      publicKeyFingerprint: publicKeyFingerprint(request.publicKey),
      record,
    };
  };
  const client = async (
    kind: IssuedKind,
    subjectId: string,
    request: SigningRequest,
    uri: string,
    about: { commonName: string; lifetimeSeconds: number },
  ) => {
    const current = state;
    return chainOf(
      kind,
      subjectId,
      request,
      await issueClientCertificate(current.issuer, { now: new Date(), request, uri, ...about }),
      current,
    );
  };

  return {
    trustDomain,
    caBundlePem: () => state.caBundlePem,
    caBundlePkcs7: () => state.caBundlePkcs7,
    trust: () => state,
    issuerPem: () => state.issuer.certPem,
    issueForIdentity: (request, id) =>
      client('identity', id, request, identityUri(trustDomain, id), {
        commonName: id,
        lifetimeSeconds: lifetimes.clientSeconds,
      }),
    issueForApiSession: (request, ids) =>
      client('apiSession', ids.apiSessionId, request, apiSessionCertificateUri(trustDomain, ids), {
        commonName: ids.identityId,
        lifetimeSeconds: lifetimes.apiSessionSeconds,
      }),
    issueForRouter: (request, id) =>
      client('router', id, request, routerUri(trustDomain, id), {
        commonName: id,
        lifetimeSeconds: lifetimes.clientSeconds,
      }),
    async issueForRouterServer(request, id, names) {
      const current = state;
      const issued = await issueRouterServerCertificate(current.issuer, {
        now: new Date(),
        commonName: id,
        request,
        uri: routerUri(trustDomain, id),
        names,
      });
      return chainOf('routerServer', id, request, issued, current);
    },
    async use(next) {
      state = await open(next);
    },
  };
}
