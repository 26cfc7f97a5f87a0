/** The certificate authorities of others: whose certificates enroll and log in. */
import type { Ca, CaSettings, ExternalIdClaim, NamedRef, Page, Tags } from '../../domain/model.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { endAll } from './api-sessions.js';
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
const FOR_CHANGE = `${DETAIL} FOR NO KEY UPDATE`;
const AGAINST_USE = `${DETAIL} FOR UPDATE`;
const FOR_USE = `${DETAIL} FOR KEY SHARE`;
const VERIFIED = selectSql(source, 'WHERE t.is_verified');
const MAY_ENROLL = `${VERIFIED} AND t.is_auto_ca_enrollment_enabled ORDER BY t.id`;

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
   * @returns the ended API sessions
   * @throws DomainError `notFound`
   */
  remove(id: string): Promise<readonly string[]>;
}

export function caStore(db: Db, lists: Lists): CaStore {
  const many = async (name: string, sql: string) => (await db.run<Row>(name, sql)).rows.map(fromRow);
  const find = (id: string) => findOne(db, ['ca-detail', DETAIL], [id], fromRow);
  return {
    find,
    get: async (id) => (await find(id)) ?? raise(notFound(CA, id)),
    list: (request) => lists.page(db, source, request),
    isThereAny: async () => (await db.run('cas-any', 'SELECT FROM cas LIMIT 1')).rowCount > 0,
    allVerified: () => many('cas-verified', VERIFIED),
    forAutoEnrollment: () => many('cas-for-enrollment', MAY_ENROLL),
    async lockForUse(id) {
      const {
        rows: [row],
      } = await db.run<Row>('ca-lock-use', FOR_USE, [id]);
      return row && fromRow(row);
    },
    async lockForChange(id) {
      const {
        rows: [row],
      } = await db.run<Row>('ca-lock-change', FOR_CHANGE, [id]);
      return row ? fromRow(row) : raise(notFound(CA, id));
    },
    lockAgainstUse: (id) => getOne(db, CA, ['ca-lock-against-use', AGAINST_USE], [id], fromRow),
    async isOfOneAbove(id, permissions) {
      const {
        rows: [row],
      } = await db.read<{ hasOne: boolean }>('ca-has-one-above', CA_HAS_ONE_ABOVE, [id, permissions]);
      return row?.hasOne === true;
    },
    async create(id, draft) {
      const {
        rows: [twin],
      } = await db.run<NamedRef>('ca-by-fingerprint', 'SELECT id, name FROM cas WHERE fingerprint = $1', [
        draft.fingerprint,
      ]);
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
      await db.run('ca-lock-delete', 'SELECT FROM cas WHERE id = $1 FOR UPDATE', [id]);
      const { rows } = await db.write<{ id: string }>('ca-end-sessions', `${endAll(OF_CA)} RETURNING t.id`, [id]);
      await remove(db, 'cas', CA, id);
      return rows.map((row) => row.id);
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
