/** Terminators: where on which router a service ends. The secret that goes with an instance is never read back. */
import { HOSTED_BOUNDS, MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import type { Page, Terminator, TerminatorDraft } from '../../domain/model.js';
import type { Db } from '../postgres/db.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, json, remove, update } from '../query/table.js';
import type { BaseRow, Changes, ForClient, Lists, ListRequest, ListSource } from '../query/table.js';
import type { Values } from '../query/change-statements.js';
import { isBelow } from './hosted-terminators.js';
import { clientTerminatorSymbols } from './client-symbols.js';
import { referringTo } from '../query/scopes.js';
import { terminatorSymbols } from './symbols.js';

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

const DETAIL = detailSql(source);
const IS_FREE = (service: string) => isBelow(MOST_MADE_BY_HAND, `service_id = ${service} AND NOT is_system`);
const ARE_MOST = `SELECT NOT ${IS_FREE('$1')} AS most`;
/** What it would be at the other service or router is counted there as if it were made there. */
const FULL = `SELECT
  t.service_id <> m.service_id AND NOT CASE WHEN t.is_system
    THEN ${isBelow(HOSTED_BOUNDS.host, 'service_id = m.service_id AND host_id = t.host_id AND is_system')}
    ELSE ${IS_FREE('m.service_id')} END AS service,
  t.router_id <> m.router_id AND t.is_system
    AND NOT (${isBelow(HOSTED_BOUNDS.router, 'router_id = m.router_id')}
      AND ${isBelow(HOSTED_BOUNDS.session, 'session_id = t.session_id AND router_id = m.router_id')}) AS router
FROM terminators t
  CROSS JOIN LATERAL (SELECT coalesce($2, t.service_id) AS service_id, coalesce($3, t.router_id) AS router_id) m
WHERE t.id = $1`;

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

export type TerminatorEnd = 'service' | 'router';

export interface TerminatorStore {
  get(id: string): Promise<Terminator>;
  list(request: TerminatorListRequest): Promise<Page<Terminator>>;
  /** Whether administrators made so many of the service as there may be. */
  areMost(serviceId: string): Promise<boolean>;
  /** Which of the two that the terminator is to move to has so many as there may be; undefined: it may move. */
  fullEnd(id: string, to: Pick<Changes<TerminatorDraft>, 'serviceId' | 'routerId'>): Promise<TerminatorEnd | undefined>;
  /** @throws DomainError `notFound` for a service or router that is not there */
  create(id: string, draft: TerminatorDraft): Promise<void>;
  /** @throws DomainError `notFound`, also for a service or router that is not there */
  update(id: string, changes: Changes<TerminatorDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function terminatorStore(db: Db, lists: Lists): TerminatorStore {
  return {
    get: (id) => getOne(db, TERMINATOR, ['terminator-detail', DETAIL], [id], fromRow),
    list: ({ ofService, isForClient, ...request }) =>
      lists.page(db, isForClient === true ? clientSource : source, request, referringTo('service_id', ofService)),
    async areMost(serviceId) {
      const { rows } = await db.read<{ most: boolean }>('terminators-made', ARE_MOST, [serviceId]);
      return rows[0]?.most === true;
    },
    async fullEnd(id, { serviceId, routerId }) {
      if (serviceId === undefined && routerId === undefined) return undefined;
      const values = [id, serviceId ?? null, routerId ?? null];
      const {
        rows: [full],
      } = await db.read<Record<TerminatorEnd, boolean>>('terminators-full', FULL, values);
      if (full?.service === true) return 'service';
      return full?.router === true ? 'router' : undefined;
    },
    create: (id, draft) => insert(db, 'terminators', { id, ...valuesOf(draft) }),
    update: (id, changes) => update(db, 'terminators', TERMINATOR, id, valuesOf(changes)),
    remove: (id) => remove(db, 'terminators', TERMINATOR, id),
  };
}
