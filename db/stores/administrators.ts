/**
 * The network keeps an administrator who is enabled and can log in. Whatever may take one away runs through here, in
 * its transaction: administrators are changed one transaction at a time, on all controllers together, and a change that
 * leaves none is refused.
 */
import { ADMINISTRATORS_LOCK } from '../postgres/advisory-locks.js';
import { DomainError } from '../../domain/errors.js';
import { readCertificate } from '../../domain/pki/certificate.js';
import { firstCertificate } from '../../domain/pki/pem.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { locking, slowRead } from '../postgres/statement.js';

/** How a change that leaves no administrator is refused. */
export type Refusal = 'notDeletable' | 'notUpdatable';

export interface AdministratorStore {
  /**
   * Runs a change to an identity or its authenticators. Only that of an administrator is checked. The identity stays
   * locked until the transaction ends, so call it before anything else that locks.
   * @throws DomainError `refusal` when it was the last administrator who can log in
   */
  keep<T>(identityId: string, refusal: Refusal, change: () => Promise<T>): Promise<T>;
  /** The same for a change that may concern any number of identities. */
  keepAny<T>(refusal: Refusal, change: () => Promise<T>): Promise<T>;
}

/**
 * Ways in which an administrator can log in now, each by itself: a token of a signer, required besides, comes from
 * elsewhere. A CA with a claim may name another identity than the authenticator's.
 */
const WAYS_IN = `FROM identities i
  JOIN auth_policies p ON p.id = i.auth_policy_id
  JOIN authenticators a ON a.identity_id = i.id
  LEFT JOIN cas c ON c.id = a.ca_id
WHERE (i.is_admin OR i.is_default_admin) AND NOT ${isDisabledSql('i')} AND p.require_ext_jwt_signer_id IS NULL`;

const BY_PASSWORD = slowRead(
  'administrator-by-password',
  `SELECT ${WAYS_IN} AND a.method = 'updb' AND p.updb_allowed LIMIT 1`,
);

/** Those changed last are the least likely to have expired. More than these are not opened: none is believed then. */
const BY_CERTIFICATE = slowRead<{ certPem: string; mayBeExpired: boolean }>(
  'administrator-by-certificate',
  `SELECT a.cert_pem AS "certPem", p.cert_allow_expired AS "mayBeExpired"
${WAYS_IN} AND a.method = 'cert' AND p.cert_allowed
  AND (a.ca_id IS NULL OR (c.is_verified AND c.is_auth_enabled AND c.external_id_claim IS NULL))
ORDER BY a.updated_at DESC, a.id LIMIT 100`,
);

const NONE_LEFT =
  'no other administrator is enabled and can log in with nothing but a password or a certificate of its own: ' +
  'enable another administrator, or give one an authenticator, before this one is taken away';

const ADMINISTRATORS_LOCK_STATEMENT = locking('administrators-lock', 'SELECT pg_advisory_xact_lock($1)');

const LOCK = locking<{ isAdministrator: boolean }>(
  'administrator-lock',
  `SELECT is_admin OR is_default_admin AS "isAdministrator" FROM identities WHERE id = $1 FOR UPDATE`,
);

export function administratorStore(db: Db): AdministratorStore {
  const canOneLogIn = async () => {
    if ((await db.count(BY_PASSWORD)) > 0) return true;
    const rows = await db.many(BY_CERTIFICATE);
    return rows.some(({ certPem, mayBeExpired }) => mayBeExpired || isInForce(certPem));
  };
  const keepAny: AdministratorStore['keepAny'] = async (refusal, change) => {
    await db.execute(ADMINISTRATORS_LOCK_STATEMENT, [ADMINISTRATORS_LOCK]);
    const couldOne = await canOneLogIn();
    const result = await change();
    if (couldOne && !(await canOneLogIn())) throw new DomainError(refusal, { causeMessage: NONE_LEFT });
    return result;
  };
  return {
    keepAny,
    async keep(identityId, refusal, change) {
      const row = await db.one(LOCK, [identityId]);
      return row?.isAdministrator === true ? keepAny(refusal, change) : change();
    },
  };
}

/** Its certificate has begun and not ended, by this controller's clock, as in a login. */
function isInForce(certPem: string): boolean {
  const { notBefore, notAfter } = readCertificate(firstCertificate(certPem));
  const now = Date.now();
  return notBefore <= now && now <= notAfter;
}
