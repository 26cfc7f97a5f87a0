/** The certificates of routers: the one in force, and the next one while its router has not shown it. */
import type { Db } from '../postgres/contracts.js';
import { change } from '../postgres/statement.js';
import { TOUCHED } from '../query/change-statements.js';

/**
 * @property certPem  the leaf, then its intermediates  @property fingerprint  SHA-1 of the leaf's DER in lower-case hex
 */
export interface RouterCertificate {
  readonly certPem: string;
  readonly fingerprint: string;
  /** Hosts in the certificate that the router shows to clients. */
  readonly serverNames: readonly string[];
  /** Hosts that it asked for and that are not in the certificate. */
  readonly namesLeftOut: readonly string[];
}

export interface Certifying {
  /**
   * Makes this certificate the router's in place of the one before. False when `previous` is not the one it has.
   */
  certify(id: string, previous: string | null, certificate: RouterCertificate): Promise<boolean>;
  /** Keeps the next certificate, in place of another one that waits. False when `present` is not the one it has. */
  awaitVerification(
    id: string,
    present: string,
    next: Pick<RouterCertificate, 'certPem' | 'fingerprint'>,
  ): Promise<boolean>;
  /** Makes the certificate that waits the router's, as `certify`. False also when it does not wait any more. */
  verify(id: string, previous: string, certificate: RouterCertificate): Promise<boolean>;
}

const IN_FORCE = `fingerprint = $3, cert_pem = $4, server_names = $5, names_left_out = $6,
  unverified_fingerprint = NULL, unverified_cert_pem = NULL`;

const CERTIFY = change(
  'router-certify',
  ({ returningActor }) => `UPDATE routers SET ${IN_FORCE}, ${TOUCHED}
  WHERE id = $1 AND fingerprint IS NOT DISTINCT FROM $2${returningActor}`,
);

const VERIFY = change(
  'router-verify',
  ({ returningActor }) => `UPDATE routers SET ${IN_FORCE}, ${TOUCHED}
  WHERE id = $1 AND fingerprint = $2 AND unverified_fingerprint = $3${returningActor}`,
);

const AWAIT = change(
  'router-await-verification',
  ({ returningActor }) => `UPDATE routers SET unverified_fingerprint = $3, unverified_cert_pem = $4, ${TOUCHED}
  WHERE id = $1 AND fingerprint = $2${returningActor}`,
);

const valuesOf = ({ fingerprint, certPem, serverNames, namesLeftOut }: RouterCertificate) => [
  fingerprint,
  certPem,
  serverNames,
  namesLeftOut,
];

export const certifying = (db: Db): Certifying => ({
  certify: async (id, previous, certificate) =>
    (await db.count(CERTIFY, [id, previous, ...valuesOf(certificate)])) === 1,
  awaitVerification: async (id, present, { fingerprint, certPem }) =>
    (await db.count(AWAIT, [id, present, fingerprint, certPem])) === 1,
  verify: async (id, previous, certificate) => (await db.count(VERIFY, [id, previous, ...valuesOf(certificate)])) === 1,
});
