/** API sessions as their table has them, with what is joined to them. The token is stored as its hash only. */
import type { RequiredSigner } from '../../domain/auth/external-signer.js';
import type { ApiSession } from '../../domain/credentials.js';
import { hashToken } from '../../domain/auth/tokens.js';
import { entity } from '../query/entity.js';
import { bytes, expression, flag, text, textArray, time } from '../query/fields.js';
import type { ListSource } from '../query/table.js';
import { identityOfRow, joinedIdentity } from './identity-reference.js';
import type { IdentityColumns } from './identity-reference.js';

export type ApiSessionRow = Omit<ApiSession, 'identity' | 'requiredSigner'> &
  IdentityColumns & { readonly requiredSigner: SignerFields | null };

type SignerFields = Omit<RequiredSigner, 'keySource'> & {
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
};

/** The identity has TOTP or its policy asks for it, and this session has not given a code. */
export const OWES_TOTP = '((m.id IS NOT NULL OR p.require_totp) AND NOT t.is_mfa_complete)';
/** The signer that the policy requires; few have one, and others cost no more than a NULL. */
const REQUIRED_SIGNER = `CASE WHEN r.id IS NOT NULL THEN jsonb_build_object('id', r.id, 'issuer', r.issuer,
  'audience', r.audience, 'kid', r.kid, 'certPem', r.cert_pem, 'jwksEndpoint', r.jwks_endpoint,
  'claimsProperty', r.claims_property, 'isEnabled', r.is_enabled, 'clientId', r.client_id,
  'externalAuthUrl', r.external_auth_url, 'scopes', r.scopes, 'version', r.updated_at::text,
  'subject', CASE WHEN r.use_external_id THEN i.external_id ELSE i.id END) END`;
/** Joined for them: identities `i` of sessions `t`, auth policies `p`, second factors `m`, required signers `r`. */
export const JOINS = `JOIN identities i ON i.id = t.identity_id LEFT JOIN authenticators a ON a.id = t.authenticator_id
  JOIN auth_policies p ON p.id = i.auth_policy_id LEFT JOIN mfas m ON m.identity_id = i.id AND m.is_verified
  LEFT JOIN external_jwt_signers r ON r.id = p.require_ext_jwt_signer_id`;

export const apiSession = entity<ApiSessionRow>(
  'api_sessions',
  {
    tokenHash: bytes()
      .filteredAs('token')
      .filteredBy({
        kind: 'string',
        sql: 't.token_hash',
        nullable: false,
        equalityOnly: true,
        stored: { type: 'bytea', encode: hashToken },
      }),
    identityId: text().filteredAs('identity'),
    lastActivityAt: time(),
    authenticatorId: text().filteredAs('authenticator'),
    ipAddress: text().filteredBy({ kind: 'string', sql: 't.ip_address COLLATE "C"', nullable: false }),
    isMfaComplete: flag().filteredAs('mfaComplete'),
    isMfaRequired: expression<boolean>('(m.id IS NOT NULL)').filteredAs('mfaRequired').filteredBy({
      kind: 'boolean',
      sql: 'EXISTS (SELECT FROM mfas m WHERE m.identity_id = t.identity_id AND m.is_verified)',
      nullable: false,
      readsRows: true,
    }),
    improperClientCertChain: flag(),
    configTypes: textArray().unfiltered(),
    ...joinedIdentity,
    isCertExtendable: expression('coalesce(a.is_issued_by_network, false)'),
    isCertExtendRequested: expression('(a.extend_requested_at IS NOT NULL)'),
    isCertKeyRollRequested: expression('coalesce(a.is_key_roll_requested, false)'),
    owesTotp: expression(OWES_TOTP),
    requiredSigner: expression(REQUIRED_SIGNER),
  },
  // Nothing of it can be set, and its last change moves with the activity of its user.
  { name: 'apiSession', collections: ['api-sessions'], versionedBy: 'createdAt', joins: JOINS },
);

export const apiSessionSource: ListSource<ApiSessionRow, ApiSession> = {
  ...apiSession.source,
  fromRow: apiSessionFrom,
};

export function apiSessionFrom(row: ApiSessionRow): ApiSession {
  return {
    identity: identityOfRow(row),
    authenticatorId: row.authenticatorId,
    tokenHash: row.tokenHash,
    ipAddress: row.ipAddress,
    configTypes: row.configTypes,
    isMfaRequired: row.isMfaRequired,
    isMfaComplete: row.isMfaComplete,
    owesTotp: row.owesTotp,
    requiredSigner: row.requiredSigner && signerFrom(row.requiredSigner),
    isCertExtendable: row.isCertExtendable,
    isCertExtendRequested: row.isCertExtendRequested,
    isCertKeyRollRequested: row.isCertKeyRollRequested,
    improperClientCertChain: row.improperClientCertChain,
    lastActivityAt: row.lastActivityAt,
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

function signerFrom({ certPem, jwksEndpoint, ...signer }: SignerFields): RequiredSigner {
  return { ...signer, keySource: { certificate: certPem === null ? null : { certPem }, jwksEndpoint } };
}
