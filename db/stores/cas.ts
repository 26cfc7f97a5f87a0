/** The certificate authorities of others: whose certificates enroll and log in. */
import type { Ca, CaSettings, ExternalIdClaim, NamedRef, Page, Tags } from '../../domain/model.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { endAll } from './api-session-ends.js';
import { CA_HAS_ONE_ABOVE } from './rights.js';
import {
  BASE_COLUMNS,
  baseOf,
  detailSql,
  findOne,
  getOne,
  insert,
  json,
  remove,
  selectSql,
  update,
} from '../query/table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from '../query/table.js';
import { caSymbols } from './symbols.js';
import { change, locking, read, slowRead } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

const CA = 'ca';

interface Row extends BaseRow {
  name: string;
  cert_pem: string;
  fingerprint: string;
  is_verified: boolean;
  verification_token: string;
  is_auth_enabled: boolean;
  is_auto_ca_enrollment_enabled: boolean;
  is_ott_ca_enrollment_enabled: boolean;
  identity_roles: string[];
  identity_name_format: string;
  external_id_claim: ExternalIdClaim | null;
}

const source: ListSource<Row, Ca> = {
  table: 'cas',
  symbols: caSymbols,
  fromRow,
  columns: [
    ...BASE_COLUMNS,
    'name',
    'cert_pem',
    'fingerprint',
    'is_verified',
    'verification_token',
    'is_auth_enabled',
    'is_auto_ca_enrollment_enabled',
    'is_ott_ca_enrollment_enabled',
    'identity_roles',
    'identity_name_format',
    'external_id_claim',
  ],
};

const DETAIL = detailSql(source);
const OF_CA = 'ca_id = $1 OR authenticator_id IN (SELECT id FROM authenticators WHERE ca_id = $1)';
const FOR_CHANGE = locking<Row>('ca-lock-change', `${DETAIL} FOR NO KEY UPDATE`);
const AGAINST_USE = read<Row>('ca-lock-against-use', `${DETAIL} FOR UPDATE`);
const FOR_USE = locking<Row>('ca-lock-use', `${DETAIL} FOR KEY SHARE`);
const VERIFIED = slowRead<Row>('cas-verified', selectSql(source, 'WHERE t.is_verified'));
const MAY_ENROLL = slowRead<Row>(
  'cas-for-enrollment',
  `${VERIFIED.text} AND t.is_auto_ca_enrollment_enabled ORDER BY t.id`,
);

function fromRow(row: Row): Ca {
  return {
    name: row.name,
    certPem: row.cert_pem,
    fingerprint: row.fingerprint,
    isVerified: row.is_verified,
    verificationToken: row.verification_token,
    isAuthEnabled: row.is_auth_enabled,
    isAutoCaEnrollmentEnabled: row.is_auto_ca_enrollment_enabled,
    isOttCaEnrollmentEnabled: row.is_ott_ca_enrollment_enabled,
    identityRoles: row.identity_roles,
    identityNameFormat: row.identity_name_format,
    externalIdClaim: row.external_id_claim,
    ...baseOf(row),
  };
}

export type CaDraft = CaSettings & Pick<Ca, 'certPem' | 'fingerprint' | 'verificationToken' | 'tags'>;

export interface CaStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Ca>;
  find(id: string): Promise<Ca | undefined>;
  list(request: ListRequest): Promise<Page<Ca>>;
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
   * Also deletes its cert authenticators, enrollments and the API sessions of both kinds. Call it in a transaction.
   * @throws DomainError `notFound`
   */
  remove(id: string): Promise<void>;
}

const CA_DETAIL = read<Row>('ca-detail', DETAIL);

const CAS_ANY = slowRead('cas-any', 'SELECT FROM cas LIMIT 1');

const HAS_ONE_ABOVE = read<{ hasOne: boolean }>('ca-has-one-above', CA_HAS_ONE_ABOVE);

const BY_FINGERPRINT = slowRead<NamedRef>('ca-by-fingerprint', 'SELECT id, name FROM cas WHERE fingerprint = $1');

const LOCK_DELETE = locking('ca-lock-delete', 'SELECT FROM cas WHERE id = $1 FOR UPDATE');

const END_SESSIONS = change<{ id: string }>(
  'ca-end-sessions',
  ({ actor }) => `${endAll(OF_CA)} RETURNING t.id${actor}`,
);

export function caStore(db: Db, lists: Lists): CaStore {
  const many = async (statement: Statement<Row>) => (await db.many(statement)).map(fromRow);
  const find = (id: string) => findOne(db, CA_DETAIL, [id], fromRow);
  return {
    find,
    get: async (id) => (await find(id)) ?? raise(notFound(CA, id)),
    list: (request) => lists.page(db, source, request),
    isThereAny: async () => (await db.count(CAS_ANY)) > 0,
    allVerified: () => many(VERIFIED),
    forAutoEnrollment: () => many(MAY_ENROLL),
    async lockForUse(id) {
      const row = await db.one(FOR_USE, [id]);
      return row && fromRow(row);
    },
    async lockForChange(id) {
      const row = await db.one(FOR_CHANGE, [id]);
      return row ? fromRow(row) : raise(notFound(CA, id));
    },
    lockAgainstUse: (id) => getOne(db, CA, AGAINST_USE, [id], fromRow),
    async isOfOneAbove(id, permissions) {
      const row = await db.one(HAS_ONE_ABOVE, [id, permissions]);
      return row?.hasOne === true;
    },
    async create(id, draft) {
      const twin = await db.one(BY_FINGERPRINT, [draft.fingerprint]);
      if (twin !== undefined) {
        throw new DomainError('duplicate', {
          field: { field: 'certPem', reason: `certificate already used as CA ${twin.id}`, value: '' },
        });
      }
      await insert(db, 'cas', {
        id,
        cert_pem: draft.certPem,
        fingerprint: draft.fingerprint,
        verification_token: draft.verificationToken,
        ...settingsOf(draft),
      });
    },
    update: (id, changes) => update(db, 'cas', CA, id, settingsOf(changes)),
    setVerified: (id) => update(db, 'cas', CA, id, { is_verified: true }),
    async remove(id) {
      await db.execute(LOCK_DELETE, [id]);
      const rows = await db.many(END_SESSIONS, [id]);
      await remove(db, 'cas', CA, id);
      for (const ended of rows) db.touched?.({ apiSession: ended.id });
    },
  };
}

function settingsOf(settings: Changes<CaSettings & { tags: Tags }>) {
  return {
    name: settings.name,
    is_auth_enabled: settings.isAuthEnabled,
    is_auto_ca_enrollment_enabled: settings.isAutoCaEnrollmentEnabled,
    is_ott_ca_enrollment_enabled: settings.isOttCaEnrollmentEnabled,
    identity_roles: settings.identityRoles,
    identity_name_format: settings.identityNameFormat,
    external_id_claim: settings.externalIdClaim === null ? null : json(settings.externalIdClaim),
    tags: json(settings.tags),
  };
}
