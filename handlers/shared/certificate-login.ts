/**
 * Logging in by the client certificate of the TLS connection, and whose such a certificate is. Nothing but the
 * handshake counts: a certificate in a header or a body proves nothing.
 */
import { DomainError } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { externalIdOf } from '../../domain/pki/external-id-claim.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { certificatesOf } from '../../domain/pki/pem.js';
import type { CertCredentials } from '../../db/authenticators.js';
import type { Proof } from '../../db/api-sessions.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { noteLeaf, verifyPeer } from './client-certificates.js';
import type { PeerTrust } from './client-certificates.js';

/** By an authenticator, whose session ends with it. */
export interface AuthenticatorLogin {
  readonly by: 'authenticator';
  readonly identityId: string;
  readonly authenticatorId: string;
  /** What the authenticator must still have when the session is opened. */
  readonly proof: Proof;
  /** The client sent every intermediate that its chain needs; null: it showed no chain. */
  readonly isChainComplete: boolean | null;
}

/**
 * By the certificate of a CA that itself names the identity: there is no authenticator, and the CA ends the session.
 */
export interface ClaimLogin {
  readonly by: 'claim';
  readonly identityId: string;
  readonly caId: string;
  readonly isChainComplete: boolean;
}

/** By a token of an external signer, whose session ends with the signer. */
export interface TokenLogin {
  readonly by: 'token';
  readonly identityId: string;
  readonly signerId: string;
  readonly isChainComplete: null;
}

/** What every method of login ends in. */
export type Login = AuthenticatorLogin | ClaimLogin | TokenLogin;

interface Holder {
  readonly identityId: string;
  readonly isDisabled: boolean;
  readonly isCertAllowed: boolean;
  readonly mayBeExpired: boolean;
}

interface Match {
  readonly chain: VerifiedChain;
  readonly holder: Holder;
  readonly login: Login;
}

type Lookup = Pick<Context, 'stores' | 'pki' | 'turnQueue'>;

/**
 * The CAs are asked for at each login: one that was just deleted or disabled opens no session, on any controller.
 * @param sent  the certificates of the handshake in DER, the proven one first
 * @throws DomainError `invalidAuth`, whatever was wrong; `tooManyRequests` while too many wait
 */
export async function checkCertificateLogin(sent: readonly Buffer[], context: Lookup, note: Note): Promise<Login> {
  noteLeaf(sent, note);
  const { chain, holder, login } = await matchOf(sent, context, note).catch((error: unknown) => {
    throw asRefusal(error);
  });
  if (login.by === 'authenticator') note({ authenticatorId: login.authenticatorId });
  note({ identityId: holder.identityId });
  if (holder.isDisabled) throw refused('the identity is disabled');
  if (!holder.isCertAllowed) throw refused('the auth policy allows no certificates');
  if (chain.isExpired && !holder.mayBeExpired) throw refused('the certificate has expired');
  return login;
}

function asRefusal(error: unknown): unknown {
  return error instanceof ChainFault ? refused(error.message) : error;
}

/** A login that failed. @param logReason  what the caller does not learn */
export function refused(logReason: string): DomainError {
  return new DomainError('invalidAuth', { logReason });
}

/**
 * The identity that a certificate belongs to, for keeping the session of one identity off the connection of another.
 * Exactly a registered certificate is enough, verified or not: what this decides is a refusal. undefined: no identity
 * of this network.
 */
export async function ownerOfCertificate(sent: readonly Buffer[], context: Lookup): Promise<string | undefined> {
  const [leaf] = sent;
  if (leaf === undefined) return undefined;
  const identityId = await context.stores.logins.identityWithCertificate(certFingerprint(leaf));
  if (identityId !== undefined) return identityId;
  try {
    return (await matchUnderCa(sent, undefined, context)).holder.identityId;
  } catch (error) {
    if (error instanceof ChainFault) return undefined;
    throw error;
  }
}

/**
 * What an authenticator's certificate leads to must be what the authenticator was made under: the network's own PKI, or
 * one CA.
 * @throws ChainFault
 */
async function matchOf(sent: readonly Buffer[], context: Lookup, note: Note): Promise<Match> {
  const [leaf] = sent;
  if (leaf === undefined) throw new ChainFault('no certificate was sent');
  const found = await context.stores.authenticators.findByFingerprint(certFingerprint(leaf));
  // SHA-1 finds the authenticator; only the same certificate is the authenticator's.
  const credentials =
    found !== undefined && certificatesOf(found.certPem)[0]?.equals(leaf) === true ? found : undefined;
  if (credentials !== undefined)
    note({ authenticatorId: credentials.authenticatorId, identityId: credentials.identityId });
  if (credentials === undefined || credentials.caId !== null) return matchUnderCa(sent, credentials, context);
  return asAuthenticator(await verified(sent, { own: context.pki, cas: [] }, context), credentials);
}

/**
 * Of a CA with a claim, the claim comes first; a certificate without what it asks for is known by its fingerprint like
 * any other.
 * @param credentials  by the fingerprint; undefined: only a claim can name the identity
 * @throws ChainFault
 */
async function matchUnderCa(
  sent: readonly Buffer[],
  credentials: CertCredentials | undefined,
  context: Lookup,
): Promise<Match> {
  const { stores } = context;
  const cas = (await stores.cas.forLogin()).filter(({ id, externalIdClaim }) =>
    credentials === undefined ? externalIdClaim !== null : id === credentials.caId,
  );
  if (cas.length === 0) throw new ChainFault('no authenticator has this certificate, and no CA can tell whose it is');
  const chain = await verified(sent, { own: null, cas }, context);
  const ca = cas.find(({ id }) => id === chain.caId);
  const claim = ca?.externalIdClaim ?? null;
  const externalId = claim === null ? undefined : externalIdOf(claim, chain.leaf);
  if (ca === undefined || externalId === undefined) {
    if (credentials === undefined)
      throw new ChainFault('no authenticator has this certificate, and it lacks the claim of its CA');
    return asAuthenticator(chain, credentials);
  }
  const holder = await stores.logins.identityByExternalId(externalId);
  if (holder === undefined) throw new ChainFault('no identity has the external id in the certificate');
  return {
    chain,
    holder,
    login: { by: 'claim', identityId: holder.identityId, caId: ca.id, isChainComplete: chain.isComplete },
  };
}

function asAuthenticator(chain: VerifiedChain, credentials: CertCredentials): Match {
  const { identityId, authenticatorId } = credentials;
  return {
    chain,
    holder: credentials,
    login: {
      by: 'authenticator',
      identityId,
      authenticatorId,
      proof: { fingerprint: chain.fingerprint },
      isChainComplete: chain.isComplete,
    },
  };
}

function verified(sent: readonly Buffer[], trust: PeerTrust, { turnQueue }: Lookup): Promise<VerifiedChain> {
  return turnQueue.run(() => verifyPeer(sent, trust));
}
