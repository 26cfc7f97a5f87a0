/** External JWT signers: providers whose tokens log identities in. */
import type { ExternalJwtSigner, KeySource, SignerSettings, TargetToken } from '../../domain/auth/external-signer.js';
import { notFound } from '../../domain/errors.js';
import type { Page, Tags } from '../../domain/model.js';
import { publicSignerSymbols } from './client-symbols.js';
import type { Db } from '../postgres/contracts.js';
import { inUse } from '../postgres/errors.js';
import { rowsWhere } from '../query/scopes.js';
import { externalJwtSignerSymbols } from './symbols.js';
import { BASE_COLUMNS, baseOf, detailSql, findOne, getOne, insert, jsonb, selectSql, update } from '../query/table.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { BaseRow, Changes, ListSource } from '../query/table.js';
import { change, locking, read } from '../postgres/statement.js';

const SIGNER = 'externalJwtSigner';

interface Row extends BaseRow {
  name: string;
  issuer: string;
  audience: string;
  kid: string | null;
  cert_pem: string | null;
  fingerprint: string | null;
  common_name: string;
  not_before: Date | null;
  not_after: Date | null;
  jwks_endpoint: string | null;
  is_enabled: boolean;
  use_external_id: boolean;
  claims_property: string;
  client_id: string;
  scopes: string[];
  external_auth_url: string | null;
  target_token: TargetToken;
  enroll_to_cert_enabled: boolean;
  enroll_to_token_enabled: boolean;
  enroll_auth_policy_id: string;
  enroll_name_claims_selector: string;
  enroll_attribute_claims_selector: string;
}

const source: ListSource<Row, ExternalJwtSigner> = {
  table: 'external_jwt_signers',
  symbols: externalJwtSignerSymbols,
  fromRow,
  columns: [
    ...BASE_COLUMNS,
    'name',
    'issuer',
    'audience',
    'kid',
    'cert_pem',
    'fingerprint',
    'common_name',
    'not_before',
    'not_after',
    'jwks_endpoint',
    'is_enabled',
    'use_external_id',
    'claims_property',
    'client_id',
    'scopes',
    'external_auth_url',
    'target_token',
    'enroll_to_cert_enabled',
    'enroll_to_token_enabled',
    'enroll_auth_policy_id',
    'enroll_name_claims_selector',
    'enroll_attribute_claims_selector',
  ],
};

const DETAIL = detailSql(source);
const ENABLED = read<Row>('jwt-signer-enabled', selectSql(source, 'WHERE t.issuer = $1 AND t.is_enabled'));
const FOR_CHANGE = read<Row>('jwt-signer-lock-change', `${DETAIL} FOR NO KEY UPDATE`);
const enabledOnly = rowsWhere('enabled', () => 't.is_enabled');

function fromRow(row: Row): ExternalJwtSigner {
  return {
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    kid: row.kid,
    keySource: keySourceFrom(row),
    isEnabled: row.is_enabled,
    useExternalId: row.use_external_id,
    claimsProperty: row.claims_property,
    clientId: row.client_id,
    scopes: row.scopes,
    externalAuthUrl: row.external_auth_url,
    targetToken: row.target_token,
    enrollToCertEnabled: row.enroll_to_cert_enabled,
    enrollToTokenEnabled: row.enroll_to_token_enabled,
    enrollAuthPolicyId: row.enroll_auth_policy_id,
    enrollNameClaimsSelector: row.enroll_name_claims_selector,
    enrollAttributeClaimsSelector: row.enroll_attribute_claims_selector,
    ...baseOf(row),
  };
}

function keySourceFrom(row: Row): KeySource {
  if (row.jwks_endpoint !== null) return { certificate: null, jwksEndpoint: row.jwks_endpoint };
  const { cert_pem: certPem, fingerprint, not_before: notBefore, not_after: notAfter } = row;
  if (certPem === null || fingerprint === null || notBefore === null || notAfter === null)
    throw new Error(`the external JWT signer ${row.id} has no keys`);
  return {
    certificate: { certPem, fingerprint, commonName: row.common_name, notBefore, notAfter },
    jwksEndpoint: null,
  };
}

export type ExternalJwtSignerDraft = SignerSettings & { readonly keySource: KeySource; readonly tags: Tags };

export interface ExternalJwtSignerStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ExternalJwtSigner>;
  /** By what its tokens say. */
  findEnabled(issuer: string): Promise<ExternalJwtSigner | undefined>;
  /** It stays as it is until the transaction ends. False when it is not so any more, or is gone. */
  hold(signer: Pick<ExternalJwtSigner, 'id' | 'updatedAt'>): Promise<boolean>;
  /** For clients: the enabled ones. */
  list(request: ListRequest & ForClient): Promise<Page<ExternalJwtSigner>>;
  /** No other transaction changes it until this one ends. @throws DomainError `notFound` */
  lockForChange(id: string): Promise<ExternalJwtSigner>;
  /** @throws DomainError `duplicate` (name, issuer, fingerprint), `notFound` for an auth policy that does not exist */
  create(id: string, draft: ExternalJwtSignerDraft): Promise<void>;
  /** @throws DomainError as `create`, `notFound` */
  update(id: string, changes: Changes<ExternalJwtSignerDraft>): Promise<void>;
  /** Ends the API sessions that its tokens opened. @throws DomainError `notFound`, `inUse` naming the policies */
  remove(id: string): Promise<void>;
}

const JWT_SIGNER_DETAIL = read<Row>('jwt-signer-detail', DETAIL);

const JWT_SIGNER_HOLD = locking(
  'jwt-signer-hold',
  'SELECT FROM external_jwt_signers WHERE id = $1 AND updated_at = $2 FOR SHARE',
);

const JWT_SIGNER_DELETE = change<{ deleted: boolean; allowing: string[]; requiring: string[] }>(
  'jwt-signer-delete',
  ({ actor }) => `WITH allowing AS (
    SELECT auth_policy_id AS id FROM auth_policy_signers WHERE signer_id = $1 ORDER BY 1 LIMIT 10),
  requiring AS (SELECT id FROM auth_policies WHERE require_ext_jwt_signer_id = $1 ORDER BY id LIMIT 10),
  gone AS (DELETE FROM external_jwt_signers WHERE id = $1
    AND NOT EXISTS (SELECT FROM allowing) AND NOT EXISTS (SELECT FROM requiring) RETURNING id${actor})
  SELECT EXISTS (SELECT FROM gone) AS deleted,
    ARRAY (SELECT id FROM allowing) AS allowing, ARRAY (SELECT id FROM requiring) AS requiring`,
);

export function externalJwtSignerStore(db: Db, lists: Lists): ExternalJwtSignerStore {
  return {
    get: (id) => getOne(db, SIGNER, JWT_SIGNER_DETAIL, [id], fromRow),
    findEnabled: (issuer) => findOne(db, ENABLED, [issuer], fromRow),
    async hold({ id, updatedAt }) {
      return (await db.count(JWT_SIGNER_HOLD, [id, updatedAt])) > 0;
    },
    lockForChange: (id) => getOne(db, SIGNER, FOR_CHANGE, [id], fromRow),
    list: (request) =>
      request.isForClient === true
        ? lists.page(db, { ...source, symbols: publicSignerSymbols }, request, enabledOnly)
        : lists.page(db, source, request),
    create: (id, draft) => insert(db, 'external_jwt_signers', { id, ...valuesOf(draft) }),
    async update(id, changes) {
      await update(db, 'external_jwt_signers', SIGNER, id, valuesOf(changes));
      db.touched?.('apiSessions');
    },
    async remove(id) {
      const row = await db.one(JWT_SIGNER_DELETE, [id]);
      db.touched?.('apiSessions');
      if (row === undefined) throw notFound(SIGNER, id);
      if (row.allowing.length > 0) throw inUse('primary.extJwt.allowedSigners', SIGNER, 'authPolicy', row.allowing);
      if (row.requiring.length > 0) throw inUse('secondary.requireExtJwtSigner', SIGNER, 'authPolicy', row.requiring);
      if (!row.deleted) throw notFound(SIGNER, id);
    },
  };
}

function valuesOf({ keySource, tags, ...settings }: Changes<ExternalJwtSignerDraft>) {
  return {
    name: settings.name,
    issuer: settings.issuer,
    audience: settings.audience,
    kid: settings.kid,
    is_enabled: settings.isEnabled,
    use_external_id: settings.useExternalId,
    claims_property: settings.claimsProperty,
    client_id: settings.clientId,
    scopes: settings.scopes,
    external_auth_url: settings.externalAuthUrl,
    target_token: settings.targetToken,
    enroll_to_cert_enabled: settings.enrollToCertEnabled,
    enroll_to_token_enabled: settings.enrollToTokenEnabled,
    enroll_auth_policy_id: settings.enrollAuthPolicyId,
    enroll_name_claims_selector: settings.enrollNameClaimsSelector,
    enroll_attribute_claims_selector: settings.enrollAttributeClaimsSelector,
    tags: jsonb(tags),
    ...(keySource === undefined ? {} : keyColumns(keySource)),
  };
}

function keyColumns({ certificate, jwksEndpoint }: KeySource) {
  return {
    jwks_endpoint: jwksEndpoint,
    cert_pem: certificate?.certPem ?? null,
    fingerprint: certificate?.fingerprint ?? null,
    common_name: certificate?.commonName ?? '',
    not_before: certificate?.notBefore ?? null,
    not_after: certificate?.notAfter ?? null,
  };
}
