/**
 * Renewing a certificate that this network issued, by its owner. The next certificate waits, worth nothing, until its
 * holder shows it; then it takes the place of the present one, which fails from then on. The authenticator keeps its
 * id.
 */
import type { ExtensionState } from '../../db/stores/authenticator-extensions.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { SigningRequest } from '../../domain/pki/csr.js';
import { publicKeyFingerprint } from '../../domain/pki/keys.js';
import { firstCertificate, isLeafOf } from '../../domain/pki/pem.js';
import { noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Pki } from '../context.js';
import { verifyCurrentPeer } from '../../domain/pki/peer.js';
import { readRequest } from './signing-request.js';

/** More than a leaf with every intermediate there can be. */
const MAX_CHARACTERS = 65_536;

/**
 * POST /current-identity/authenticators/{id}/extend, over a connection that shows the present certificate. A further
 * one replaces the certificate that waits. Fails: `notFound` for one that is not the caller's,
 * `authenticatorNotUpdatable` for one that this network did not issue, `unauthenticated` without the present
 * certificate, `csrInvalid`, `invalidField` for the old key when a new one was asked for.
 */
export const extendCurrentIdentityAuthenticator: Handler<'client', 'extendCurrentIdentityAuthenticator'> = async (
  { params, body, caller, connection },
  context,
) => {
  const { stores, pki } = context;
  const state = await stores.authenticators.extensionOf(params.id, caller.identityId);
  const presentPem = requireExtendable(state);
  requireShown(connection.peerCertificates(), presentPem, pki);
  const request = await readRequest(body.clientCertCsr, context);
  requireNewKey(state, request);
  const next = await pki.issueForIdentity(request, caller.identityId);
  await stores.transaction(async (tx) => {
    const fingerprints = {
      certPem: next.leafPem,
      fingerprint: next.fingerprint,
      publicKeyFingerprint: next.publicKeyFingerprint,
    };
    if (!(await tx.authenticators.awaitVerification(params.id, caller.identityId, presentPem, fingerprints))) {
      throw new DomainError('authenticatorNotUpdatable', {
        causeMessage: 'the authenticator changed while the certificate was made: try again',
      });
    }
    await tx.issuedCertificates.add([next.record]);
  });
  return ok({ ca: pki.caBundlePem(), clientCert: next.chainPem });
};

/**
 * POST /current-identity/authenticators/{id}/extend-verify, over any connection. API sessions stay open.
 * Fails: `notFound` for one that is not the caller's, `certificateInvalid` for any certificate but the one that waits.
 */
export const extendVerifyCurrentIdentityAuthenticator: Handler<
  'client',
  'extendVerifyCurrentIdentityAuthenticator'
> = async ({ params, body, caller }, { stores }) => {
  const { unverifiedCertPem } = await stores.authenticators.extensionOf(params.id, caller.identityId);
  if (
    unverifiedCertPem === null ||
    !beginsLike(body.clientCert, unverifiedCertPem) ||
    !(await stores.authenticators.completeExtension(params.id, caller.identityId, unverifiedCertPem))
  ) {
    throw new DomainError('certificateInvalid', {
      causeMessage: 'it is not the certificate that waits to be verified',
    });
  }
  return noData();
};

/** Its certificate in PEM. */
function requireExtendable({ method, isIssuedByNetwork, certPem }: ExtensionState): string {
  if (method !== 'cert' || !isIssuedByNetwork || certPem === null) {
    throw new DomainError('authenticatorNotUpdatable', {
      causeMessage: 'only a certificate that this network issued can be extended',
    });
  }
  return certPem;
}

/** Only the leaf counts: its key is the one that the handshake proved. */
function requireShown(sent: readonly Buffer[], presentPem: string, pki: Pki): void {
  const isPresent = sent[0] !== undefined && isLeafOf(presentPem, sent[0]);
  if (!isPresent || !isTrusted(sent, pki)) {
    throw new DomainError('unauthenticated', {
      causeMessage: 'the connection does not show the present, valid certificate of the authenticator',
    });
  }
}

function isTrusted(sent: readonly Buffer[], pki: Pki): boolean {
  try {
    verifyCurrentPeer(sent, { own: pki, cas: [] });
    return true;
  } catch (error) {
    if (error instanceof ChainFault) return false;
    throw error;
  }
}

function requireNewKey(
  { isKeyRollRequested, publicKeyFingerprint: present }: ExtensionState,
  request: SigningRequest,
): void {
  if (isKeyRollRequested && publicKeyFingerprint(request.publicKey) === present) {
    throw invalidField(
      'clientCertCsr',
      'an administrator asked for a new key: make one and sign the request with it',
      '',
    );
  }
}

/** Whether a text from outside is certificates in PEM, this one first. */
function beginsLike(pem: string, certPem: string): boolean {
  if (pem.length > MAX_CHARACTERS) return false;
  try {
    return isLeafOf(certPem, firstCertificate(pem));
  } catch {
    return false;
  }
}
