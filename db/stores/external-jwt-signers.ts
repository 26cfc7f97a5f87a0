/** External JWT signers: providers whose tokens log identities in. */
import type { ExternalJwtSigner, KeySource, SignerSettings, TargetToken } from '../../domain/auth/external-signer.js';
import { notFound } from '../../domain/errors.js';
import type { Page, Tags } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { inUse } from '../postgres/errors.js';
import { entity } from '../query/entity.js';
import { flag, text, textArray, time } from '../query/fields.js';
import { rowsWhere } from '../query/scopes.js';
import { detailSql, findOne, getOne, selectSql } from '../query/table.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';
import { change, locking, read } from '../postgres/statement.js';

/** Columns of `keySource`. Without a certificate its members are null, and the common name is empty. */
interface KeyColumns {
  readonly fingerprint: string | null;
  readonly commonName: string;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
}

type Row = Omit<ExternalJwtSigner, 'keySource'> & KeyColumns;

export const externalJwtSigner = entity<Row>(
  'external_jwt_signers',
  {
    name: text().unique().forClients(),
    issuer: text(),
    audience: text().forClients(),
    kid: text().nullable(),
    fingerprint: text().nullable(),
    commonName: text(),
    notBefore: time().nullable(),
    notAfter: time().nullable(),
    certPem: text().nullable(),
    isEnabled: flag().filteredAs('enabled'),
    claimsProperty: text(),
    useExternalId: flag(),
    clientId: text().forClients(),
    scopes: textArray().forClients(),
    targetToken: text<TargetToken>().forClients(),
    enrollToCertEnabled: flag().forClients(),
    enrollToTokenEnabled: flag().forClients(),
    enrollAuthPolicyId: text(),
    enrollNameClaimsSelector: text(),
    enrollAttributeClaimsSelector: text(),
    jwksEndpoint: text().nullable().unfiltered(),
    externalAuthUrl: text().nullable().unfiltered(),
  },
  {
    name: 'externalJwtSigner',
    collections: ['external-jwt-signers'],
    versionedBy: 'updatedAt',
    hidesTags: true,
  },
);

const source: ListSource<Row, ExternalJwtSigner> = { ...externalJwtSigner.source, fromRow };
const clientSource: ListSource<Row, ExternalJwtSigner> = { ...externalJwtSigner.clientSource, fromRow };

const ENABLED = read<Row>('jwt-signer-enabled', selectSql(source, 'WHERE t.issuer = $1 AND t.is_enabled'));
const FOR_CHANGE = read<Row>('jwt-signer-lock-change', `${detailSql(source)} FOR NO KEY UPDATE`);
const enabledOnly = rowsWhere('enabled', () => 't.is_enabled');

/** The row itself becomes the signer. */
function fromRow(row: Row): ExternalJwtSigner {
  return Object.assign(row, { keySource: keySourceFrom(row) });
}

function keySourceFrom(row: Row): KeySource {
  if (row.jwksEndpoint !== null) return { certificate: null, jwksEndpoint: row.jwksEndpoint };
  const { certPem, fingerprint, commonName, notBefore, notAfter } = row;
  if (certPem === null || fingerprint === null || notBefore === null || notAfter === null)
    throw new Error(`the external JWT signer ${row.id} has no keys`);
  return { certificate: { certPem, fingerprint, commonName, notBefore, notAfter }, jwksEndpoint: null };
}

export type ExternalJwtSignerDraft = SignerSettings & { readonly keySource: KeySource; readonly tags: Tags };

export interface ExternalJwtSignerStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ExternalJwtSigner>;
  /** Finds a signer by the issuer that its tokens name. */
  findEnabled(issuer: string): Promise<ExternalJwtSigner | undefined>;
  /** It stays as it is until the transaction ends. False when it is not so any more, or is gone. */
  lock(signer: Pick<ExternalJwtSigner, 'id' | 'updatedAt'>): Promise<boolean>;
  /** Lists the enabled signers, for clients. */
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

const JWT_SIGNER_LOCK = locking(
  'jwt-signer-lock',
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
  const signer = externalJwtSigner;
  return {
    get: async (id) => fromRow(await signer.get(db, id)),
    findEnabled: (issuer) => findOne(db, ENABLED, [issuer], fromRow),
    async lock({ id, updatedAt }) {
      return (await db.count(JWT_SIGNER_LOCK, [id, updatedAt])) > 0;
    },
    lockForChange: (id) => getOne(db, signer.name, FOR_CHANGE, [id], fromRow),
    list: (request) =>
      request.isForClient === true
        ? lists.page(db, clientSource, request, enabledOnly)
        : lists.page(db, source, request),
    create: (id, draft) => signer.insert(db, id, changesOf(draft)),
    async update(id, changes) {
      await signer.update(db, id, changesOf(changes));
      db.touched?.('apiSessions');
    },
    async remove(id) {
      const row = await db.one(JWT_SIGNER_DELETE, [id]);
      db.touched?.('apiSessions');
      if (row === undefined) throw notFound(signer.name, id);
      if (row.allowing.length > 0)
        throw inUse('primary.extJwt.allowedSigners', signer.name, 'authPolicy', row.allowing);
      if (row.requiring.length > 0)
        throw inUse('secondary.requireExtJwtSigner', signer.name, 'authPolicy', row.requiring);
      if (!row.deleted) throw notFound(signer.name, id);
    },
  };
}

const changesOf = ({ keySource, ...settings }: Changes<ExternalJwtSignerDraft>): Changes<Row> =>
  keySource === undefined ? settings : { ...settings, ...keyColumns(keySource) };

const keyColumns = ({ certificate, jwksEndpoint }: KeySource): KeyColumns => ({
  jwksEndpoint,
  certPem: certificate?.certPem ?? null,
  fingerprint: certificate?.fingerprint ?? null,
  commonName: certificate?.commonName ?? '',
  notBefore: certificate?.notBefore ?? null,
  notAfter: certificate?.notAfter ?? null,
});
