/** Certificates of API sessions: short-lived, gone with their session. Whose they are is an argument of every query. */
import type { ApiSessionCertificate } from '../../domain/credentials.js';
import type { LazyRow, Page } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { sweeping } from './sweep.js';
import { asItIs, entity } from '../query/entity.js';
import { flag, text, time } from '../query/fields.js';
import { detailSql, getOne } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { ownedWhere } from '../query/scopes.js';
import { change, locking, read, shortChange } from '../postgres/statement.js';

export const apiSessionCertificate = entity<
  ApiSessionCertificate,
  Pick<ApiSessionCertificateDraft, 'apiSessionId' | 'isProof'>
>(
  'api_session_certificates',
  {
    subject: text().filteredBy({ kind: 'string', sql: 't.subject COLLATE "C"', nullable: false }),
    fingerprint: text(),
    validFrom: time(),
    validTo: time(),
    certPem: text().unfiltered(),
  },
  { name: 'apiSessionCertificate', isOpen: true, hidden: { apiSessionId: text(), isProof: flag() } },
);

/** No query returns an expired one; a sweep removes its row. */
const CURRENT = 't.valid_to > now()';
const OWN_DETAIL = read<ApiSessionCertificate>(
  'api-session-certificate-detail-own',
  detailSql(apiSessionCertificate.source, `AND t.api_session_id = $2 AND ${CURRENT}`),
);
const ofApiSession = (apiSessionId: string) =>
  ownedWhere('current', (bind) => `t.api_session_id = ${bind(apiSessionId)} AND ${CURRENT}`);

export interface ApiSessionCertificateDraft {
  readonly id: string;
  readonly apiSessionId: string;
  /** A client that shows it is the session's own client (migration 0044-bearer-sessions). */
  readonly isProof: boolean;
  /** Leaf, then intermediates. */
  readonly certPem: string;
  readonly fingerprint: string;
  readonly subject: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

export interface ApiSessionCertificateStore {
  /** @throws DomainError `notFound`, also for one of another session and for an expired one */
  get(id: string, apiSessionId: string): Promise<ApiSessionCertificate>;
  list(request: ListRequest, apiSessionId: string): Promise<Page<LazyRow<ApiSessionCertificate>>>;
  /**
   * How many certificates the session has. Within a transaction the session stays locked, so that the number holds
   * until the end of it; expired ones are removed. undefined: there is no such session.
   */
  countLocked(apiSessionId: string): Promise<number | undefined>;
  create(draft: ApiSessionCertificateDraft): Promise<void>;
  /** The chains of the session's certificates by which its client proves that it is that client, newest first. */
  proofs(apiSessionId: string): Promise<{ readonly certPem: string; readonly fingerprint: string }[]>;
  /** Makes administration ask for the certificate: the session's token alone no longer opens it. */
  bind(apiSessionId: string): Promise<void>;
  /** @throws DomainError as `get` */
  remove(id: string, apiSessionId: string): Promise<void>;
  /** Removes expired ones; answers how many there were. */
  sweep(max: number): Promise<number>;
}

const API_SESSION_CERTIFICATES_LOCK = locking(
  'api-session-certificates-lock',
  'SELECT FROM api_sessions WHERE id = $1 FOR NO KEY UPDATE',
);

/** Removes the ended ones in the same round trip. */
const API_SESSION_CERTIFICATES_COUNT = change<{ total: number }>(
  'api-session-certificates-count',
  ({ actor }) => `WITH ended AS (
  DELETE FROM api_session_certificates WHERE api_session_id = $1 AND valid_to <= now())
SELECT count(*)::int AS total${actor} FROM api_session_certificates WHERE api_session_id = $1 AND valid_to > now()`,
);

const DELETE = shortChange(
  'api-session-certificate-delete',
  { row: 0 },
  ({ returningActor }) =>
    `DELETE FROM api_session_certificates t WHERE t.id = $1 AND t.api_session_id = $2
  AND t.valid_to > now()${returningActor}`,
);

const PROOFS = read<{ certPem: string; fingerprint: string }>(
  'api-session-certificate-proofs',
  `SELECT cert_pem AS "certPem", fingerprint FROM api_session_certificates
  WHERE api_session_id = $1 AND is_proof AND valid_to > now() ORDER BY created_at DESC, id`,
);

const BIND = change(
  'api-session-bind',
  ({ returningActor }) =>
    `UPDATE api_sessions SET is_certificate_bound = true WHERE id = $1 AND NOT is_certificate_bound${returningActor}`,
);

const SWEEP = sweeping({ table: 'api_session_certificates', where: 'valid_to <= now()' });

export function apiSessionCertificateStore(db: Db, lists: Lists): ApiSessionCertificateStore {
  return {
    get: (id, apiSessionId) => getOne(db, apiSessionCertificate.name, OWN_DETAIL, [id, apiSessionId], asItIs),
    list: (request, apiSessionId) =>
      lists.unread(db, apiSessionCertificate.source, request, ofApiSession(apiSessionId)),
    async countLocked(apiSessionId) {
      const rowCount = await db.count(API_SESSION_CERTIFICATES_LOCK, [apiSessionId]);
      if (rowCount === 0) return undefined;
      const row = await db.one(API_SESSION_CERTIFICATES_COUNT, [apiSessionId]);
      return row?.total ?? 0;
    },
    create: ({ id, ...draft }) => apiSessionCertificate.insert(db, id, draft),
    async proofs(apiSessionId) {
      return await db.many(PROOFS, [apiSessionId]);
    },
    async bind(apiSessionId) {
      await db.execute(BIND, [apiSessionId]);
      db.touched?.({ postureOf: apiSessionId });
    },
    async remove(id, apiSessionId) {
      const rowCount = await db.count(DELETE, [id, apiSessionId]);
      if (rowCount === 0) throw notFound(apiSessionCertificate.name, id);
    },
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
