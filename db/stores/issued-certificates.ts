/** Certificates that the network's own authority has issued: a record of each, for audits, until it ends. */
import type { Db } from '../postgres/contracts.js';
import { sweeping } from './sweep.js';
import { change, unprepared } from '../postgres/statement.js';

export type IssuedKind = 'identity' | 'apiSession' | 'router' | 'routerServer' | 'server' | 'intermediate';

export interface IssuedCertificateRecord {
  /** Lower-case hex. */
  readonly serialNumber: string;
  /** SHA-1 of the DER in lower-case hex. */
  readonly fingerprint: string;
  readonly kind: IssuedKind;
  /** The identity, API session, router or controller it was issued to. */
  readonly subjectId: string;
  readonly issuerFingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface IssuedCertificateStore {
  /** Call it in the transaction that hands the certificates out. */
  add(records: readonly IssuedCertificateRecord[]): Promise<void>;
  /** Counts those by these issuers that are in time and would still let somebody in. */
  countInUse(issuerFingerprints: readonly string[]): Promise<number>;
  /** Removes the records of certificates that ended; answers how many there were. */
  sweep(max: number): Promise<number>;
}

const COLUMNS = 'serial_number, fingerprint, kind, subject_id, issuer_fingerprint, not_before, not_after';

const ISSUED_CERTIFICATES_ADD = change(
  'issued-certificates-add',
  ({ returningActor }) => `INSERT INTO issued_certificates (${COLUMNS})
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])${returningActor}`,
);

const IN_USE = unprepared<{ count: number }>(
  'SELECT',
  `SELECT count(*)::int AS count FROM issued_certificates c
  WHERE c.issuer_fingerprint = ANY ($1) AND c.not_after > now()
    AND (EXISTS (SELECT FROM authenticators a WHERE a.fingerprint = c.fingerprint)
      OR EXISTS (SELECT FROM routers r WHERE r.fingerprint = c.fingerprint)
      OR EXISTS (SELECT FROM api_session_certificates s WHERE s.fingerprint = c.fingerprint))`,
);

const SWEEP = sweeping({ table: 'issued_certificates', key: 'serial_number', where: 'not_after <= now()' });

export function issuedCertificateStore(db: Db): IssuedCertificateStore {
  return {
    async add(records) {
      const each = <K extends keyof IssuedCertificateRecord>(key: K) => records.map((record) => record[key]);
      await db.execute(ISSUED_CERTIFICATES_ADD, [
        each('serialNumber'),
        each('fingerprint'),
        each('kind'),
        each('subjectId'),
        each('issuerFingerprint'),
        each('notBefore'),
        each('notAfter'),
      ]);
    },
    countInUse: async (issuerFingerprints) => (await db.one(IN_USE, [issuerFingerprints]))?.count ?? 0,
    sweep: (max) => db.count(SWEEP, [max]),
  };
}
