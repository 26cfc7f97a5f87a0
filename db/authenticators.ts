/** Authenticators: how an identity proves itself. A password hash leaves this store only through `credentialsOf`. */
import type { Authenticator, AuthenticatorMethod, Page, Tags } from '../domain/model.js';
import { notFound, raise } from '../domain/errors.js';
import type { Db } from './db.js';
import { BASE_COLUMNS, baseOf, detailSql, insert, json, remove, update } from './table.js';
import type { BaseRow, Lists, ListRequest, ListSource } from './table.js';
import { authenticatorSymbols } from './symbols.js';

const AUTHENTICATOR = 'authenticator';

interface Row extends BaseRow {
  identity_id: string;
  identity_name: string;
  method: AuthenticatorMethod;
  username: string | null;
  cert_pem: string | null;
  fingerprint: string | null;
}

const source: ListSource<Row, Authenticator> = {
  table: 'authenticators', symbols: authenticatorSymbols, extras: 'i.name AS identity_name',
  columns: [...BASE_COLUMNS, 'identity_id', 'method', 'username', 'cert_pem', 'fingerprint'],
  joins: 'JOIN identities i ON i.id = t.identity_id', fromRow,
};

const DETAIL = detailSql(source);
const OWN_DETAIL = detailSql(source, 'AND t.identity_id = $2');

function fromRow(row: Row): Authenticator {
  return {
    identity: { id: row.identity_id, name: row.identity_name }, method: row.method,
    username: row.username, certPem: row.cert_pem, fingerprint: row.fingerprint,
    ...baseOf(row),
  };
}

/** What a password login needs: read in one round trip by username. */
export interface PasswordCredentials {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly authPolicyId: string;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
}

export interface UpdbDraft { readonly id: string; readonly identityId: string; readonly username: string; readonly passwordHash: string; readonly tags: Tags }
export interface UpdbChanges { readonly username?: string | undefined; readonly passwordHash?: string | undefined; readonly tags?: Tags | undefined }

export interface AuthenticatorStore {
  /** `owner` narrows to that identity's own. @throws DomainError `notFound` */
  get(id: string, owner?: string): Promise<Authenticator>;
  list(request: ListRequest): Promise<Page<Authenticator>>;
  createUpdb(draft: UpdbDraft): Promise<void>;
  update(id: string, changes: UpdbChanges): Promise<void>;
  remove(id: string): Promise<void>;
  credentialsByUsername(username: string): Promise<PasswordCredentials | undefined>;
  passwordHashOf(id: string): Promise<string | undefined>;
  /** Counts a wrong password and answers how many there were in a row, this one included. */
  countFailure(id: string): Promise<number>;
  clearFailures(id: string): Promise<void>;
}

export function authenticatorStore(db: Db, lists: Lists): AuthenticatorStore {
  return {
    async get(id, owner) {
      const { rows: [row] } = owner === undefined
        ? await db.read<Row>('authenticator-detail', DETAIL, [id])
        : await db.read<Row>('authenticator-detail-own', OWN_DETAIL, [id, owner]);
      return row ? fromRow(row) : raise(notFound(AUTHENTICATOR, id));
    },
    list: (request) => lists.page(db, source, request),
    async createUpdb(draft) {
      await insert(db, 'authenticators', {
        id: draft.id, identity_id: draft.identityId, method: 'updb', username: draft.username,
        password_hash: draft.passwordHash, tags: json(draft.tags),
      });
    },
    async update(id, changes) {
      const password = changes.passwordHash === undefined ? {} : { password_hash: changes.passwordHash, failed_attempts: 0 };
      await update(db, 'authenticators', AUTHENTICATOR, id, { username: changes.username, ...password, tags: json(changes.tags) });
    },
    remove: (id) => remove(db, 'authenticators', AUTHENTICATOR, id),
    async credentialsByUsername(username) {
      const { rows: [row] } = await db.read<PasswordCredentials>('credentials', `SELECT a.id AS "authenticatorId",
        i.id AS "identityId", i.auth_policy_id AS "authPolicyId", a.password_hash AS "passwordHash",
        (i.disabled_at IS NOT NULL AND (i.disabled_until IS NULL OR i.disabled_until > now())) AS "isDisabled"
        FROM authenticators a JOIN identities i ON i.id = a.identity_id WHERE a.username = $1 AND a.method = 'updb'`, [username]);
      return row;
    },
    async passwordHashOf(id) {
      const { rows: [row] } = await db.read<{ password_hash: string | null }>('password-hash', 'SELECT password_hash FROM authenticators WHERE id = $1', [id]);
      return row?.password_hash ?? undefined;
    },
    async countFailure(id) {
      const { rows: [row] } = await db.run<{ failed_attempts: number }>('authenticator-failure', `UPDATE authenticators
        SET failed_attempts = failed_attempts + 1 WHERE id = $1 RETURNING failed_attempts`, [id]);
      return row?.failed_attempts ?? 0;
    },
    async clearFailures(id) {
      await db.run('authenticator-success', 'UPDATE authenticators SET failed_attempts = 0 WHERE id = $1 AND failed_attempts > 0', [id]);
    },
  };
}
