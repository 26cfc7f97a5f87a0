/** Logins by OpenID Connect that are under way: each for ten minutes, for one session and one code. */
import type { AuthorizeRequest } from '../../domain/oidc/authorize-request.js';
import { CODE_SECONDS } from '../../domain/oidc/codes.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, locking, read } from '../postgres/statement.js';
import { sweeping } from './sweep.js';

export interface AuthRequest extends Omit<AuthorizeRequest, 'method' | 'state' | 'nonce' | 'clientId'> {
  readonly id: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly state: string | null;
  readonly nonce: string | null;
  /** `ip:port` of the client that began it. */
  readonly address: string;
  readonly expiresAt: Date;
  /** The session that the login opened last; it may have ended since. */
  readonly apiSessionId: string | null;
  readonly isSecondTokenShown: boolean;
  readonly authenticatedAt: Date | null;
  /** Its code is good now. */
  readonly isCodeGood: boolean;
  readonly isCodeUsed: boolean;
}

export interface AuthRequestDraft extends Omit<AuthorizeRequest, 'method'> {
  readonly id: string;
  readonly issuer: string;
  readonly address: string;
  readonly network: string;
}

export interface AuthRequestStore {
  /** @returns false when the network has too many already */
  create(draft: AuthRequestDraft): Promise<boolean>;
  /** One that has not expired; undefined once its code was used, too. */
  find(id: string): Promise<AuthRequest | undefined>;
  /** The same in a transaction, which keeps it until its end; also when its code was used. */
  lock(id: string): Promise<AuthRequest | undefined>;
  /** A login opened this session: all that an earlier one did on this request is over. */
  setSession(id: string, apiSessionId: string, isSecondTokenShown: boolean): Promise<void>;
  /** Its code is good from now on, for a minute. */
  issueCode(id: string): Promise<void>;
  useCode(id: string): Promise<void>;
  sweep(max: number): Promise<number>;
}

/** Time that a login may take. */
const AUTH_REQUEST_SECONDS = 600;
/** Programs behind one address: each takes a second for a login, and people a minute. */
const MOST_OF_NETWORK = 1_000;
/** Beyond them the oldest go. A row has about 600 bytes. */
const MOST = 50_000;
/** One request in so many looks whether there are too many of all. */
const LOOKED_AT = 100;

/** Rows of one network are counted up to the bound, in an index. */
const CREATE = asyncChange<{ id: string }>(
  'auth-request-create',
  ({ actor }) => `INSERT INTO auth_requests (id, expires_at, network, issuer, client_id, redirect_uri, state, nonce,
    scopes, code_challenge, config_types, address)
  SELECT $1, now() + make_interval(secs => ${AUTH_REQUEST_SECONDS}), $2, $3, $4, $5, $6, $7, $8::text[], $9,
    $10::text[], $11
  WHERE NOT EXISTS (SELECT FROM auth_requests r WHERE r.network = $2 AND r.expires_at > now()
    OFFSET ${MOST_OF_NETWORK - 1})
  RETURNING id${actor}`,
);

const TRIM = asyncChange(
  'auth-requests-trim',
  ({ returningActor }) => `DELETE FROM auth_requests WHERE id IN (
    SELECT id FROM auth_requests ORDER BY expires_at DESC OFFSET ${MOST} FOR UPDATE SKIP LOCKED)${returningActor}`,
);

const COLUMNS = `r.id, r.issuer, r.client_id AS "clientId", r.redirect_uri AS "redirectUri", r.state, r.nonce, r.scopes,
  r.code_challenge AS "codeChallenge", r.config_types AS "configTypes", r.address, r.expires_at AS "expiresAt",
  r.api_session_id AS "apiSessionId", r.is_second_token_shown AS "isSecondTokenShown",
  r.authenticated_at AS "authenticatedAt",
  coalesce(r.code_issued_at > now() - make_interval(secs => ${CODE_SECONDS}), false) AS "isCodeGood",
  r.code_used_at IS NOT NULL AS "isCodeUsed"`;
const CURRENT = 'FROM auth_requests r WHERE r.id = $1 AND r.expires_at > now()';

const FIND = read<AuthRequest>('auth-request-find', `SELECT ${COLUMNS} ${CURRENT} AND r.code_used_at IS NULL`);
const LOCK = locking<AuthRequest>('auth-request-lock', `SELECT ${COLUMNS} ${CURRENT} FOR UPDATE`);

const SET_SESSION = asyncChange(
  'auth-request-set-session',
  ({ returningActor }) => `UPDATE auth_requests SET api_session_id = $2, is_second_token_shown = $3,
    authenticated_at = now(), code_issued_at = NULL WHERE id = $1${returningActor}`,
);

const ISSUE_CODE = asyncChange(
  'auth-request-issue-code',
  ({ returningActor }) => `UPDATE auth_requests SET code_issued_at = now() WHERE id = $1${returningActor}`,
);

/** The row stays, so that the code is known when it comes again, and is counted with no network any more. */
const USE_CODE = asyncChange(
  'auth-request-use-code',
  ({ returningActor }) => `UPDATE auth_requests SET code_used_at = now(), network = '' WHERE id = $1${returningActor}`,
);

const SWEEP = sweeping({ table: 'auth_requests', where: 'expires_at <= now()' });

export function authRequestStore(db: Db): AuthRequestStore {
  return {
    async create({ id, network, issuer, clientId, redirectUri, state, nonce, scopes, codeChallenge, ...draft }) {
      if (Math.random() * LOOKED_AT < 1) await db.execute(TRIM);
      const row = await db.one(CREATE, [
        id,
        network,
        issuer,
        clientId,
        redirectUri,
        state ?? null,
        nonce ?? null,
        scopes,
        codeChallenge,
        draft.configTypes,
        draft.address,
      ]);
      return row !== undefined;
    },
    find: (id) => db.one(FIND, [id]),
    lock: (id) => db.one(LOCK, [id]),
    async setSession(id, apiSessionId, isSecondTokenShown) {
      await db.execute(SET_SESSION, [id, apiSessionId, isSecondTokenShown]);
    },
    async issueCode(id) {
      await db.execute(ISSUE_CODE, [id]);
    },
    async useCode(id) {
      await db.execute(USE_CODE, [id]);
    },
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
