/** Authenticators: how an identity proves itself. */
import type { Authenticator, AuthenticatorMethod, CertificateState } from '../../domain/credentials.js';
import type { LazyRow, Page, Tags } from '../../domain/model.js';
import { notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { expression, flag, integer, text, time } from '../query/fields.js';
import { detailSql, getOne } from '../query/table.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import * as extensions from './authenticator-extensions.js';
import type { AuthenticatorExtensions, CertificateFingerprints } from './authenticator-extensions.js';
import * as passwords from './authenticator-passwords.js';
import type { AuthenticatorPasswords } from './authenticator-passwords.js';
import { identityOfRow, joinedIdentity } from './identity-reference.js';
import type { IdentityColumns } from './identity-reference.js';
import { ownedBy } from '../query/scopes.js';
import { change, read, shortChange, slowRead } from '../postgres/statement.js';

interface Row extends Omit<Authenticator, 'identity' | 'cert'>, IdentityColumns, CertificateState {
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
    ...joinedIdentity,
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
    identity: identityOfRow(row),
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

export interface CertDraft extends CertificateFingerprints {
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

export interface AuthenticatorStore extends AuthenticatorExtensions, AuthenticatorPasswords {
  /** `owner` narrows to that identity's own. @throws DomainError `notFound` */
  get(id: string, owner?: string): Promise<Authenticator>;
  list(request: AuthenticatorListRequest): Promise<Page<LazyRow<Authenticator>>>;
  createUpdb(draft: UpdbDraft): Promise<void>;
  /** @throws DomainError `duplicate` for a certificate that is in use, `notFound` (identity, CA) */
  createCert(draft: CertDraft): Promise<void>;
  update(id: string, changes: UpdbChanges): Promise<void>;
  /** Deletes it and, by trigger, the API sessions it opened. Answers what it was. @throws DomainError `notFound` */
  take(id: string): Promise<TakenAuthenticator>;
  /** Deletes it so, unless its identity is an administrator. False, and nothing done, for all others. */
  removeOrdinary(id: string): Promise<boolean>;
  /** Whether an authenticator has it in force: one that waits to be verified does not count. */
  hasCertificate(fingerprint: string): Promise<boolean>;
}

const TAKE = change<TakenAuthenticator>(
  'authenticator-take',
  ({ actor }) => `DELETE FROM authenticators WHERE id = $1
  RETURNING identity_id AS "identityId", method, username, ca_id AS "caId"${actor}`,
);

/** Locks the identity before the authenticator, as `administrators.keep` does: it does not become one meanwhile. */
const REMOVE_ORDINARY = shortChange<Pick<TakenAuthenticator, 'identityId'>>(
  'authenticator-remove-ordinary',
  { row: 0 },
  ({ actor }) => `WITH owner AS MATERIALIZED (SELECT i.id
    FROM identities i JOIN authenticators a ON a.identity_id = i.id
    WHERE a.id = $1 AND NOT i.is_admin AND NOT i.is_default_admin FOR UPDATE OF i)
  DELETE FROM authenticators a USING owner WHERE a.id = $1 AND a.identity_id = owner.id
  RETURNING a.identity_id AS "identityId"${actor}`,
);

const HAS_CERTIFICATE = slowRead(
  'authenticator-has-certificate',
  "SELECT FROM authenticators WHERE fingerprint = $1 AND method = 'cert'",
);

export function authenticatorStore(db: Db, lists: Lists): AuthenticatorStore {
  return {
    async get(id, owner) {
      if (owner === undefined) return authenticator.get(db, id).then(fromRow);
      return getOne(db, authenticator.name, OWN_DETAIL, [id, owner], fromRow);
    },
    list: ({ ofIdentity, isForClient, ...request }) =>
      lists.unread(db, isForClient === true ? ownSource : source, request, ownedBy('identity_id', ofIdentity)),
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
    async removeOrdinary(id) {
      const row = await db.one(REMOVE_ORDINARY, [id]);
      if (row !== undefined) db.touched?.({ identity: row.identityId });
      return row !== undefined;
    },
    async hasCertificate(fingerprint) {
      return (await db.count(HAS_CERTIFICATE, [fingerprint])) > 0;
    },
    extensionOf: (id, owner) => extensions.extensionOf(db, id, owner),
    awaitVerification: (id, owner, currentPem, next) => extensions.awaitVerification(db, id, owner, currentPem, next),
    completeExtension: (id, owner, waitingPem) => extensions.completeExtension(db, id, owner, waitingPem),
    requestExtension: (id, isKeyRollRequested) => extensions.requestExtension(db, id, isKeyRollRequested),
    credentialsByUsername: (username) => passwords.credentialsByUsername(db, username),
    passwordHashOf: (id) => passwords.passwordHashOf(db, id),
    lockPassword: (id, expectedHash) => passwords.lockPassword(db, id, expectedHash),
    guessStateOf: (id) => passwords.guessStateOf(db, id),
    lockGuessState: (id) => passwords.lockGuessState(db, id),
    countGuess: (id, most) => passwords.countGuess(db, id, most),
    clearFailures: (id) => passwords.clearFailures(db, id),
    syncCommit: () => passwords.syncCommit(db),
  };
}
