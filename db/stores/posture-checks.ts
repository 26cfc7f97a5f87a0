/** Posture checks: what they ask for is one jsonb document of their type, in its normal form. And their fixed types. */
import type { Page, PostureCheck, PostureCheckDraft, PostureCheckType, Tags } from '../../domain/model.js';
import type { Criteria, OperatingSystem } from '../../domain/posture/criteria.js';
import { notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, json, remove, update } from '../query/table.js';
import type { BaseRow, Lists, ListRequest, ListSource } from '../query/table.js';
import { postureCheckSymbols, postureCheckTypeSymbols } from './symbols.js';
import type { RoleFilter } from '../filter/index.js';
import { requested } from '../query/scopes.js';
import type { Selection } from '../query/scopes.js';
import { locking, read } from '../postgres/statement.js';

const POSTURE_CHECK = 'postureCheck';

interface CriteriaRow {
  type_id: Criteria['typeId'];
  criteria: Criteria['criteria'];
}
interface Row extends BaseRow, CriteriaRow {
  name: string;
  version: number;
  role_attributes: string[];
}
interface TypeRow extends BaseRow {
  name: string;
  version: string;
  operating_systems: OperatingSystem[];
}

const source: ListSource<Row, PostureCheck> = {
  table: 'posture_checks',
  symbols: postureCheckSymbols,
  columns: [...BASE_COLUMNS, 'name', 'type_id', 'version', 'role_attributes', 'criteria'],
  fromRow,
};
const types: ListSource<TypeRow, PostureCheckType> = {
  table: 'posture_check_types',
  symbols: postureCheckTypeSymbols,
  columns: [...BASE_COLUMNS, 'name', 'version', 'operating_systems'],
  fromRow: (row) => ({ name: row.name, version: row.version, operatingSystems: row.operating_systems, ...baseOf(row) }),
};
const DETAIL = read<Row>('posture-check-detail', detailSql(source));
const TYPE_DETAIL = read<TypeRow>('posture-check-type-detail', detailSql(types));

/** Only what `create` and `update` were given is stored, so type and document fit. */
const criteriaOf = (row: CriteriaRow) => ({ typeId: row.type_id, criteria: row.criteria }) as Criteria;

function fromRow(row: Row): PostureCheck {
  return {
    name: row.name,
    version: row.version,
    roleAttributes: row.role_attributes,
    ...criteriaOf(row),
    ...baseOf(row),
  };
}

export interface PostureCheckChanges {
  readonly name?: string | undefined;
  readonly roleAttributes?: readonly string[] | undefined;
  readonly tags?: Tags | undefined;
  /** In place of all that the check asks for; of the type that it has. */
  readonly criteria?: Criteria['criteria'] | undefined;
}

export interface PostureCheckStore {
  get(id: string): Promise<PostureCheck>;
  list(request: ListRequest & RoleFilter & Selection): Promise<Page<PostureCheck>>;
  create(id: string, draft: PostureCheckDraft): Promise<void>;
  /** What it asks for now, locked until this transaction ends. @throws DomainError `notFound` */
  lockCriteria(id: string): Promise<Criteria>;
  update(id: string, changes: PostureCheckChanges): Promise<void>;
  /** Also removes its `@id` from every policy. */
  remove(id: string): Promise<void>;
  getType(id: string): Promise<PostureCheckType>;
  listTypes(request: ListRequest): Promise<Page<PostureCheckType>>;
}

const LOCK = locking<CriteriaRow>(
  'posture-check-lock',
  'SELECT type_id, criteria FROM posture_checks WHERE id = $1 FOR NO KEY UPDATE',
);

export function postureCheckStore(db: Db, lists: Lists): PostureCheckStore {
  return {
    get: (id) => getOne(db, POSTURE_CHECK, DETAIL, [id], fromRow),
    list: (request) => lists.page(db, source, request, requested(request)),
    async create(id, draft) {
      await insert(db, 'posture_checks', {
        id,
        name: draft.name,
        type_id: draft.typeId,
        role_attributes: draft.roleAttributes,
        criteria: json(draft.criteria),
        tags: json(draft.tags),
      });
    },
    async lockCriteria(id) {
      const row = await db.one(LOCK, [id]);
      return row ? criteriaOf(row) : raise(notFound(POSTURE_CHECK, id));
    },
    async update(id, changes) {
      await update(db, 'posture_checks', POSTURE_CHECK, id, {
        name: changes.name,
        role_attributes: changes.roleAttributes,
        criteria: json(changes.criteria),
        tags: json(changes.tags),
      });
    },
    remove: (id) => remove(db, 'posture_checks', POSTURE_CHECK, id),
    getType: (id) => getOne(db, 'postureCheckType', TYPE_DETAIL, [id], types.fromRow),
    listTypes: (request) => lists.page(db, types, request),
  };
}
