/** Terminators: where on which router a service ends. The secret that goes with an instance is never read back. */
import { MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import type { Page, Terminator, TerminatorDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, json, remove, update } from '../query/table.js';
import type { BaseRow, Changes, ForClient, Lists, ListRequest, ListSource } from '../query/table.js';
import type { Values } from '../query/change-statements.js';
import { clientTerminatorSymbols } from './client-symbols.js';
import { referringTo } from '../query/scopes.js';
import { terminatorSymbols } from './symbols.js';
import { read } from '../postgres/statement.js';

const TERMINATOR = 'terminator';

interface Row extends BaseRow {
  service_id: string;
  service_name: string;
  router_id: string;
  router_name: string;
  binding: string;
  address: string;
  instance_id: string;
  cost: number;
  dynamic_cost: number;
  precedence: Terminator['precedence'];
}

const source: ListSource<Row, Terminator> = {
  table: 'terminators',
  symbols: terminatorSymbols,
  columns: [
    ...BASE_COLUMNS,
    'service_id',
    'router_id',
    'binding',
    'address',
    'instance_id',
    'cost',
    'dynamic_cost',
    'precedence',
  ],
  extras: 's.name AS service_name, r.name AS router_name',
  joins: 'JOIN services s ON s.id = t.service_id JOIN routers r ON r.id = t.router_id',
  fromRow,
};

const clientSource: ListSource<Row, Terminator> = { ...source, symbols: clientTerminatorSymbols };

const DETAIL = read<Row>('terminator-detail', detailSql(source));
const ARE_MOST = read<{ most: boolean }>(
  'terminators-made',
  `SELECT count(*) >= ${MOST_MADE_BY_HAND} AS most FROM (SELECT FROM terminators
  WHERE service_id = $1 AND NOT is_system LIMIT ${MOST_MADE_BY_HAND}) t`,
);

function fromRow(row: Row): Terminator {
  return {
    service: { id: row.service_id, name: row.service_name },
    router: { id: row.router_id, name: row.router_name },
    binding: row.binding,
    address: row.address,
    instanceId: row.instance_id,
    cost: row.cost,
    dynamicCost: row.dynamic_cost,
    precedence: row.precedence,
    ...baseOf(row),
  };
}

const valuesOf = (changes: Changes<TerminatorDraft>): Values => ({
  service_id: changes.serviceId,
  router_id: changes.routerId,
  binding: changes.binding,
  address: changes.address,
  instance_id: changes.instanceId,
  instance_secret: changes.instanceSecret,
  cost: changes.cost,
  precedence: changes.precedence,
  tags: json(changes.tags),
});

export interface TerminatorListRequest extends ListRequest, ForClient {
  /** Only those of this service. */
  readonly ofService?: string;
}

export interface TerminatorStore {
  get(id: string): Promise<Terminator>;
  list(request: TerminatorListRequest): Promise<Page<Terminator>>;
  /** Whether administrators made so many of the service as there may be. */
  areMost(serviceId: string): Promise<boolean>;
  /** @throws DomainError `notFound` for a service or router that is not there */
  create(id: string, draft: TerminatorDraft): Promise<void>;
  /** @throws DomainError `notFound`, also for a service or router that is not there */
  update(id: string, changes: Changes<TerminatorDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function terminatorStore(db: Db, lists: Lists): TerminatorStore {
  return {
    get: (id) => getOne(db, TERMINATOR, DETAIL, [id], fromRow),
    list: ({ ofService, isForClient, ...request }) =>
      lists.page(db, isForClient === true ? clientSource : source, request, referringTo('service_id', ofService)),
    async areMost(serviceId) {
      const rows = await db.many(ARE_MOST, [serviceId]);
      return rows[0]?.most === true;
    },
    create: (id, draft) => insert(db, 'terminators', { id, ...valuesOf(draft) }),
    update: (id, changes) => update(db, 'terminators', TERMINATOR, id, valuesOf(changes)),
    remove: (id) => remove(db, 'terminators', TERMINATOR, id),
  };
}
