/**
 * Services as the fabric API lists them: those of the table `services`, and those of a table of its own, which it alone
 * shows. Nothing else reads that one.
 */
import type { FabricService, FabricServiceDraft } from '../../domain/fabric/service.js';
import type { Page } from '../../domain/model.js';
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { Db } from '../postgres/contracts.js';
import { read } from '../postgres/statement.js';
import { asItIs, entity } from '../query/entity.js';
import { integer, text } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { detailSql, getOne } from '../query/table.js';
import type { Changes, PageSource } from '../query/table.js';
import { service } from './services.js';

/** One that the fabric API alone shows. */
export const fabricService = entity<FabricService>(
  'fabric_services',
  {
    name: text().unique(),
    terminatorStrategy: text<Strategy>(),
    maxIdleTimeMillis: integer(),
  },
  { name: 'fabricService' },
);

const COLUMNS = 'id, created_at, updated_at, tags, is_system, name, terminator_strategy, max_idle_time_millis';

/** More than there can be. */
const MOST_COUNTED = 10_000_000;

const source: PageSource<FabricService, FabricService> = {
  ...fabricService.source,
  table: `(SELECT ${COLUMNS} FROM services UNION ALL SELECT ${COLUMNS} FROM fabric_services)`,
  countsUpTo: MOST_COUNTED,
};

const DETAIL = read<FabricService>('service-of-fabric-detail', detailSql(source));
const IS_HIDDEN = read<unknown>('fabric-service-is-there', 'SELECT FROM fabric_services WHERE id = $1');

export interface FabricServiceStore {
  /** Services of both kinds. */
  list(request: ListRequest): Promise<Page<FabricService>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<FabricService>;
  /** Whether it is one that the fabric API alone shows. */
  isHidden(id: string): Promise<boolean>;
  /** Makes one that the fabric API alone shows. @throws DomainError `duplicate` */
  create(id: string, draft: FabricServiceDraft): Promise<void>;
  /** @throws DomainError `notFound`, `duplicate` */
  update(id: string, changes: Changes<FabricServiceDraft>): Promise<void>;
  /** @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
}

export function fabricServiceStore(db: Db, lists: Lists): FabricServiceStore {
  const isHidden = async (id: string) => (await db.count(IS_HIDDEN, [id])) === 1;
  const holderOf = async (id: string) => ((await isHidden(id)) ? fabricService : service);
  return {
    list: (request) => lists.page(db, source, request),
    get: (id) => getOne(db, service.name, DETAIL, [id], asItIs),
    isHidden,
    create: (id, draft) => fabricService.insert(db, id, draft),
    async update(id, changes) {
      if (await isHidden(id)) await fabricService.update(db, id, changes);
      else await service.update(db, id, changes);
    },
    remove: async (id) => (await holderOf(id)).remove(db, id),
  };
}
