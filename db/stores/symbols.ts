/**
 * Symbols that each entity offers to filters and sorts: an allow-list of symbols over the alias `t`. A name that is not
 * here cannot be asked for; secrets are not here. Lists for clients offer less: client-symbols.ts.
 */
import { isAuditId } from '../../domain/audit.js';
import { isOnlineSql } from './router-channels.js';
import type { SymbolDef, SymbolTable } from '../filter/index.js';

/** Symbols of what every entity shows of itself. */
const shown: Readonly<Record<string, SymbolDef>> = {
  id: { kind: 'string', sql: 't.id', nullable: false, key: 'id' },
  createdAt: { kind: 'date', sql: 't.created_at', nullable: false },
  updatedAt: { kind: 'date', sql: 't.updated_at', nullable: false },
  tags: { kind: 'tags', sql: 't.tags' },
};

/** Symbols that administrators may ask of every entity. */
const base: Readonly<Record<string, SymbolDef>> = {
  ...shown,
  isSystem: { kind: 'boolean', sql: 't.is_system', nullable: false },
};

const text = (column: string, nullable = false): SymbolDef => ({ kind: 'string', sql: `t.${column}`, nullable });
const flag = (column: string): SymbolDef => ({ kind: 'boolean', sql: `t.${column}`, nullable: false });
const number = (column: string): SymbolDef => ({ kind: 'number', sql: `t.${column}`, nullable: false });
const date = (column: string, nullable = false): SymbolDef => ({ kind: 'date', sql: `t.${column}`, nullable });
const set = (column: string): SymbolDef => ({ kind: 'stringSet', sql: `t.${column}` });

function table(entity: string, symbols: Readonly<Record<string, SymbolDef>>, common = base): SymbolTable {
  return { entity, idSql: 't.id', symbols: { ...common, ...symbols } };
}

/** Unique wherever there is one. */
const name: SymbolDef = { kind: 'string', sql: 't.name', nullable: false, key: 'name' };

export const authPolicySymbols = table('authPolicies', {
  name,
  'primary.cert.allowed': flag('cert_allowed'),
  'primary.cert.allowExpiredCerts': flag('cert_allow_expired'),
  'primary.extJwt.allowed': flag('ext_jwt_allowed'),
  'primary.updb.allowed': flag('updb_allowed'),
  'primary.updb.maxAttempts': number('updb_max_attempts'),
  'primary.updb.minPasswordLength': number('updb_min_password_length'),
  'primary.updb.requireMixedCase': flag('updb_require_mixed_case'),
  'primary.updb.requireNumberChar': flag('updb_require_number_char'),
  'primary.updb.requireSpecialChar': flag('updb_require_special_char'),
  'secondary.requireTotp': flag('require_totp'),
  'secondary.requireExtJwtSigner': text('require_ext_jwt_signer_id', true),
});

/** Not an entity like the others: it has one time, and no tags. */
export const auditSymbols: SymbolTable = {
  entity: 'audit',
  idSql: 't.seq',
  order: { sql: 't.seq DESC', key: 'seq' },
  symbols: {
    id: {
      kind: 'string',
      sql: 't.seq',
      sortSql: 't.seq',
      nullable: false,
      equalityOnly: true,
      encode: (id) => (isAuditId(id) ? id : null),
    },
    at: date('at'),
    kind: text('kind'),
    entityType: text('entity_type'),
    entityId: text('entity_id', true),
    entityName: text('entity_name', true),
    'actor.kind': text('actor_kind'),
    'actor.id': text('actor_id', true),
    'actor.name': text('actor_name', true),
    apiSessionId: text('api_session_id', true),
    address: text('address', true),
    requestId: text('request_id', true),
    controller: text('controller', true),
    reason: text('reason', true),
  },
};

export const externalJwtSignerSymbols = table('externalJwtSigners', {
  name,
  issuer: text('issuer'),
  audience: text('audience'),
  kid: text('kid', true),
  fingerprint: text('fingerprint', true),
  commonName: text('common_name'),
  notBefore: date('not_before', true),
  notAfter: date('not_after', true),
  certPem: text('cert_pem', true),
  enabled: flag('is_enabled'),
  claimsProperty: text('claims_property'),
  useExternalId: flag('use_external_id'),
  clientId: text('client_id'),
  scopes: set('scopes'),
  targetToken: text('target_token'),
  enrollToCertEnabled: flag('enroll_to_cert_enabled'),
  enrollToTokenEnabled: flag('enroll_to_token_enabled'),
  enrollAuthPolicyId: text('enroll_auth_policy_id'),
  enrollNameClaimsSelector: text('enroll_name_claims_selector'),
  enrollAttributeClaimsSelector: text('enroll_attribute_claims_selector'),
});

/** Over the list of db/stores/identity-service-configs.ts, not over a table. */
export const identityServiceConfigSymbols: SymbolTable = {
  entity: 'serviceConfigs',
  idSql: 't.id',
  symbols: { serviceId: text('service_id'), configId: text('config_id') },
};

/** Attributes are no entities: the text is all there is, by either name. Consoles sort by `name`. */
export const roleAttributeSymbols: SymbolTable = {
  entity: 'roleAttributes',
  idSql: 't.id',
  symbols: { id: text('id'), name: text('id') },
};

const routerFields: Readonly<Record<string, SymbolDef>> = {
  name,
  fingerprint: text('fingerprint', true),
  cost: number('cost'),
  noTraversal: flag('no_traversal'),
  disabled: flag('disabled'),
  ctrlChanListeners: { kind: 'string', sql: 't.ctrl_chan_listeners::text COLLATE "C"', nullable: false },
};

const connected: SymbolDef = { kind: 'boolean', sql: isOnlineSql('t.id'), nullable: false, readsRows: true };

export const routerSymbols = table('routers', routerFields);

export const edgeRouterSymbols = table('routers', {
  ...routerFields,
  roleAttributes: set('role_attributes'),
  isTunnelerEnabled: flag('is_tunneler_enabled'),
  isVerified: { kind: 'boolean', sql: '(t.fingerprint IS NOT NULL)', nullable: false },
  online: connected,
  connected,
});

export const controllerSymbols = table(
  'controllers',
  {
    name,
    ctrlAddress: text('ctrl_address', true),
    certPem: { kind: 'string', sql: 't.cert_pem COLLATE "C"', nullable: false },
    fingerprint: text('fingerprint'),
    isOnline: { kind: 'boolean', sql: `(t.last_seen_at > now() - interval '15 seconds')`, nullable: false },
    lastJoinedAt: date('last_joined_at'),
  },
  shown,
);

export const controllerSettingSymbols = table('controllerSettings', { controllerId: text('controller_id', true) });
