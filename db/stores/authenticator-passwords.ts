/**
 * Passwords of authenticators, and the wrong guesses at them. A password hash leaves the database only through
 * `credentialsByUsername`, `passwordHashOf` and the guess states.
 */
import type { Db } from '../postgres/contracts.js';
import { asyncChange, change, locking, read } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';

/** All that a password login needs: read in one round trip by username. */
export interface PasswordCredentials {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  /** Wrong passwords in a row. */
  readonly failedAttempts: number;
  /** Comes from the auth policy, as the two bounds do. */
  readonly isAllowed: boolean;
  readonly maxAttempts: number;
  readonly lockoutDurationMinutes: number;
}

/** Decides whether a guess at a password counts, and by which hash it is judged. */
export interface GuessState {
  /** Null for an authenticator of another method. */
  readonly passwordHash: string | null;
  readonly failedAttempts: number;
  readonly isDisabled: boolean;
}

export interface AuthenticatorPasswords {
  credentialsByUsername(username: string): Promise<PasswordCredentials | undefined>;
  passwordHashOf(id: string): Promise<string | undefined>;
  /**
   * Call before a password changes: waits for logins with the present one, and later logins wait for this transaction.
   * @param expectedHash  undefined: whatever it is
   * @returns false when it is another one by now
   */
  lockPassword(id: string, expectedHash: string | undefined): Promise<boolean>;
  guessStateOf(id: string): Promise<GuessState | undefined>;
  /** The same, locked until the transaction ends, and the identity with it. */
  lockGuessState(id: string): Promise<GuessState | undefined>;
  /**
   * Counts a wrong password; call it on what is held. True for the last of `most` in a row: counting begins again then.
   */
  countGuess(id: string, most: number): Promise<boolean>;
  clearFailures(id: string): Promise<void>;
  /** The transaction is on disk before it is answered, also one that `isUnsynced`. */
  syncCommit(): Promise<void>;
}

const CREDENTIALS = read<PasswordCredentials>(
  'credentials',
  `SELECT a.id AS "authenticatorId",
  i.id AS "identityId", a.password_hash AS "passwordHash", ${isDisabledSql('i')} AS "isDisabled",
  a.failed_attempts AS "failedAttempts", p.updb_allowed AS "isAllowed", p.updb_max_attempts AS "maxAttempts",
  p.updb_lockout_minutes AS "lockoutDurationMinutes"
  FROM authenticators a JOIN identities i ON i.id = a.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id
  WHERE a.username = $1 AND a.method = 'updb'`,
);

const PASSWORD_HASH = read<{ password_hash: string | null }>(
  'password-hash',
  'SELECT password_hash FROM authenticators WHERE id = $1',
);

const PASSWORD_LOCK = locking(
  'password-lock',
  'SELECT FROM authenticators WHERE id = $1 AND ($2::text IS NULL OR password_hash = $2) FOR UPDATE',
);

const GUESS_STATE = `SELECT a.password_hash AS "passwordHash", a.failed_attempts AS "failedAttempts",
  ${isDisabledSql('i')} AS "isDisabled"
FROM identities i JOIN authenticators a ON a.identity_id = i.id WHERE a.id = $1`;

const READ_GUESS_STATE = read<GuessState>('guess-state', GUESS_STATE);

const GUESS_LOCK = locking<GuessState>('guess-lock', `${GUESS_STATE} FOR UPDATE OF i, a`);

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

/** The settings of the commit alone: it waits for the disk and for no standby. */
const COMMIT_ON_DISK = asyncChange('commit-on-disk', ({ actor }) => `SELECT true AS "isOnDisk"${actor}`);

export const credentialsByUsername = (db: Db, username: string): Promise<PasswordCredentials | undefined> =>
  db.one(CREDENTIALS, [username]);

export async function passwordHashOf(db: Db, id: string): Promise<string | undefined> {
  const row = await db.one(PASSWORD_HASH, [id]);
  return row?.password_hash ?? undefined;
}

export async function lockPassword(db: Db, id: string, expectedHash: string | undefined): Promise<boolean> {
  const rowCount = await db.count(PASSWORD_LOCK, [id, expectedHash ?? null]);
  return rowCount === 1;
}

export const guessStateOf = (db: Db, id: string): Promise<GuessState | undefined> => db.one(READ_GUESS_STATE, [id]);

export const lockGuessState = (db: Db, id: string): Promise<GuessState | undefined> => db.one(GUESS_LOCK, [id]);

export async function countGuess(db: Db, id: string, most: number): Promise<boolean> {
  const row = await db.one(GUESS_COUNT, [id, most]);
  return row?.isLast === true;
}

export async function clearFailures(db: Db, id: string): Promise<void> {
  await db.execute(SUCCESS, [id]);
}

export async function syncCommit(db: Db): Promise<void> {
  await db.execute(COMMIT_ON_DISK);
}
