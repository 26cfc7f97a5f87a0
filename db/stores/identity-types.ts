/** Identity types: fixed at first start, only read. */
import type { IdentityType, Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne } from '../query/table.js';
import type { BaseRow, Lists, ListRequest, ListSource } from '../query/table.js';
import { identityTypeSymbols } from './symbols.js';
import { read } from '../postgres/statement.js';

interface Row extends BaseRow {
  name: string;
}

const source: ListSource<Row, IdentityType> = {
  table: 'identity_types',
  symbols: identityTypeSymbols,
  columns: [...BASE_COLUMNS, 'name'],
  fromRow: (row) => ({ name: row.name, ...baseOf(row) }),
};

const DETAIL = read<Row>('identity-type-detail', detailSql(source));

export interface IdentityTypeStore {
  get(id: string): Promise<IdentityType>;
  list(request: ListRequest): Promise<Page<IdentityType>>;
}

export function identityTypeStore(db: Db, lists: Lists): IdentityTypeStore {
  return {
    get: (id) => getOne(db, 'identityType', DETAIL, [id], source.fromRow),
    list: (request) => lists.page(db, source, request),
  };
}
