/** Reads all that a login needs apart from passwords, and who owns a certificate. */
import type { Ca } from '../../domain/model.js';
import { allowsSigner } from './auth-policies.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { isRevokedSql } from './revoked.js';
import type { TokenProof } from './session-opening.js';
import { read } from '../postgres/statement.js';

/** The identity that a certificate of a CA names by its `externalId`. */
export interface NamedIdentity {
  readonly identityId: string;
  readonly isDisabled: boolean;
  readonly isCertAllowed: boolean;
  readonly mayBeExpired: boolean;
}

/** The identity that a token names. */
export interface TokenHolder {
  readonly identityId: string;
  readonly isDisabled: boolean;
  /** The identity's auth policy allows it. */
  readonly isSignerAllowed: boolean;
  readonly isRevoked: boolean;
}

/** The authenticator that has a certificate in force, with its identity. */
export interface CertCredentials {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly isDisabled: boolean;
  /** The identity's auth policy decides this and the next. */
  readonly isCertAllowed: boolean;
  readonly mayBeExpired: boolean;
  /** The CA it was made under; null: the network's own. */
  readonly caId: string | null;
  /** The leaf. A fingerprint finds it, only equal DER is the same certificate. */
  readonly certPem: string;
}

/** A verified CA whose certificates may log in. */
export type LoginCa = Pick<Ca, 'id' | 'certPem' | 'externalIdClaim'>;

/** All that says whose a certificate is. */
export interface CertificateGround {
  /** The authenticator with this fingerprint. */
  readonly credentials: CertCredentials | undefined;
  /** The CA of the authenticator; without an authenticator all that name identities by a claim. */
  readonly cas: readonly LoginCa[];
}

export interface LoginStore {
  identityByExternalId(externalId: string): Promise<NamedIdentity | undefined>;
  identityForToken(proof: TokenProof): Promise<TokenHolder | undefined>;
  certificateGround(fingerprint: string): Promise<CertificateGround>;
  /** The identity that has exactly this certificate, by an authenticator or for an API session. */
  identityWithCertificate(fingerprint: string): Promise<string | undefined>;
}

const forToken = (name: string, column: string) =>
  read<TokenHolder>(
    name,
    `SELECT i.id AS "identityId", ${isDisabledSql('i')} AS "isDisabled",
  ${allowsSigner('$2')} AS "isSignerAllowed",
  ${isRevokedSql({ tokenId: '$3', identityId: 'i.id', issuedAt: '$4' })} AS "isRevoked"
FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.${column} = $1`,
  );
const BY_ID = forToken('login-token-id', 'id');
const BY_EXTERNAL_ID = forToken('login-token-external-id', 'external_id');

const CERT_CREDENTIALS = `SELECT a.id AS "authenticatorId", i.id AS "identityId", a.ca_id AS "caId",
  a.cert_pem AS "certPem", ${isDisabledSql('i')} AS "isDisabled", p.cert_allowed AS "isCertAllowed",
  p.cert_allow_expired AS "mayBeExpired"
FROM authenticators a JOIN identities i ON i.id = a.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id
WHERE a.fingerprint = $1 AND a.method = 'cert'`;
const casWhere = (condition: string) => `(SELECT jsonb_agg(jsonb_build_object('id', c.id, 'certPem', c.cert_pem,
  'externalIdClaim', c.external_id_claim) ORDER BY c.id)
  FROM cas c WHERE c.is_verified AND c.is_auth_enabled AND ${condition})`;
/** One row, always. The network's own certificates ask for no CA. */
const CERTIFICATE_GROUND = read<GroundRow>(
  'login-certificate-ground',
  `SELECT f.*, CASE WHEN f."authenticatorId" IS NULL
  THEN ${casWhere('c.external_id_claim IS NOT NULL')}
  WHEN f."caId" IS NOT NULL THEN ${casWhere('c.id = f."caId"')} END AS cas
FROM (SELECT) one LEFT JOIN (${CERT_CREDENTIALS}) f ON true`,
);

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };
type GroundRow = (CertCredentials | Nullable<CertCredentials>) & { readonly cas: LoginCa[] | null };
const hasAuthenticator = (row: GroundRow): row is CertCredentials & GroundRow => row.authenticatorId !== null;

const EXTERNAL_ID = read<NamedIdentity>(
  'login-external-id',
  `SELECT i.id AS "identityId",
  ${isDisabledSql('i')} AS "isDisabled", p.cert_allowed AS "isCertAllowed", p.cert_allow_expired AS "mayBeExpired"
  FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.external_id = $1`,
);

const CERTIFICATE = read<{ identity_id: string }>(
  'login-certificate',
  `
  SELECT identity_id FROM authenticators WHERE fingerprint = $1 AND method = 'cert'
  UNION ALL SELECT s.identity_id FROM api_session_certificates c JOIN api_sessions s ON s.id = c.api_session_id
  WHERE c.fingerprint = $1 LIMIT 1`,
);

export function loginStore(db: Db): LoginStore {
  return {
    async identityByExternalId(externalId) {
      const row = await db.one(EXTERNAL_ID, [externalId]);
      return row;
    },
    async identityForToken({ signerId, useExternalId, claim, tokenId, issuedAt }) {
      return db.one(useExternalId ? BY_EXTERNAL_ID : BY_ID, [claim, signerId, tokenId, issuedAt]);
    },
    async certificateGround(fingerprint) {
      const row = await db.one(CERTIFICATE_GROUND, [fingerprint]);
      return { credentials: row !== undefined && hasAuthenticator(row) ? row : undefined, cas: row?.cas ?? [] };
    },
    async identityWithCertificate(fingerprint) {
      const row = await db.one(CERTIFICATE, [fingerprint]);
      return row?.identity_id;
    },
  };
}
