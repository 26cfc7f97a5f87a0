/** Tokens of logins by OpenID Connect: the families that they belong to, one for each API session. */
import type { RefreshState } from '../../domain/oidc/refreshing.js';
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, read } from '../postgres/statement.js';

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

export interface TokenFamilyStore {
  /** Call it in the transaction that uses the code. */
  create(draft: TokenFamilyDraft): Promise<TokenFamily | undefined>;
  find(apiSessionId: string): Promise<TokenFamily | undefined>;
  /**
   * Puts one refresh token in the place of another, and keeps the session until its end.
   * @returns undefined when the other one is not in force
   */
  rotate(apiSessionId: string, from: Buffer, to: Buffer, expiresAt: Date): Promise<TokenFamily | undefined>;
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

const ROTATE = change<Row>(
  'token-family-rotate',
  ({ actor }) => `WITH f AS (
  UPDATE token_families SET refresh_hash = $3, previous_hash = $2, rotated_at = clock_timestamp()
  WHERE api_session_id = $1 AND refresh_hash = $2 AND ends_at > now() RETURNING *),
kept AS (
  UPDATE api_sessions t SET expires_at = least($4::timestamptz, f.ends_at) FROM f WHERE t.id = f.api_session_id)
SELECT ${COLUMNS}${actor} FROM f`,
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
    async rotate(apiSessionId, from, to, expiresAt) {
      const row = await db.one(ROTATE, [apiSessionId, from, to, expiresAt]);
      return row && familyFrom(row);
    },
    async extend(apiSessionId, expiresAt) {
      await db.execute(EXTEND, [apiSessionId, expiresAt]);
    },
  };
}
