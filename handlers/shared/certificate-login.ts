/**
 * Logging in by the client certificate of the TLS connection, and whose such a certificate is. Nothing but the handshake
 * counts: a certificate in a header or a body proves nothing.
 */
import { DomainError } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { externalIdOf } from '../../domain/pki/external-id-claim.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { certificatesOf } from '../../domain/pki/pem.js';
import type { CertCredentials } from '../../db/authenticators.js';
import type { Note } from '../handler.js';
import type { Services } from '../services.js';
import { noteLeaf, verifyPeer } from './client-certificates.js';
import type { PeerTrust } from './client-certificates.js';

/** What stands in for an authenticator when a CA's certificate itself names the identity. */
const BY_CLAIM = 'internal';

export interface CertificateLogin {
  readonly identityId: string;
  readonly authenticatorId: string;
  /** Of the certificate shown, for a login by an authenticator that must still have it; null for one by a claim. */
  readonly fingerprint: string | null;
  /** The CA whose claim named the identity. */
  readonly caId: string | null;
  /** The client sent every intermediate that its chain needs. */
  readonly isChainComplete: boolean;
}

interface Holder {
  readonly identityId: string;
  readonly authPolicyId: string;
  readonly isDisabled: boolean;
}

interface Match {
  readonly chain: VerifiedChain;
  readonly holder: Holder;
  readonly login: CertificateLogin;
}

type Lookup = Pick<Services, 'stores' | 'pki' | 'turns'>;

/**
 * The CAs are asked for at each login: one that was just deleted or disabled is out at once, on every controller.
 * @param sent  the certificates of the handshake in DER, the proven one first
 * @throws DomainError `invalidAuth`, whatever was wrong; `tooManyRequests` while too many wait
 */
export async function checkCertificateLogin(sent: readonly Buffer[], services: Lookup, note: Note): Promise<CertificateLogin> {
  noteLeaf(sent, note);
  const { chain, holder, login } = await matchOf(sent, services, note).catch((error: unknown) => { throw asRefusal(error); });
  note({ authenticatorId: login.authenticatorId, identityId: holder.identityId });
  if (holder.isDisabled) throw refused('the identity is disabled');
  const { primary: { cert } } = await services.stores.authPolicies.get(holder.authPolicyId);
  if (!cert.allowed) throw refused('the auth policy allows no certificates');
  if (chain.isExpired && !cert.allowExpiredCerts) throw refused('the certificate has expired');
  return login;
}

function asRefusal(error: unknown): unknown {
  return error instanceof ChainFault ? refused(error.message) : error;
}

/** A login that failed. @param logReason  what the caller is not told */
export function refused(logReason: string): DomainError {
  return new DomainError('invalidAuth', { logReason });
}

/**
 * The identity that a certificate belongs to, for keeping the session of one identity off the connection of another. Exactly
 * a registered certificate is enough, verified or not: what this decides is a refusal. undefined: nobody's here.
 */
export async function ownerOfCertificate(sent: readonly Buffer[], services: Lookup): Promise<string | undefined> {
  const [leaf] = sent;
  if (leaf === undefined) return undefined;
  const identityId = await services.stores.logins.identityWithCertificate(certFingerprint(leaf));
  if (identityId !== undefined) return identityId;
  try {
    return (await matchUnderCa(sent, undefined, services)).holder.identityId;
  } catch (error) {
    if (error instanceof ChainFault) return undefined;
    throw error;
  }
}

/**
 * What an authenticator's certificate leads to must be what the authenticator was made under: the network's own PKI, or one CA.
 * @throws ChainFault
 */
async function matchOf(sent: readonly Buffer[], services: Lookup, note: Note): Promise<Match> {
  const [leaf] = sent;
  if (leaf === undefined) throw new ChainFault('no certificate was sent');
  const found = await services.stores.authenticators.findByFingerprint(certFingerprint(leaf));
  // SHA-1 finds the authenticator; only the same certificate is the authenticator's.
  const credentials = found !== undefined && certificatesOf(found.certPem)[0]?.equals(leaf) === true ? found : undefined;
  if (credentials !== undefined) note({ authenticatorId: credentials.authenticatorId, identityId: credentials.identityId });
  if (credentials === undefined || credentials.caId !== null) return matchUnderCa(sent, credentials, services);
  return asAuthenticator(await verified(sent, { own: services.pki, cas: [] }, services), credentials);
}

/**
 * Of a CA with a claim, the claim comes first; a certificate without what it asks for is known by its fingerprint like any other.
 * @param credentials  by the fingerprint; undefined: only a claim can tell who it is
 * @throws ChainFault
 */
async function matchUnderCa(sent: readonly Buffer[], credentials: CertCredentials | undefined, services: Lookup): Promise<Match> {
  const { stores } = services;
  const cas = (await stores.cas.forLogin()).filter(({ id, externalIdClaim }) => (credentials === undefined ? externalIdClaim !== null : id === credentials.caId));
  if (cas.length === 0) throw new ChainFault('no authenticator has this certificate, and no CA can tell whose it is');
  const chain = await verified(sent, { own: null, cas }, services);
  const claim = cas.find(({ id }) => id === chain.caId)?.externalIdClaim ?? null;
  const externalId = claim === null ? undefined : externalIdOf(claim, chain.leaf);
  if (externalId === undefined) {
    if (credentials === undefined) throw new ChainFault('no authenticator has this certificate, and it lacks the claim of its CA');
    return asAuthenticator(chain, credentials);
  }
  const holder = await stores.logins.identityByExternalId(externalId);
  if (holder === undefined) throw new ChainFault('no identity has the external id in the certificate');
  return {
    chain, holder,
    login: { identityId: holder.identityId, authenticatorId: BY_CLAIM, fingerprint: null, caId: chain.caId, isChainComplete: chain.isComplete },
  };
}

function asAuthenticator(chain: VerifiedChain, credentials: CertCredentials): Match {
  const { identityId, authenticatorId } = credentials;
  return {
    chain, holder: credentials, login: { identityId, authenticatorId, fingerprint: chain.fingerprint, caId: null, isChainComplete: chain.isComplete },
  };
}

function verified(sent: readonly Buffer[], trust: PeerTrust, { turns }: Lookup): Promise<VerifiedChain> {
  return turns.run(() => verifyPeer(sent, trust));
}
