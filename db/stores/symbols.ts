/**
 * Symbols of the lists that are of no declared entity: what filters and sorts may name, over the alias `t`. A name that
 * is not here cannot be asked for.
 */
import { isAuditId } from '../../domain/audit.js';
import type { SymbolDef, SymbolTable } from '../filter/index.js';

const text = (column: string, nullable = false): SymbolDef => ({ kind: 'string', sql: `t.${column}`, nullable });
const date = (column: string): SymbolDef => ({ kind: 'date', sql: `t.${column}`, nullable: false });

/** Not an entity like the others: it has one time, and no tags. */
export const auditSymbols: SymbolTable = {
  entity: 'audit',
  idSql: 't.seq',
  order: { sql: 't.seq DESC', reversed: 't.seq', key: 'seq' },
  symbols: {
    id: {
      kind: 'string',
      sql: 't.seq',
      sortSql: 't.seq',
      nullable: false,
      equalityOnly: true,
      stored: { type: 'bigint', encode: (id) => (isAuditId(id) ? id : null) },
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

const number = (column: string): SymbolDef => ({ kind: 'number', sql: `t.${column}`, nullable: false });
const unique = (column: string): SymbolDef => ({ kind: 'string', sql: `t.${column}`, nullable: false, key: column });

/** Symbols of the list of db/stores/links.ts, which is no table. */
export const linkSymbols: SymbolTable = {
  entity: 'links',
  idSql: 't.id',
  symbols: {
    id: unique('id'),
    iteration: number('iteration'),
    createdAt: date('created_at'),
    protocol: text('protocol'),
    dialAddress: text('dial_address'),
    sourceRouter: text('source_router_id'),
    destRouter: text('dest_router_id'),
    sourceLatency: number('source_latency'),
    destLatency: number('dest_latency'),
    staticCost: number('static_cost'),
    cost: number('cost'),
    down: { kind: 'boolean', sql: 't.is_down', nullable: false },
  },
};

export const circuitSymbols: SymbolTable = {
  entity: 'circuits',
  idSql: 't.id',
  symbols: {
    id: unique('id'),
    createdAt: date('created_at'),
    service: text('service_id'),
    terminator: text('terminator_id'),
    clientId: text('client_id'),
    sessionId: text('session_id', true),
    routers: { kind: 'stringSet', sql: 't.router_ids' },
    links: { kind: 'stringSet', sql: 't.link_ids' },
    cost: number('cost'),
  },
};

/** Symbols of the list of db/stores/identity-service-configs.ts, which is no table. */
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
