/** TOTP enrollments of identities. Secrets come and go sealed; what a code opens is decided on a locked row. */
import type { BaseEntity } from '../../domain/model.js';
import { DomainError } from '../../domain/errors.js';
import type { Rows } from '../postgres/connection.js';
import type { Db } from '../postgres/contracts.js';
import { change, locking, read, slowRead } from '../postgres/statement.js';

/** The one TOTP enrollment of an identity. */
export interface Mfa extends BaseEntity {
  readonly identityId: string;
  readonly isVerified: boolean;
  readonly sealedSecret: Buffer;
  /** Recovery codes that are not used yet. */
  readonly sealedCodes: readonly Buffer[];
  /** How long no code is taken, in seconds; 0: codes are taken. */
  readonly blockedSeconds: number;
}

export type SealedMfa = Pick<Mfa, 'id' | 'identityId' | 'sealedSecret' | 'sealedCodes'>;

/** Guesses of an API session so far. */
export interface SessionGuesses {
  /** It has given a code of the present enrollment. */
  readonly isComplete: boolean;
  /** How long no code is taken from it, in seconds; 0: codes are taken. */
  readonly blockedSeconds: number;
}

/** So many wrong codes within the window block further ones until the first of them is as old as that. */
export interface GuessBounds {
  readonly most: number;
  readonly windowSeconds: number;
}

export interface MfaStore {
  find(identityId: string): Promise<Mfa | undefined>;
  /** The same, and until the transaction ends no other one reads it so or changes it. */
  lock(identityId: string): Promise<Mfa | undefined>;
  /** @throws DomainError `mfaExists` when the identity has one */
  create(draft: SealedMfa): Promise<void>;
  /** False when a code of this step, or of a later one, was accepted before. */
  spendStep(id: string, step: number): Promise<boolean>;
  /** False when it was used before. @param sealed  one of `sealedCodes` */
  spendCode(id: string, sealed: Buffer): Promise<boolean>;
  /** Counts a wrong code. The last one of `most` within the window blocks further ones for as long as the window. */
  countWrong(id: string, most: number, windowSeconds: number): Promise<void>;
  /** Reads them; of a session that is gone nothing was guessed, and nothing will be. */
  guessesOf(apiSessionId: string, bounds: GuessBounds): Promise<SessionGuesses>;
  /** Counts a wrong code for the API session alone. */
  countWrongOf(apiSessionId: string, bounds: GuessBounds): Promise<void>;
  /** Codes are taken again, and no wrong one counts any more. False when nothing kept them from being taken. */
  unblock(identityId: string): Promise<boolean>;
  /** Call it before a session is completed by it: sessions that owe nothing at this moment may `undo` it. */
  setVerified(mfa: Pick<Mfa, 'id' | 'identityId'>): Promise<void>;
  /**
   * Removes one that was verified within the last `seconds`, if this session owed nothing then. False, and nothing
   * done, otherwise.
   */
  undo(identityId: string, apiSessionId: string, seconds: number): Promise<boolean>;
  setCodes(id: string, sealedCodes: readonly Buffer[]): Promise<void>;
  /** Puts the API sessions of the identity back to what its policy asks. False when there is none. */
  remove(identityId: string): Promise<boolean>;
  /** The same, of one that is not verified. */
  removeUnverified(identityId: string): Promise<boolean>;
  /** Some of all, by id, after one of them: for sealing them again. */
  after(id: string, max: number): Promise<SealedMfa[]>;
  reseal(mfa: SealedMfa): Promise<void>;
}

const FIND = `SELECT id, created_at AS "createdAt", updated_at AS "updatedAt", tags, identity_id AS "identityId",
  is_verified AS "isVerified", sealed_secret AS "sealedSecret", sealed_codes AS "sealedCodes",
  greatest(0, ceil(extract(epoch FROM blocked_until - clock_timestamp())))::int AS "blockedSeconds"
FROM mfas WHERE identity_id = $1`;

/** The times of wrong codes that still count, with this one; emptied by the one that blocks. */
const COUNT_WRONG = change(
  'mfa-count-wrong',
  ({ returningActor }) => `UPDATE mfas SET
  failed_at = CASE WHEN recent.n + 1 >= $2 THEN '{}' ELSE recent.times || now() END,
  blocked_until = CASE WHEN recent.n + 1 >= $2 THEN now() + make_interval(secs => $3) ELSE blocked_until END
FROM (SELECT count(at) AS n, coalesce(array_agg(at), '{}') AS times
  FROM mfas m LEFT JOIN LATERAL unnest(m.failed_at) AS at ON at > now() - make_interval(secs => $3)
  WHERE m.id = $1) AS recent
WHERE id = $1${returningActor}`,
);

const GUESSES = slowRead<SessionGuesses>(
  'mfa-guesses',
  `SELECT s.is_mfa_complete AS "isComplete",
  coalesce((SELECT greatest(0, ceil(extract(epoch FROM at + make_interval(secs => $2) - clock_timestamp())))::int
    FROM unnest(s.wrong_codes) AS at ORDER BY at DESC OFFSET $3 - 1 LIMIT 1), 0) AS "blockedSeconds"
FROM api_sessions s WHERE s.id = $1`,
);

const COUNT_WRONG_OF = change(
  'mfa-count-wrong-of',
  ({ returningActor }) => `UPDATE api_sessions SET wrong_codes = ARRAY(SELECT at
  FROM unnest(wrong_codes || clock_timestamp()) AS at WHERE at > clock_timestamp() - make_interval(secs => $2)
  ORDER BY at DESC LIMIT $3) WHERE id = $1${returningActor}`,
);

/** Those that owe nothing: before the enrollment is verified only the auth policy can ask for a code. */
const LET_UNDO = change(
  'mfa-let-undo',
  ({ returningActor }) => `UPDATE api_sessions SET undoes_mfa = $1 WHERE id IN (
  SELECT t.id FROM mfas m JOIN identities i ON i.id = m.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id
    JOIN api_sessions t ON t.identity_id = i.id
  WHERE m.id = $1 AND (t.is_mfa_complete OR NOT p.require_totp) ORDER BY t.id FOR NO KEY UPDATE OF t)${returningActor}`,
);

const UNDO = change(
  'mfa-undo',
  ({ returningActor }) => `DELETE FROM mfas m USING api_sessions s
WHERE m.identity_id = $1 AND m.is_verified AND m.verified_at > now() - make_interval(secs => $3)
  AND s.id = $2 AND s.identity_id = m.identity_id AND s.undoes_mfa = m.id${returningActor}`,
);

const MFA_FIND = read<Mfa>('mfa-find', FIND);

const LOCK = locking<Mfa>('mfa-lock', `${FIND} FOR UPDATE`);

const CREATE = change(
  'mfa-create',
  ({ returningActor }) => `INSERT INTO mfas (id, identity_id, sealed_secret, sealed_codes) VALUES ($1, $2, $3, $4)
  ON CONFLICT (identity_id) DO NOTHING${returningActor}`,
);

const UNBLOCK_SESSIONS = change(
  'mfa-unblock-sessions',
  ({ returningActor }) =>
    `UPDATE api_sessions SET wrong_codes = '{}' WHERE identity_id = $1 AND wrong_codes <> '{}'${returningActor}`,
);

const UNBLOCK = change(
  'mfa-unblock',
  ({ returningActor }) => `UPDATE mfas SET failed_at = '{}', blocked_until = NULL, updated_at = now()
  WHERE identity_id = $1 AND (blocked_until > clock_timestamp() OR cardinality(failed_at) > 0)${returningActor}`,
);

const DELETE = change('mfa-delete', ({ returningActor }) => `DELETE FROM mfas WHERE identity_id = $1${returningActor}`);

const DELETE_UNVERIFIED = change(
  'mfa-delete-unverified',
  ({ returningActor }) => `DELETE FROM mfas WHERE identity_id = $1 AND NOT is_verified${returningActor}`,
);

const MFAS_AFTER = locking<SealedMfa>(
  'mfas-after',
  `SELECT id, identity_id AS "identityId", sealed_secret AS "sealedSecret", sealed_codes AS "sealedCodes"
  FROM mfas WHERE id > $1 ORDER BY id LIMIT $2 FOR UPDATE`,
);

const RESEAL = change(
  'mfa-reseal',
  ({ returningActor }) => `UPDATE mfas SET sealed_secret = $2, sealed_codes = $3 WHERE id = $1${returningActor}`,
);

const touching = (name: string, set: string, where = '') =>
  change(
    name,
    ({ returningActor }) => `UPDATE mfas SET ${set}, updated_at = now() WHERE id = $1 ${where}${returningActor}`,
  );

const SPEND_STEP = touching('mfa-spend-step', 'last_step = $2', 'AND last_step < $2');
const SPEND_CODE = touching(
  'mfa-spend-code',
  'sealed_codes = array_remove(sealed_codes, $2)',
  'AND $2 = ANY (sealed_codes)',
);
const SET_VERIFIED = touching('mfa-verified', 'is_verified = true, verified_at = now()');
const SET_CODES = touching('mfa-set-codes', 'sealed_codes = $2');

export function mfaStore(db: Db): MfaStore {
  const isRemoved = (identityId: string, { rowCount }: Pick<Rows<unknown>, 'rowCount'>): boolean => {
    db.touched?.({ identity: identityId });
    return rowCount > 0;
  };
  return {
    async find(identityId) {
      const rows = await db.many(MFA_FIND, [identityId]);
      return rows[0];
    },
    async lock(identityId) {
      const rows = await db.many(LOCK, [identityId]);
      return rows[0];
    },
    async create({ id, identityId, sealedSecret, sealedCodes }) {
      const rowCount = await db.count(CREATE, [id, identityId, sealedSecret, sealedCodes]);
      if (rowCount === 0) throw new DomainError('mfaExists');
    },
    spendStep: async (id, step) => (await db.count(SPEND_STEP, [id, step])) === 1,
    spendCode: async (id, sealed) => (await db.count(SPEND_CODE, [id, sealed])) === 1,
    async countWrong(id, most, windowSeconds) {
      await db.execute(COUNT_WRONG, [id, most, windowSeconds]);
    },
    async unblock(identityId) {
      await db.execute(UNBLOCK_SESSIONS, [identityId]);
      return (await db.count(UNBLOCK, [identityId])) > 0;
    },
    async guessesOf(apiSessionId, { most, windowSeconds }) {
      const rows = await db.many(GUESSES, [apiSessionId, windowSeconds, most]);
      return rows[0] ?? { isComplete: false, blockedSeconds: 0 };
    },
    async countWrongOf(apiSessionId, { most, windowSeconds }) {
      await db.execute(COUNT_WRONG_OF, [apiSessionId, windowSeconds, most]);
    },
    async setVerified({ id, identityId }) {
      await db.execute(SET_VERIFIED, [id]);
      await db.execute(LET_UNDO, [id]);
      db.touched?.({ identity: identityId });
    },
    async undo(identityId, apiSessionId, seconds) {
      return isRemoved(identityId, await db.execute(UNDO, [identityId, apiSessionId, seconds]));
    },
    async setCodes(id, sealedCodes) {
      await db.execute(SET_CODES, [id, sealedCodes]);
    },
    async remove(identityId) {
      return isRemoved(identityId, await db.execute(DELETE, [identityId]));
    },
    async removeUnverified(identityId) {
      return isRemoved(identityId, await db.execute(DELETE_UNVERIFIED, [identityId]));
    },
    async after(id, max) {
      const rows = await db.many(MFAS_AFTER, [id, max]);
      return rows;
    },
    async reseal({ id, sealedSecret, sealedCodes }) {
      await db.execute(RESEAL, [id, sealedSecret, sealedCodes]);
    },
  };
}
