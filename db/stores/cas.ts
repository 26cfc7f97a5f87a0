/** The certificate authorities of others: whose certificates enroll and log in. */
import type { Ca, CaSettings, ExternalIdClaim } from '../../domain/credentials.js';
import type { LazyRow, NamedRef, Page, Tags } from '../../domain/model.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { endAll } from './api-session-ends.js';
import { CA_HAS_ONE_ABOVE } from './rights.js';
import { asItIs, entity } from '../query/entity.js';
import { flag, json, secretUuid, text, textArray } from '../query/fields.js';
import { detailSql, getOne, selectSql } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes } from '../query/table.js';
import { change, locking, read, shortChange, slowRead } from '../postgres/statement.js';

export const ca = entity<Ca>(
  'cas',
  {
    name: text().unique(),
    certPem: text().unfiltered(),
    fingerprint: text(),
    isVerified: flag(),
    verificationToken: text().filteredBy(secretUuid('verification_token')),
    isAuthEnabled: flag(),
    isAutoCaEnrollmentEnabled: flag(),
    isOttCaEnrollmentEnabled: flag(),
    identityRoles: textArray().unfiltered(),
    identityNameFormat: text().unfiltered(),
    externalIdClaim: json<ExternalIdClaim | null>(),
  },
  { name: 'ca', collections: ['cas'], versionedBy: 'updatedAt' },
);

const DETAIL = detailSql(ca.source);
/** Two reads by index: one of both conditions would look at every session. */
const OF_CA = `ca_id = $1
  UNION SELECT s.id FROM authenticators a JOIN api_sessions s ON s.authenticator_id = a.id WHERE a.ca_id = $1`;
const FOR_CHANGE = locking<Ca>('ca-lock-change', `${DETAIL} FOR NO KEY UPDATE`);
const AGAINST_USE = read<Ca>('ca-lock-against-use', `${DETAIL} FOR UPDATE`);
const FOR_USE = locking<Ca>('ca-lock-use', `${DETAIL} FOR KEY SHARE`);
const VERIFIED = slowRead<Ca>('cas-verified', selectSql(ca.source, 'WHERE t.is_verified'));
const MAY_ENROLL = slowRead<Ca>(
  'cas-for-enrollment',
  `${VERIFIED.text} AND t.is_auto_ca_enrollment_enabled ORDER BY t.id`,
);

export type CaDraft = CaSettings & Pick<Ca, 'certPem' | 'fingerprint' | 'verificationToken' | 'tags'>;

export interface CaStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Ca>;
  find(id: string): Promise<Ca | undefined>;
  list(request: ListRequest): Promise<Page<LazyRow<Ca>>>;
  isThereAny(): Promise<boolean>;
  allVerified(): Promise<Ca[]>;
  /** The verified ones whose certificates enroll without a token. */
  forAutoEnrollment(): Promise<Ca[]>;
  /** Stays until the transaction ends: for what refers to it. undefined when it is not there. */
  lockForUse(id: string): Promise<Ca | undefined>;
  /** Locks it against other changes until the transaction ends. @throws DomainError `notFound` */
  lockForChange(id: string): Promise<Ca>;
  /** The same, also against new authenticators and enrollments of it. @throws DomainError `notFound` */
  lockAgainstUse(id: string): Promise<Ca>;
  /** An administrator, or an identity with a permission that is not among those, has an authenticator or enrollment. */
  isOfOneAbove(id: string, permissions: readonly string[]): Promise<boolean>;
  /** @throws DomainError `duplicate` (name, certPem) */
  create(id: string, draft: CaDraft): Promise<void>;
  /** @throws DomainError `notFound`, `duplicate` (name) */
  update(id: string, changes: Changes<CaSettings & { tags: Tags }>): Promise<void>;
  setVerified(id: string): Promise<void>;
  /**
   * Deletes the CA with its authenticators, its enrollments and the API sessions of both. Call it in a transaction.
   * @throws DomainError `notFound`
   */
  remove(id: string): Promise<void>;
  /** Deletes a CA with which nothing was made. False, and nothing done, for all others. */
  removeUnused(id: string): Promise<boolean>;
}

const CAS_ANY = slowRead('cas-any', 'SELECT FROM cas LIMIT 1');

const HAS_ONE_ABOVE = read<{ hasOne: boolean }>('ca-has-one-above', CA_HAS_ONE_ABOVE);

const BY_FINGERPRINT = slowRead<NamedRef>('ca-by-fingerprint', 'SELECT id, name FROM cas WHERE fingerprint = $1');

const LOCK_DELETE = locking('ca-lock-delete', 'SELECT FROM cas WHERE id = $1 FOR UPDATE');

/** Locks it before it looks, by a function that sees the authenticators which the lock has waited for. */
const REMOVE_UNUSED = shortChange(
  'ca-remove-unused',
  { row: 0 },
  ({ returningActor }) => `WITH one AS MATERIALIZED (SELECT id FROM cas WHERE id = $1 FOR UPDATE),
  unused AS MATERIALIZED (SELECT id FROM one WHERE is_unused_ca(id))
  DELETE FROM cas t USING unused WHERE t.id = unused.id${returningActor}`,
);

const END_SESSIONS = change<{ id: string }>(
  'ca-end-sessions',
  ({ actor }) => `${endAll(OF_CA)} RETURNING t.id${actor}`,
);

export function caStore(db: Db, lists: Lists): CaStore {
  return {
    find: (id) => ca.find(db, id),
    get: (id) => ca.get(db, id),
    list: (request) => lists.unread(db, ca.source, request),
    isThereAny: async () => (await db.count(CAS_ANY)) > 0,
    allVerified: () => db.many(VERIFIED),
    forAutoEnrollment: () => db.many(MAY_ENROLL),
    lockForUse: (id) => db.one(FOR_USE, [id]),
    lockForChange: async (id) => (await db.one(FOR_CHANGE, [id])) ?? raise(notFound(ca.name, id)),
    lockAgainstUse: (id) => getOne(db, ca.name, AGAINST_USE, [id], asItIs),
    async isOfOneAbove(id, permissions) {
      const row = await db.one(HAS_ONE_ABOVE, [id, permissions]);
      return row?.hasOne === true;
    },
    async create(id, draft) {
      const twin = await db.one(BY_FINGERPRINT, [draft.fingerprint]);
      if (twin !== undefined) {
        throw new DomainError('duplicate', {
          field: { field: 'certPem', reason: 'certificate already used as CA', value: '' },
          subject: { kind: 'taken', constraint: 'cas_fingerprint_key', value: draft.fingerprint },
        });
      }
      await ca.insert(db, id, draft);
    },
    update: (id, changes) => ca.update(db, id, changes),
    setVerified: (id) => ca.update(db, id, { isVerified: true }),
    async remove(id) {
      await db.execute(LOCK_DELETE, [id]);
      const rows = await db.many(END_SESSIONS, [id]);
      await ca.remove(db, id);
      for (const ended of rows) db.touched?.({ apiSession: ended.id });
    },
    removeUnused: async (id) => (await db.count(REMOVE_UNUSED, [id])) === 1,
  };
}
