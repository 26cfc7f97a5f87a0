/**
 * Authenticators: how an identity proves itself. A password hash leaves this store only through
 * `credentialsByUsername` and `passwordHashOf`.
 */
import type { Authenticator, AuthenticatorMethod, CertificateState } from '../../domain/credentials.js';
import type { Page, Tags } from '../../domain/model.js';
import { notFound, raise } from '../../domain/errors.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { expression, flag, integer, text, time } from '../query/fields.js';
import { detailSql, getOne } from '../query/table.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import { isDisabledSql } from './disabled.js';
import { referringTo } from '../query/scopes.js';
import { asyncChange, change, locking, read, slowRead } from '../postgres/statement.js';

interface Row extends Omit<Authenticator, 'identity' | 'cert'>, CertificateState {
  readonly identityId: string;
  readonly identityName: string;
  readonly authPolicyId: string;
  readonly isExtendRequested: boolean;
  readonly publicKeyPrint: string | null;
}

/** Members that no answer shows. */
interface Hidden {
  readonly passwordHash: string;
  readonly failedAttempts: number;
}

export const authenticator = entity<Row, Hidden>(
  'authenticators',
  {
    method: text<AuthenticatorMethod>().forClients(),
    fingerprint: text().nullable().filteredAs('certFingerprint').forClients(),
    certPem: text().nullable().forClients(),
    identityId: text().filteredAs('identity').forClients(),
    username: text().nullable().filteredAs('updbUsername').forClients(),
    isIssuedByNetwork: flag().forClients(),
    isExtendRequested: expression<boolean>('(t.extend_requested_at IS NOT NULL)')
      .filteredBy({ kind: 'boolean', sql: '(t.extend_requested_at IS NOT NULL)', nullable: false })
      .forClients(),
    isKeyRollRequested: flag().forClients(),
    extendRequestedAt: time().nullable().forClients(),
    publicKeyPrint: text().nullable(),
    lastAuthResolvedToRoot: flag().forClients(),
    lastExtendRolledKeys: flag().forClients(),
    caId: text().nullable().unfiltered(),
    identityName: expression('i.name'),
    authPolicyId: expression('i.auth_policy_id'),
  },
  {
    name: 'authenticator',
    collections: ['authenticators'],
    versionedBy: 'updatedAt',
    joins: 'JOIN identities i ON i.id = t.identity_id',
    hidden: { passwordHash: text(), failedAttempts: integer() },
  },
);

const source: ListSource<Row, Authenticator> = { ...authenticator.source, fromRow };
const ownSource: ListSource<Row, Authenticator> = { ...source, symbols: authenticator.clientSymbols };

const OWN_DETAIL = read<Row>('authenticator-detail-own', detailSql(source, 'AND t.identity_id = $2'));

function fromRow(row: Row): Authenticator {
  return {
    identity: { id: row.identityId, name: row.identityName, authPolicyId: row.authPolicyId },
    method: row.method,
    username: row.username,
    certPem: row.certPem,
    fingerprint: row.fingerprint,
    cert:
      row.method !== 'cert'
        ? null
        : {
            caId: row.caId,
            isIssuedByNetwork: row.isIssuedByNetwork,
            lastAuthResolvedToRoot: row.lastAuthResolvedToRoot,
            extendRequestedAt: row.extendRequestedAt,
            isKeyRollRequested: row.isKeyRollRequested,
            lastExtendRolledKeys: row.lastExtendRolledKeys,
          },
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

/** What a password login needs: read in one round trip by username. */
export interface PasswordCredentials {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  /** Wrong passwords in a row. */
  readonly failedAttempts: number;
  /** Of the auth policy. */
  readonly isAllowed: boolean;
  readonly maxAttempts: number;
  readonly lockoutDurationMinutes: number;
}

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
 * What names a certificate: PEM of the leaf, SHA-1 of its DER and SHA-256 of its public key, both in lower-case hex.
 */
export interface CertificatePrints {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly publicKeyFingerprint: string;
}

export interface CertDraft extends CertificatePrints {
  readonly id: string;
  readonly identityId: string;
  readonly isIssuedByNetwork: boolean;
  readonly caId: string | null;
  readonly tags: Tags;
}

export interface UpdbDraft {
  readonly id: string;
  readonly identityId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly tags: Tags;
}
export interface UpdbChanges {
  readonly username?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly tags?: Tags | undefined;
}

/** What decides whether a guess at a password counts, and for what. */
export interface GuessState {
  /** Null for an authenticator of another method. */
  readonly passwordHash: string | null;
  readonly failedAttempts: number;
  readonly isDisabled: boolean;
}

const GUESS_STATE = `SELECT a.password_hash AS "passwordHash", a.failed_attempts AS "failedAttempts",
  ${isDisabledSql('i')} AS "isDisabled"
FROM identities i JOIN authenticators a ON a.identity_id = i.id WHERE a.id = $1`;

export interface TakenAuthenticator {
  readonly identityId: string;
  readonly method: AuthenticatorMethod;
  readonly username: string | null;
  readonly caId: string | null;
}

export interface AuthenticatorListRequest extends ListRequest, ForClient {
  /** Only those of this identity. */
  readonly ofIdentity?: string;
}

export interface AuthenticatorStore {
  /** `owner` narrows to that identity's own. @throws DomainError `notFound` */
  get(id: string, owner?: string): Promise<Authenticator>;
  list(request: AuthenticatorListRequest): Promise<Page<Authenticator>>;
  createUpdb(draft: UpdbDraft): Promise<void>;
  /** @throws DomainError `duplicate` for a certificate that is in use, `notFound` (identity, CA) */
  createCert(draft: CertDraft): Promise<void>;
  update(id: string, changes: UpdbChanges): Promise<void>;
  /** Deletes it and, by trigger, the API sessions it opened. Answers what it was. @throws DomainError `notFound` */
  take(id: string): Promise<TakenAuthenticator>;
  credentialsByUsername(username: string): Promise<PasswordCredentials | undefined>;
  /** Whether an authenticator has it in force: one that waits to be verified does not count. */
  hasCertificate(fingerprint: string): Promise<boolean>;
  /** Of the owner's own authenticator only. @throws DomainError `notFound` */
  extensionOf(id: string, owner: string): Promise<ExtensionState>;
  /**
   * Stores the next certificate, which waits while the present one stays in force. False when `currentPem` is no longer
   * that one, or a new key became due.
   */
  awaitVerification(id: string, owner: string, currentPem: string, next: CertificatePrints): Promise<boolean>;
  /** The waiting certificate, if it still is `waitingPem`, replaces the one in force. */
  completeExtension(id: string, owner: string, waitingPem: string): Promise<boolean>;
  /** Answers the owner; undefined when there is none that this network issued. */
  requestExtension(id: string, isKeyRollRequested: boolean): Promise<string | undefined>;
  passwordHashOf(id: string): Promise<string | undefined>;
  /**
   * Call before a password changes: waits for logins with the present one, and later logins wait for this transaction.
   * @param expectedHash  undefined: whatever it is
   * @returns false when it is another one by now
   */
  lockPassword(id: string, expectedHash: string | undefined): Promise<boolean>;
  guessStateOf(id: string): Promise<GuessState | undefined>;
  /** The same, locked until the transaction ends, and the identity with it. */
  holdGuessState(id: string): Promise<GuessState | undefined>;
  /**
   * Counts a wrong password; call it on what is held. True for the last of `most` in a row: counting begins again then.
   */
  countGuess(id: string, most: number): Promise<boolean>;
  clearFailures(id: string): Promise<void>;
  /** The transaction is on disk before it is answered, also one that `isUnsynced`. */
  syncCommit(): Promise<void>;
}

const TAKE = change<TakenAuthenticator>(
  'authenticator-take',
  ({ actor }) => `DELETE FROM authenticators WHERE id = $1
  RETURNING identity_id AS "identityId", method, username, ca_id AS "caId"${actor}`,
);

const CREDENTIALS = read<PasswordCredentials>(
  'credentials',
  `SELECT a.id AS "authenticatorId",
  i.id AS "identityId", a.password_hash AS "passwordHash", ${isDisabledSql('i')} AS "isDisabled",
  a.failed_attempts AS "failedAttempts", p.updb_allowed AS "isAllowed", p.updb_max_attempts AS "maxAttempts",
  p.updb_lockout_minutes AS "lockoutDurationMinutes"
  FROM authenticators a JOIN identities i ON i.id = a.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id
  WHERE a.username = $1 AND a.method = 'updb'`,
);

const HAS_CERTIFICATE = slowRead(
  'authenticator-has-certificate',
  "SELECT FROM authenticators WHERE fingerprint = $1 AND method = 'cert'",
);

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

const PASSWORD_HASH = read<{ password_hash: string | null }>(
  'password-hash',
  'SELECT password_hash FROM authenticators WHERE id = $1',
);

const PASSWORD_LOCK = locking(
  'password-lock',
  'SELECT FROM authenticators WHERE id = $1 AND ($2::text IS NULL OR password_hash = $2) FOR UPDATE',
);

const READ_GUESS_STATE = read<GuessState>('guess-state', GUESS_STATE);

const GUESS_HOLD = locking<GuessState>('guess-hold', `${GUESS_STATE} FOR UPDATE OF i, a`);

const GUESS_COUNT = change<{ isLast: boolean }>(
  'guess-count',
  ({ actor }) => `UPDATE authenticators
  SET failed_attempts = CASE WHEN failed_attempts + 1 < $2 THEN failed_attempts + 1 ELSE 0 END
  WHERE id = $1 RETURNING failed_attempts = 0 AS "isLast"${actor}`,
);

const SUCCESS = asyncChange(
  'authenticator-success',
  ({ returningActor }) => `UPDATE authenticators SET failed_attempts = 0
  WHERE id = $1 AND failed_attempts > 0${returningActor}`,
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

/** The settings of the commit alone: it waits for the disk and for no standby. */
const COMMIT_ON_DISK = asyncChange('commit-on-disk', ({ actor }) => `SELECT true AS "isOnDisk"${actor}`);

export function authenticatorStore(db: Db, lists: Lists): AuthenticatorStore {
  return {
    async get(id, owner) {
      if (owner === undefined) return authenticator.get(db, id).then(fromRow);
      return getOne(db, authenticator.name, OWN_DETAIL, [id, owner], fromRow);
    },
    list: ({ ofIdentity, isForClient, ...request }) =>
      lists.page(db, isForClient === true ? ownSource : source, request, referringTo('identity_id', ofIdentity)),
    createUpdb: ({ id, ...draft }) => authenticator.insert(db, id, { ...draft, method: 'updb' }),
    createCert: ({ id, publicKeyFingerprint, ...draft }) =>
      authenticator.insert(db, id, { ...draft, method: 'cert', publicKeyPrint: publicKeyFingerprint }),
    update: (id, changes) =>
      authenticator.update(db, id, {
        ...changes,
        failedAttempts: changes.passwordHash === undefined ? undefined : 0,
      }),
    async take(id) {
      const row = await db.one(TAKE, [id]);
      if (row !== undefined) db.touched?.({ identity: row.identityId });
      return row ?? raise(notFound(authenticator.name, id));
    },
    async credentialsByUsername(username) {
      const row = await db.one(CREDENTIALS, [username]);
      return row;
    },
    async hasCertificate(fingerprint) {
      return (await db.count(HAS_CERTIFICATE, [fingerprint])) > 0;
    },
    async extensionOf(id, owner) {
      const row = await db.one(EXTENSION, [id, owner]);
      return row ?? raise(notFound(authenticator.name, id));
    },
    async awaitVerification(id, owner, currentPem, next) {
      const rowCount = await db.count(EXTEND, [
        id,
        owner,
        currentPem,
        next.certPem,
        next.fingerprint,
        next.publicKeyFingerprint,
      ]);
      return rowCount === 1;
    },
    async completeExtension(id, owner, waitingPem) {
      return (await db.count(VERIFY_EXTENSION, [id, owner, waitingPem])) === 1;
    },
    async requestExtension(id, isKeyRollRequested) {
      const row = await db.one(REQUEST_EXTEND, [id, isKeyRollRequested]);
      if (row !== undefined) db.touched?.({ identity: row.identity_id });
      return row?.identity_id;
    },
    async passwordHashOf(id) {
      const row = await db.one(PASSWORD_HASH, [id]);
      return row?.password_hash ?? undefined;
    },
    async lockPassword(id, expectedHash) {
      const rowCount = await db.count(PASSWORD_LOCK, [id, expectedHash ?? null]);
      return rowCount === 1;
    },
    async guessStateOf(id) {
      return await db.one(READ_GUESS_STATE, [id]);
    },
    async holdGuessState(id) {
      return await db.one(GUESS_HOLD, [id]);
    },
    async countGuess(id, most) {
      const row = await db.one(GUESS_COUNT, [id, most]);
      return row?.isLast === true;
    },
    async clearFailures(id) {
      await db.execute(SUCCESS, [id]);
    },
    async syncCommit() {
      await db.execute(COMMIT_ON_DISK);
    },
  };
}
