/** Terminators as the fabric API lists them: of services of both kinds (fabric-services.ts). */
import { MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import type { Page, Terminator, TerminatorDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { read } from '../postgres/statement.js';
import { entity } from '../query/entity.js';
import { bytes, expression, integer, text } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { inAll, referringTo } from '../query/scopes.js';
import { detailSql, getOne } from '../query/table.js';
import type { Changes, PageSource } from '../query/table.js';
import { QUIESCED_JOIN } from './quiesced-routers.js';
import { DYNAMIC_COST } from './terminator-costs.js';
import { isBelowOrFew } from './terminator-hosting.js';
import { nameOfReferred, terminator, toTerminator } from './terminators.js';
import type { TerminatorRow } from './terminators.js';

const SERVICES = '(SELECT id, name FROM services UNION ALL SELECT id, name FROM fabric_services)';

/** One of a service that the fabric API alone shows. */
export const fabricTerminator = entity<TerminatorRow, Pick<TerminatorDraft, 'instanceSecret'>>(
  'fabric_terminators',
  {
    binding: text(),
    address: text(),
    instanceId: text(),
    hostId: text(),
    cost: integer().unfiltered(),
    dynamicCost: expression<number>(DYNAMIC_COST),
    precedence: text<Terminator['precedence']>().unfiltered(),
    serviceId: text().filteredAs('service'),
    routerId: text().filteredAs('router'),
    serviceName: expression<string>('s.name')
      .filteredAs('service.name')
      .filteredBy(nameOfReferred(SERVICES, 'service_id')),
    isQuiesced: expression<boolean>('(q.router_id IS NOT NULL)'),
    routerName: expression<string>('r.name')
      .filteredAs('router.name')
      .filteredBy(nameOfReferred('routers', 'router_id')),
  },
  {
    name: 'fabricTerminator',
    joins: `JOIN ${SERVICES} s ON s.id = t.service_id JOIN routers r ON r.id = t.router_id
   ${QUIESCED_JOIN}`,
    hidden: { instanceSecret: bytes().nullable() },
    symbols: { sourceCtrl: { kind: 'string', sql: 't.source_ctrl', nullable: false } },
  },
);

const COLUMNS = `id, created_at, updated_at, tags, is_system, service_id, router_id, binding, address, instance_id,
  host_id, source_ctrl, cost, precedence`;

/** More than there can be. */
const MOST_COUNTED = 10_000_000;

const source: PageSource<TerminatorRow, Terminator> = {
  ...fabricTerminator.source,
  table: `(SELECT ${COLUMNS} FROM terminators UNION ALL SELECT ${COLUMNS} FROM fabric_terminators)`,
  countsUpTo: MOST_COUNTED,
  fromRow: toTerminator,
};

const DETAIL = read<TerminatorRow>('terminator-of-fabric-detail', detailSql(source));
const IS_HIDDEN = read<unknown>('fabric-terminator-is-there', 'SELECT FROM fabric_terminators WHERE id = $1');
const IS_FREE = isBelowOrFew(MOST_MADE_BY_HAND, 'service_id = ?', 'fabric_terminators');

export interface FabricTerminatorRequest extends ListRequest {
  readonly ofService?: string;
  readonly ofRouter?: string;
}

export interface FabricTerminatorStore {
  /** Terminators of services of both kinds. */
  list(request: FabricTerminatorRequest): Promise<Page<Terminator>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Terminator>;
  /** Whether its service is one that the fabric API alone shows. The rest is about these alone. */
  isHidden(id: string): Promise<boolean>;
  /**
   * False, and nothing done, where the service has so many as there may be.
   * @throws DomainError `notFound` for a service or router that is not there
   */
  create(id: string, draft: TerminatorDraft): Promise<boolean>;
  /** @throws DomainError `notFound`, also for a service or router that is not there */
  update(id: string, changes: Changes<TerminatorDraft>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function fabricTerminatorStore(db: Db, lists: Lists): FabricTerminatorStore {
  return {
    list: ({ ofService, ofRouter, ...request }) =>
      lists.page(db, source, request, inAll(referringTo('service_id', ofService), referringTo('router_id', ofRouter))),
    get: (id) => getOne(db, terminator.name, DETAIL, [id], toTerminator),
    isHidden: async (id) => (await db.count(IS_HIDDEN, [id])) === 1,
    create: (id, draft) =>
      fabricTerminator.insertWhere(db, id, draft, { name: 'free', only: IS_FREE, values: [draft.serviceId] }),
    update: (id, changes) => fabricTerminator.update(db, id, changes),
    remove: (id) => fabricTerminator.remove(db, id),
  };
}
