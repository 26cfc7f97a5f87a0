/** Revocations. The transaction that writes one down also ends what it names. */
import type { Revocation, RevocationType } from '../../domain/administration.js';
import type { Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import { laterThan } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { sweeping } from './sweep.js';
import { endAll } from './api-session-ends.js';
import { entity } from '../query/entity.js';
import { text, time } from '../query/fields.js';
import { jsonText } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { change, locking, read } from '../postgres/statement.js';

export const revocation = entity<Revocation>(
  'revocations',
  { type: text<RevocationType>(), issuedBefore: time(), expiresAt: time() },
  { name: 'revocation' },
);

export interface RevocationDraft {
  readonly type: RevocationType;
  /** How long a token may last that was handed out just now. */
  readonly lifetimeSeconds: number;
  readonly tags: Tags;
}

export interface RevocationStore {
  list(request: ListRequest): Promise<Page<Revocation>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Revocation>;
  /** Stores a revocation, in place of one of the same id. It ends what was handed out until now. */
  put(id: string, draft: RevocationDraft): Promise<void>;
  /** The token with this id is revoked. */
  isTokenRevoked(tokenId: string): Promise<boolean>;
  /** Ends the session of a JWT that routers take, if there is one of this id. */
  endSession(id: string): Promise<void>;
  /** Ends an API session, if there is one of this id. */
  endApiSession(id: string): Promise<void>;
  /**
   * Ends all API sessions of an identity: also those of logins that are under way, for which it waits.
   * @throws DomainError `notFound`
   */
  endIdentity(id: string): Promise<void>;
  /** Removes what has expired, up to `max`. Answers how many. */
  sweep(max: number): Promise<number>;
}

/** Takes the clock, not the begin of the transaction: what was waited for came before. */
const PUT = change(
  'revocation-put',
  ({ returningActor }) => `INSERT INTO revocations AS r (id, type, issued_before, expires_at, tags)
  VALUES ($1, $2, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $4)
  ON CONFLICT (id) DO UPDATE SET type = excluded.type, issued_before = excluded.issued_before,
    expires_at = excluded.expires_at, tags = excluded.tags, updated_at = ${laterThan('r.updated_at')}${returningActor}`,
);

const TOKEN = read<{ id: string }>(
  'revocation-of-token',
  "SELECT id FROM revocations WHERE id = $1 AND type = 'JTI' AND expires_at > now()",
);

const END_SESSION = change(
  'revocation-end-session',
  ({ returningActor }) => `DELETE FROM sessions WHERE id = $1${returningActor}`,
);

const END_API_SESSION = change(
  'revocation-end-api-session',
  ({ returningActor }) => `DELETE FROM api_sessions WHERE id = $1${returningActor}`,
);

const LOCK_IDENTITY = locking('revocation-lock-identity', 'SELECT FROM identities WHERE id = $1 FOR UPDATE');

const END_IDENTITY = change(
  'revocation-end-identity',
  ({ actor }) => `${endAll('identity_id = $1')} RETURNING t.id${actor}`,
);

const SWEEP = sweeping({ table: 'revocations', where: 'expires_at <= now() ORDER BY expires_at' });

export function revocationStore(db: Db, lists: Lists): RevocationStore {
  return {
    list: (request) => lists.page(db, revocation.source, request),
    get: (id) => revocation.get(db, id),
    async put(id, { type, lifetimeSeconds, tags }) {
      await db.execute(PUT, [id, type, lifetimeSeconds, jsonText(tags)]);
      if (type === 'JTI') db.touched?.({ token: id });
    },
    async isTokenRevoked(tokenId) {
      return (await db.one(TOKEN, [tokenId])) !== undefined;
    },
    async endSession(id) {
      await db.execute(END_SESSION, [id]);
    },
    async endApiSession(id) {
      await db.execute(END_API_SESSION, [id]);
      db.touched?.({ apiSession: id });
    },
    async endIdentity(id) {
      if ((await db.count(LOCK_IDENTITY, [id])) === 0) throw notFound('identity', id);
      await db.execute(END_IDENTITY, [id]);
      db.touched?.({ identity: id });
    },
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
