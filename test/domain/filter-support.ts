/**
 * What the suites of the filter language share: a table of symbols to compile filters against, and the texts of faults.
 */
import { DomainError } from '../../domain/errors.js';
import { compileList, Params } from '../../db/filter/index.js';
import type { ListQuery, SymbolTable } from '../../db/filter/index.js';

export const configs: SymbolTable = {
  entity: 'configs',
  idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
  },
};

export const services: SymbolTable = {
  entity: 'services',
  idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    externalId: { kind: 'string', sql: 't.external_id' },
    createdAt: { kind: 'date', sql: 't.created_at', nullable: false },
    isAdmin: { kind: 'boolean', sql: 't.is_admin', nullable: false },
    maybe: { kind: 'boolean', sql: 't.maybe' },
    cost: { kind: 'number', sql: 't.cost', nullable: false },
    token: {
      kind: 'string',
      sql: 't.token_hash',
      equalityOnly: true,
      stored: { type: 'bytea', encode: (token) => (token === 'none' ? undefined : `hash of ${token}`) },
    },
    roleAttributes: { kind: 'stringSet', sql: 't.role_attributes' },
    configs: {
      kind: 'linked',
      entity: () => configs,
      readBy: 'config.read',
      idSql: '{alias}.id',
      from: 'configs {alias} JOIN links {alias}_l ON {alias}_l.config = {alias}.id AND {alias}_l.service = t.id',
    },
    tags: { kind: 'tags', sql: 't.tags' },
    'service.name': { kind: 'string', sql: 'x.name', nullable: false },
  },
};

export const options = { defaultLimit: 10, maxLimit: 500 };
export const compile = (query: ListQuery, table = services) => {
  const params = new Params();
  return { ...compileList(table, query, params, options), values: params.values };
};
/** The condition of a filter as SQL. */
export const where = (filter: string) => compile({ filter }).where.sql;

/** The error that `act` throws. */
export function fault(act: () => unknown): DomainError {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The text of a syntax error. */
export const unexpected = (symbol: string, column: number, line = 1) =>
  `Unexpected symbol: "${symbol}" at line: ${line} column: ${column}`;
