/** Extends certificates of authenticators: the next one waits until its holder has shown it. */
import type { AuthenticatorMethod } from '../../domain/credentials.js';
import { notFound, raise } from '../../domain/errors.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { change, read } from '../postgres/statement.js';

/** An authenticator of method `cert` as its extension needs it. */
export interface ExtensionState {
  readonly method: AuthenticatorMethod;
  readonly isIssuedByNetwork: boolean;
  readonly certPem: string | null;
  readonly publicKeyFingerprint: string | null;
  readonly isKeyRollRequested: boolean;
  /** Issued, and not yet shown by its holder. */
  readonly unverifiedCertPem: string | null;
}

/**
 * Names a certificate: PEM of the leaf, SHA-1 of its DER and SHA-256 of its public key, both in lower-case hex.
 */
export interface CertificateFingerprints {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly publicKeyFingerprint: string;
}

export interface AuthenticatorExtensions {
  /** Reads the owner's own authenticator only. @throws DomainError `notFound` */
  extensionOf(id: string, owner: string): Promise<ExtensionState>;
  /**
   * Stores the next certificate, which waits while the present one stays in force. False when `currentPem` is no longer
   * that one, or a new key became due.
   */
  awaitVerification(id: string, owner: string, currentPem: string, next: CertificateFingerprints): Promise<boolean>;
  /** The waiting certificate, if it still is `waitingPem`, replaces the one in force. */
  completeExtension(id: string, owner: string, waitingPem: string): Promise<boolean>;
  /** Answers the owner; undefined when there is none that this network issued. */
  requestExtension(id: string, isKeyRollRequested: boolean): Promise<string | undefined>;
}

const EXTENSION = read<ExtensionState>(
  'authenticator-extension',
  `SELECT method, is_issued_by_network AS "isIssuedByNetwork",
  cert_pem AS "certPem", public_key_print AS "publicKeyFingerprint", is_key_roll_requested AS "isKeyRollRequested",
  unverified_cert_pem AS "unverifiedCertPem" FROM authenticators WHERE id = $1 AND identity_id = $2`,
);

const EXTEND = change(
  'authenticator-extend',
  ({ returningActor }) => `UPDATE authenticators SET unverified_cert_pem = $4, unverified_fingerprint = $5,
    unverified_public_key_print = $6, ${TOUCHED}
  WHERE id = $1 AND identity_id = $2 AND is_issued_by_network AND cert_pem = $3
  AND NOT (is_key_roll_requested AND public_key_print = $6)${returningActor}`,
);

const REQUEST_EXTEND = change<{ identity_id: string }>(
  'authenticator-request-extend',
  ({ actor }) => `UPDATE authenticators
  SET extend_requested_at = now(), is_key_roll_requested = $2, ${TOUCHED} WHERE id = $1 AND is_issued_by_network
  RETURNING identity_id${actor}`,
);

/** A new key that was asked for after the old one was extended is still due. */
const IS_ROLL_DUE = 'is_key_roll_requested AND unverified_public_key_print = public_key_print';

const VERIFY_EXTENSION = change(
  'authenticator-extend-verify',
  ({ returningActor }) => `UPDATE authenticators SET cert_pem = unverified_cert_pem,
    fingerprint = unverified_fingerprint, public_key_print = unverified_public_key_print,
    last_extend_rolled_keys = unverified_public_key_print IS DISTINCT FROM public_key_print,
    extend_requested_at = CASE WHEN ${IS_ROLL_DUE} THEN extend_requested_at END,
    is_key_roll_requested = coalesce(${IS_ROLL_DUE}, false),
    unverified_cert_pem = NULL, unverified_fingerprint = NULL, unverified_public_key_print = NULL, ${TOUCHED}
  WHERE id = $1 AND identity_id = $2 AND unverified_cert_pem = $3${returningActor}`,
);

export async function extensionOf(db: Db, id: string, owner: string): Promise<ExtensionState> {
  const row = await db.one(EXTENSION, [id, owner]);
  return row ?? raise(notFound('authenticator', id));
}

export async function awaitVerification(
  db: Db,
  id: string,
  owner: string,
  currentPem: string,
  next: CertificateFingerprints,
): Promise<boolean> {
  const rowCount = await db.count(EXTEND, [
    id,
    owner,
    currentPem,
    next.certPem,
    next.fingerprint,
    next.publicKeyFingerprint,
  ]);
  return rowCount === 1;
}

export async function completeExtension(db: Db, id: string, owner: string, waitingPem: string): Promise<boolean> {
  return (await db.count(VERIFY_EXTENSION, [id, owner, waitingPem])) === 1;
}

export async function requestExtension(db: Db, id: string, isKeyRollRequested: boolean): Promise<string | undefined> {
  const row = await db.one(REQUEST_EXTEND, [id, isKeyRollRequested]);
  if (row !== undefined) db.touched?.({ identity: row.identity_id });
  return row?.identity_id;
}
