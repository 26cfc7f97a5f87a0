/** Tokens of logins by OpenID Connect: the families that they belong to, one for each API session. */
import type { ApiSession } from '../../domain/credentials.js';
import type { IdentityRef } from '../../domain/entity.js';
import type { RefreshState } from '../../domain/oidc/refreshing.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, changeAside, read } from '../postgres/statement.js';
import { MAY_CALL } from './api-session-owners.js';
import type { SessionOwner } from './api-session-owners.js';
import { OWES_TOTP } from './api-session-rows.js';

export interface TokenFamily {
  readonly apiSessionId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly authenticatedAt: Date;
  /** No token of the family is good for longer. */
  readonly endsAt: Date;
  /** Null when it has no refresh token. */
  readonly refresh: RefreshState | null;
  /** The time by the clock of the database. */
  readonly readAt: Date;
}

export interface TokenFamilyDraft extends Omit<TokenFamily, 'refresh' | 'endsAt' | 'readAt'> {
  readonly lifetimeSeconds: number;
  readonly refreshHash: Buffer | null;
  /** Its session is there until then, unless that is used up earlier or refreshed. */
  readonly sessionExpiresAt: Date;
}

/** The part of a session and its identity that tokens are made of. */
export type TokenOwner = Pick<
  SessionOwner,
  'isAdmin' | 'certificateHash' | 'expiresAt' | 'isCertificateBound' | 'method' | 'externalId'
> & {
  readonly session: Pick<ApiSession, 'id' | 'authenticatorId' | 'configTypes' | 'isMfaComplete' | 'owesTotp'> & {
    readonly identity: Pick<IdentityRef, 'id' | 'name'>;
  };
};

/** A login whose session is open, as one statement reads both. */
export interface FoundLogin {
  readonly owner: TokenOwner;
  readonly family: TokenFamily;
  /** The token by which it was found was revoked by itself. */
  readonly isRevoked: boolean;
}

export interface Rotation {
  readonly apiSessionId: string;
  readonly identityId: string;
  /** Id of the refresh token that was shown. */
  readonly tokenId: string;
  /** Hashes of the ids of that one and of the next. */
  readonly from: Buffer;
  readonly to: Buffer;
  readonly expiresAt: Date;
  /** The certificate that the connection has shown: its SHA-256 and its SHA-1. */
  readonly shown: { readonly hash: Buffer; readonly fingerprint: string } | undefined;
}

export interface TokenFamilyStore {
  /** Call it in the transaction that uses the code. */
  create(draft: TokenFamilyDraft): Promise<TokenFamily | undefined>;
  find(apiSessionId: string): Promise<TokenFamily | undefined>;
  /** The login that a token belongs to. */
  findLogin(apiSessionId: string, tokenId: string): Promise<FoundLogin | undefined>;
  /**
   * Puts one refresh token in the place of another, and keeps the session until its end: all in one statement.
   * @returns undefined when the other one is not in force or was revoked, when the session gives no tokens, and
   *   without the certificate that it needs; `findLogin` tells which
   */
  rotate(rotation: Rotation): Promise<FoundLogin | undefined>;
  /** Keeps the session for a new token that lasts longer. */
  extend(apiSessionId: string, expiresAt: Date): Promise<void>;
}

type Row = Omit<TokenFamily, 'refresh'> & {
  readonly current: Buffer | null;
  readonly previous: Buffer | null;
  readonly rotatedAt: Date | null;
};

const COLUMNS = `f.api_session_id AS "apiSessionId", f.client_id AS "clientId", f.scopes,
  f.authenticated_at AS "authenticatedAt", f.ends_at AS "endsAt", f.refresh_hash AS current,
  f.previous_hash AS previous, f.rotated_at AS "rotatedAt",
  clock_timestamp() AS "readAt"`;

/** Nothing when the session ended meanwhile. */
const CREATE = change<Row>(
  'token-family-create',
  ({ actor }) => `WITH kept AS (
  UPDATE api_sessions SET expires_at = least($7::timestamptz, now() + make_interval(secs => $5)) WHERE id = $1
  RETURNING id),
f AS (
  INSERT INTO token_families (api_session_id, client_id, scopes, authenticated_at, ends_at, refresh_hash)
  SELECT id, $2, $3::text[], $4::timestamptz, now() + make_interval(secs => $5), $6::bytea FROM kept RETURNING *)
SELECT ${COLUMNS}${actor} FROM f`,
);

const FIND = read<Row>(
  'token-family-find',
  `SELECT ${COLUMNS} FROM token_families f WHERE f.api_session_id = $1 AND f.ends_at > now()`,
);

type LoginRow = Omit<Row, 'endsAt'> &
  Omit<TokenOwner, 'session'> &
  Omit<TokenOwner['session'], 'id' | 'identity'> & {
    readonly familyEndsAt: Date;
    readonly identityId: string;
    readonly identityName: string;
    readonly isRevoked: boolean;
  };

/** The columns that tokens are made of, and no other: a refresh spends much of its time on reading its row. */
const LOGIN = `f.api_session_id AS "apiSessionId", f.client_id AS "clientId", f.scopes,
  f.authenticated_at AS "authenticatedAt", f.ends_at AS "familyEndsAt", f.refresh_hash AS current,
  f.previous_hash AS previous, f.rotated_at AS "rotatedAt", clock_timestamp() AS "readAt",
  i.id AS "identityId", i.name AS "identityName", i.external_id AS "externalId",
  (i.is_admin OR i.is_default_admin) AS "isAdmin", t.authenticator_id AS "authenticatorId", t.method,
  t.config_types AS "configTypes", t.is_mfa_complete AS "isMfaComplete", ${OWES_TOTP} AS "owesTotp",
  t.certificate_hash AS "certificateHash", t.is_certificate_bound AS "isCertificateBound", t.expires_at AS "expiresAt"`;
const JOINS = `JOIN identities i ON i.id = t.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id
  LEFT JOIN mfas m ON m.identity_id = i.id AND m.is_verified`;
const IS_REVOKED = `EXISTS (SELECT FROM revocations WHERE revocations.id = $2 AND revocations.type = 'JTI'
  AND revocations.expires_at > now())`;
const IS_OPEN = `f.api_session_id = $1 AND f.ends_at > now() AND t.id = $1 AND t.expires_at > now() AND ${MAY_CALL}`;

const FIND_LOGIN = read<LoginRow>(
  'token-family-login',
  `SELECT ${LOGIN}, ${IS_REVOKED} AS "isRevoked" FROM token_families f, api_sessions t ${JOINS} WHERE ${IS_OPEN}`,
);

/** The session is written ahead, so that one whose tokens are refreshed all the time is mostly left alone. */
const ROTATE = changeAside<LoginRow>(
  'token-family-rotate',
  ({ actor }) => `WITH rotated AS (
  UPDATE token_families f SET refresh_hash = $4, previous_hash = $3, rotated_at = clock_timestamp()
  FROM api_sessions t ${JOINS}
  WHERE ${IS_OPEN} AND f.refresh_hash = $3 AND t.identity_id = $5 AND NOT ${OWES_TOTP} AND NOT ${IS_REVOKED}
    AND (t.certificate_hash IS NULL OR t.certificate_hash = $7 OR EXISTS (SELECT FROM api_session_certificates c
      WHERE c.api_session_id = $1 AND c.fingerprint = $8 AND c.is_proof AND c.valid_to > now()))
  RETURNING ${LOGIN}, false AS "isRevoked"),
kept AS (
  UPDATE api_sessions t SET
    expires_at = least(r."familyEndsAt", $6::timestamptz + ($6::timestamptz - now()) / 16)
  FROM rotated r WHERE t.id = r."apiSessionId" AND t.expires_at < least(r."familyEndsAt", $6::timestamptz))
SELECT *${actor} FROM rotated`,
);

/** Written ahead, so that a client which asks for a token with each command does not write each time. */
const EXTEND = asyncChange(
  'token-family-extend',
  ({ returningActor }) => `UPDATE api_sessions t SET
    expires_at = least(f.ends_at, $2::timestamptz + ($2::timestamptz - now()) / 16)
  FROM token_families f WHERE f.api_session_id = $1 AND t.id = f.api_session_id
    AND t.expires_at < least(f.ends_at, $2::timestamptz)${returningActor}`,
);

function familyFrom({ current, previous, rotatedAt, ...family }: Row): TokenFamily {
  return { ...family, refresh: current === null ? null : { current, previous, rotatedAt } };
}

const loginFrom = (row: LoginRow): FoundLogin => ({
  owner: {
    session: {
      id: row.apiSessionId,
      identity: { id: row.identityId, name: row.identityName },
      authenticatorId: row.authenticatorId,
      configTypes: row.configTypes,
      isMfaComplete: row.isMfaComplete,
      owesTotp: row.owesTotp,
    },
    isAdmin: row.isAdmin,
    certificateHash: row.certificateHash,
    expiresAt: row.expiresAt,
    isCertificateBound: row.isCertificateBound,
    method: row.method,
    externalId: row.externalId,
  },
  family: familyFrom({
    apiSessionId: row.apiSessionId,
    clientId: row.clientId,
    scopes: row.scopes,
    authenticatedAt: row.authenticatedAt,
    endsAt: row.familyEndsAt,
    readAt: row.readAt,
    current: row.current,
    previous: row.previous,
    rotatedAt: row.rotatedAt,
  }),
  isRevoked: row.isRevoked,
});

export function tokenFamilyStore(db: Db): TokenFamilyStore {
  return {
    async create({ apiSessionId, clientId, scopes, authenticatedAt, lifetimeSeconds, refreshHash, sessionExpiresAt }) {
      const draft = [clientId, scopes, authenticatedAt, lifetimeSeconds, refreshHash, sessionExpiresAt];
      const row = await db.one(CREATE, [apiSessionId, ...draft]);
      return row && familyFrom(row);
    },
    async find(apiSessionId) {
      const row = await db.one(FIND, [apiSessionId]);
      return row && familyFrom(row);
    },
    async findLogin(apiSessionId, tokenId) {
      const row = await db.one(FIND_LOGIN, [apiSessionId, tokenId]);
      return row && loginFrom(row);
    },
    async rotate({ apiSessionId, identityId, tokenId, from, to, expiresAt, shown }) {
      const proof = [shown?.hash ?? null, shown?.fingerprint ?? null];
      const row = await db.one(ROTATE, [apiSessionId, tokenId, from, to, identityId, expiresAt, ...proof]);
      return row && loginFrom(row);
    },
    async extend(apiSessionId, expiresAt) {
      await db.execute(EXTEND, [apiSessionId, expiresAt]);
    },
  };
}
