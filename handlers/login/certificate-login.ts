/**
 * Logging in by the client certificate of the TLS connection, and whose such a certificate is. Nothing but the
 * handshake counts: a certificate in a header or a body proves nothing.
 */
import type { LoginRefusal } from '../../domain/auth/login-refusals.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { externalIdOf } from '../../domain/pki/external-id-claim.js';
import { certFingerprint, certHash } from '../../domain/pki/keys.js';
import { isLeafOf } from '../../domain/pki/pem.js';
import type { CertCredentials, CertificateGround, NamedIdentity } from '../../db/stores/logins.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { verifyPeer } from '../../domain/pki/peer.js';
import { noteLeaf } from './note-leaf.js';
import type { PeerTrust } from '../../domain/pki/peer.js';
import { refused, refusedBecause } from './login.js';
import type { Login, OpenedSession, OpenSession } from './login.js';

/** Authenticator id that clients see in a session that a CA's claim opened. */
const NO_AUTHENTICATOR = 'internal';

/** A chain that holds, and what it leads to: the credentials of an authenticator, or an external id by a claim. */
interface Match {
  readonly chain: VerifiedChain;
  readonly holder: CertCredentials | Claimed;
}

interface Claimed {
  readonly caId: string;
  readonly externalId: string;
}

const isClaimed = (holder: Match['holder']): holder is Claimed => 'externalId' in holder;

type Lookup = Pick<Context, 'stores' | 'pki' | 'yieldQueue'>;

/**
 * One read: the CAs are asked for at each login, so that one that was just deleted or disabled opens no session, on any
 * controller. The statement that opens the session finds the identity that a claim names.
 * @param sent  the certificates of the handshake in DER, the proven one first
 * @throws DomainError `invalidAuth`, whatever was wrong; `tooManyRequests` while too many wait
 */
export async function logInByCertificate(
  sent: readonly Buffer[],
  context: Lookup,
  note: Note,
  open: OpenSession,
): Promise<OpenedSession> {
  noteLeaf(sent, note);
  const { chain, holder } = await matchOf(sent, context, note).catch((error: unknown) => {
    throw asRefusal(error);
  });
  const login = isClaimed(holder) ? claimLogin(holder, chain) : authenticatorLogin(holder, chain);
  const certificateHash = certHash(chain.leaf.raw);
  const opened = await open({ ...login, isChainComplete: chain.isComplete, certificateHash });
  if (opened === undefined) throw refused(await whyNotOpened({ chain, holder }, context, note));
  return opened;
}

type ProvenBy = Pick<Login, 'authenticatorId' | 'proof'>;

function claimLogin({ caId, externalId }: Claimed, { isExpired }: VerifiedChain): ProvenBy {
  return { authenticatorId: NO_AUTHENTICATOR, proof: { by: 'claim', caId, externalId, isExpired } };
}

/** @throws DomainError `invalidAuth` */
function authenticatorLogin(holder: CertCredentials, chain: VerifiedChain): ProvenBy {
  const { identityId, authenticatorId } = holder;
  requireAllowed(holder, chain);
  return { authenticatorId, proof: { by: 'certificate', identityId, fingerprint: chain.fingerprint } };
}

function requireAllowed(holder: NamedIdentity, { isExpired }: VerifiedChain): void {
  if (holder.isDisabled) throw refused('identityDisabled');
  if (!holder.isCertAllowed) throw refused('certificatesNotAllowed');
  if (isExpired && !holder.mayBeExpired) throw refused('certificateExpired');
}

/** Finds the reason for the log, by a read that successful logins do without. */
async function whyNotOpened({ chain, holder }: Match, { stores }: Lookup, note: Note): Promise<LoginRefusal> {
  if (!isClaimed(holder)) return 'changedMeanwhile';
  const named = await stores.logins.identityByExternalId(holder.externalId);
  if (named === undefined) return 'certificateUnknown';
  note({ identityId: named.identityId });
  requireAllowed(named, chain);
  return 'changedMeanwhile';
}

function asRefusal(error: unknown): unknown {
  return error instanceof ChainFault ? refusedBecause(error.message, 'certificateRefused') : error;
}

/**
 * The identity that a certificate belongs to, for keeping the session of one identity off the connection of another.
 * Exactly a registered certificate is enough, verified or not: what this decides is a refusal. undefined: no identity
 * of this network.
 */
export async function ownerOfCertificate(sent: readonly Buffer[], context: Lookup): Promise<string | undefined> {
  const [leaf] = sent;
  if (leaf === undefined) return undefined;
  const fingerprint = certFingerprint(leaf);
  const { logins } = context.stores;
  const identityId = await logins.identityWithCertificate(fingerprint);
  if (identityId !== undefined) return identityId;
  const { cas } = await logins.certificateGround(fingerprint);
  try {
    const { holder } = await matchUnderCa(sent, { credentials: undefined, cas }, context);
    return isClaimed(holder) ? (await logins.identityByExternalId(holder.externalId))?.identityId : holder.identityId;
  } catch (error) {
    if (error instanceof ChainFault) return undefined;
    throw error;
  }
}

/**
 * Checks that the chain of an authenticator's certificate ends at the anchor that the authenticator was made under: the
 * network's own PKI, or one CA.
 * @throws ChainFault
 */
async function matchOf(sent: readonly Buffer[], context: Lookup, note: Note): Promise<Match> {
  const [leaf] = sent;
  if (leaf === undefined) throw new ChainFault('no certificate was sent');
  const { credentials: found, cas } = await context.stores.logins.certificateGround(certFingerprint(leaf));
  // SHA-1 finds the authenticator; only the same certificate is the authenticator's.
  const credentials = found !== undefined && isLeafOf(found.certPem, leaf) ? found : undefined;
  if (credentials !== undefined)
    note({ authenticatorId: credentials.authenticatorId, identityId: credentials.identityId });
  if (credentials === undefined || credentials.caId !== null) return matchUnderCa(sent, { credentials, cas }, context);
  return { chain: await verified(sent, { own: context.pki, cas: [] }, context), holder: credentials };
}

/**
 * A CA with a claim: the claim comes first; a certificate that lacks it is found by its fingerprint like any other.
 * @param credentials  by the fingerprint; undefined: only a claim can name the identity
 * @throws ChainFault
 */
async function matchUnderCa(
  sent: readonly Buffer[],
  { credentials, cas }: CertificateGround,
  context: Lookup,
): Promise<Match> {
  if (cas.length === 0) throw new ChainFault('no authenticator has this certificate, and no CA can tell whose it is');
  const chain = await verified(sent, { own: null, cas }, context);
  const ca = cas.find(({ id }) => id === chain.caId);
  const claim = ca?.externalIdClaim ?? null;
  const externalId = claim === null ? undefined : externalIdOf(claim, chain.leaf);
  if (ca !== undefined && externalId !== undefined) return { chain, holder: { caId: ca.id, externalId } };
  if (credentials === undefined)
    throw new ChainFault('no authenticator has this certificate, and it lacks the claim of its CA');
  return { chain, holder: credentials };
}

function verified(sent: readonly Buffer[], trust: PeerTrust, { yieldQueue }: Lookup): Promise<VerifiedChain> {
  return yieldQueue.run(() => verifyPeer(sent, trust));
}
