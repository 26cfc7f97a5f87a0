/** Terminators: where on which router a service ends. The secret that goes with an instance is never read back. */
import { HOSTED_BOUNDS, MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import type { LazyRow, Page, Terminator, TerminatorDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import type { SymbolDef } from '../filter/index.js';
import { entity } from '../query/entity.js';
import { bytes, expression, integer, text } from '../query/fields.js';
import type { ForClient, Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';
import { referringTo } from '../query/scopes.js';
import { QUIESCED_JOIN } from './quiesced-routers.js';
import { DYNAMIC_COST } from './terminator-costs.js';
import { isBelow, isBelowOrFew } from './terminator-hosting.js';
import { read } from '../postgres/statement.js';

/** The name of the entity that a reference of `t` points to. */
export const nameOfReferred = (table: string, column: string): SymbolDef => ({
  kind: 'string',
  sql: `(SELECT n.name FROM ${table} n WHERE n.id = t.${column})`,
  nullable: false,
  readsRows: true,
});

export type TerminatorRow = Omit<Terminator, 'service' | 'router'> &
  Pick<TerminatorDraft, 'serviceId' | 'routerId'> & {
    readonly serviceName: string;
    readonly routerName: string;
    readonly isQuiesced: boolean;
  };

export const terminator = entity<TerminatorRow, Pick<TerminatorDraft, 'instanceSecret'>>(
  'terminators',
  {
    binding: text(),
    address: text(),
    instanceId: text().forClients(),
    hostId: text(),
    cost: integer().unfiltered(),
    dynamicCost: expression<number>(DYNAMIC_COST),
    precedence: text<Terminator['precedence']>().unfiltered(),
    serviceId: text().filteredAs('service').forClients(),
    routerId: text().filteredAs('router').forClients(),
    serviceName: expression<string>('s.name')
      .filteredAs('service.name')
      .filteredBy(nameOfReferred('services', 'service_id'))
      .forClients(),
    isQuiesced: expression<boolean>('(q.router_id IS NOT NULL)'),
    routerName: expression<string>('r.name')
      .filteredAs('router.name')
      .filteredBy(nameOfReferred('routers', 'router_id')),
  },
  {
    name: 'terminator',
    collections: ['terminators'],
    versionedBy: 'updatedAt',
    joins: `JOIN services s ON s.id = t.service_id JOIN routers r ON r.id = t.router_id ${QUIESCED_JOIN}`,
    hidden: { instanceSecret: bytes().nullable() },
    symbols: {
      sourceCtrl: { kind: 'string', sql: 't.source_ctrl', nullable: false },
    },
  },
);

const source: ListSource<TerminatorRow, Terminator> = { ...terminator.source, fromRow: toTerminator };
const clientSource: ListSource<TerminatorRow, Terminator> = { ...source, symbols: terminator.clientSymbols };

const madeFor = (service: string) => `service_id = ${service} AND NOT is_system`;
const IS_FREE = isBelowOrFew(MOST_MADE_BY_HAND, madeFor('?'));
/** Counts it at the other service or router as if it were made there. */
const FULL = read<Record<TerminatorEnd, boolean>>(
  'terminators-full',
  `SELECT
  t.service_id <> m.service_id AND NOT CASE WHEN t.is_system
    THEN ${isBelow(HOSTED_BOUNDS.host, 'service_id = m.service_id AND host_id = t.host_id AND is_system')}
    ELSE ${isBelow(MOST_MADE_BY_HAND, madeFor('m.service_id'))} END AS service,
  t.router_id <> m.router_id AND t.is_system
    AND NOT (${isBelow(HOSTED_BOUNDS.router, 'router_id = m.router_id')}
      AND ${isBelow(HOSTED_BOUNDS.session, 'session_id = t.session_id AND router_id = m.router_id')}) AS router
FROM terminators t
  CROSS JOIN LATERAL (SELECT coalesce($2, t.service_id) AS service_id, coalesce($3, t.router_id) AS router_id) m
WHERE t.id = $1`,
);

export function toTerminator({
  serviceId,
  serviceName,
  routerId,
  routerName,
  isQuiesced,
  ...row
}: TerminatorRow): Terminator {
  return {
    service: { id: serviceId, name: serviceName },
    router: { id: routerId, name: routerName },
    ...row,
    precedence: isQuiesced ? 'failed' : row.precedence,
  };
}

export interface TerminatorListRequest extends ListRequest, ForClient {
  /** Only those of this service. */
  readonly ofService?: string;
}

export type TerminatorEnd = 'service' | 'router';

export type TerminatorInPlace = Changes<TerminatorDraft> & Pick<TerminatorDraft, 'serviceId' | 'routerId'>;

export interface TerminatorStore {
  get(id: string): Promise<Terminator>;
  list(request: TerminatorListRequest): Promise<Page<LazyRow<Terminator>>>;
  /** Answers the end (service or router) that has as many terminators as it may; undefined when it may move. */
  fullEnd(id: string, to: Pick<Changes<TerminatorDraft>, 'serviceId' | 'routerId'>): Promise<TerminatorEnd | undefined>;
  /**
   * False, and nothing done, where administrators have made so many of the service as there may be.
   * @throws DomainError `notFound` for a service or router that is not there
   */
  create(id: string, draft: TerminatorDraft): Promise<boolean>;
  /** Changes one that is at this service and this router already. False, and nothing done, for all others. */
  updateInPlace(id: string, changes: TerminatorInPlace): Promise<boolean>;
  /** @throws DomainError `notFound`, also for a service or router that is not there */
  update(id: string, changes: Changes<TerminatorDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function terminatorStore(db: Db, lists: Lists): TerminatorStore {
  return {
    get: (id) => terminator.get(db, id).then(toTerminator),
    list: ({ ofService, isForClient, ...request }) =>
      lists.unread(db, isForClient === true ? clientSource : source, request, referringTo('service_id', ofService)),
    async fullEnd(id, { serviceId, routerId }) {
      if (serviceId === undefined && routerId === undefined) return undefined;
      const values = [id, serviceId ?? null, routerId ?? null];
      const full = await db.one(FULL, values);
      if (full?.service === true) return 'service';
      return full?.router === true ? 'router' : undefined;
    },
    create: (id, draft) =>
      terminator.insertWhere(db, id, draft, { name: 'free', only: IS_FREE, values: [draft.serviceId] }),
    updateInPlace: (id, { serviceId, routerId, ...changes }) =>
      terminator.updateWhere(db, id, changes, {
        name: 'in-place',
        only: '(service_id, router_id) IS NOT DISTINCT FROM (?, ?)',
        values: [serviceId, routerId],
      }),
    update: (id, changes) => terminator.update(db, id, changes),
    remove: (id) => terminator.remove(db, id),
  };
}
