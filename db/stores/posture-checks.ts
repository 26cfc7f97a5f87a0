/** Posture checks: what they ask for is one jsonb document of their type, in its normal form. And their fixed types. */
import type { BaseEntity, LazyRow, Page, Tags } from '../../domain/model.js';
import type { PostureCheck, PostureCheckDraft, PostureCheckType } from '../../domain/model.js';
import type { Criteria, OperatingSystem } from '../../domain/posture/criteria.js';
import { notFound, raise } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import type { Terms } from '../query/change-statements.js';
import { entity } from '../query/entity.js';
import { integer, json, text, textArray } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import type { RoleFilter, SymbolDef } from '../filter/index.js';
import { requested } from '../query/scopes.js';
import type { Selection } from '../query/scopes.js';
import { locking } from '../postgres/statement.js';

/** A check as its table has it: type and document fit, since only what `create` and `update` were given is stored. */
type Row = BaseEntity & Pick<PostureCheck, 'name' | 'version' | 'roleAttributes' | keyof Criteria>;

const ofDocument = (key: string): SymbolDef => ({ kind: 'boolean', sql: `(t.criteria->>'${key}')::boolean` });

export const postureCheck = entity<Row>(
  'posture_checks',
  {
    name: text().unique(),
    typeId: text<Criteria['typeId']>(),
    roleAttributes: textArray(),
    version: integer().unfiltered(),
    criteria: json<Criteria['criteria']>(),
  },
  {
    name: 'postureCheck',
    collections: ['posture-checks'],
    versionedBy: 'updatedAt',
    symbols: { promptOnUnlock: ofDocument('promptOnUnlock'), promptOnWake: ofDocument('promptOnWake') },
  },
);
const source: ListSource<Row, PostureCheck> = { ...postureCheck.source, fromRow: (row) => row as PostureCheck };

export const postureCheckType = entity<PostureCheckType>(
  'posture_check_types',
  {
    name: text().unique(),
    version: text().unfiltered(),
    operatingSystems: json<readonly OperatingSystem[]>(),
  },
  { name: 'postureCheckType', isOpen: true },
);

export interface PostureCheckChanges {
  readonly name?: string | undefined;
  readonly roleAttributes?: readonly string[] | undefined;
  readonly tags?: Tags | undefined;
  /** Replaces everything that the check asks for. Its type cannot change. */
  readonly criteria?: Criteria['criteria'] | undefined;
}

export interface PostureCheckStore {
  get(id: string): Promise<PostureCheck>;
  list(request: ListRequest & RoleFilter & Selection): Promise<Page<LazyRow<PostureCheck>>>;
  create(id: string, draft: PostureCheckDraft): Promise<void>;
  /** Reads what it asks for now, locked until this transaction ends. @throws DomainError `notFound` */
  lockCriteria(id: string): Promise<Criteria>;
  update(id: string, changes: PostureCheckChanges): Promise<void>;
  /** The same while it is as it was read. False, and nothing done, when it has changed since, or is gone. */
  updateAsRead(read: Pick<PostureCheck, 'id' | 'updatedAt'>, changes: PostureCheckChanges): Promise<boolean>;
  /** Deletes the check, and its `@id` in every policy. */
  remove(id: string): Promise<void>;
  getType(id: string): Promise<PostureCheckType>;
  listTypes(request: ListRequest): Promise<Page<LazyRow<PostureCheckType>>>;
}

const LOCK = locking<Criteria>(
  'posture-check-lock',
  'SELECT type_id AS "typeId", criteria FROM posture_checks WHERE id = $1 FOR NO KEY UPDATE',
);

const asRead = (version: Date): Terms => ({
  name: 'as-read',
  only: 'updated_at IS NOT DISTINCT FROM ?',
  values: [version],
});

export function postureCheckStore(db: Db, lists: Lists): PostureCheckStore {
  return {
    get: (id) => postureCheck.get(db, id).then(source.fromRow),
    list: (request) => lists.unread(db, source, request, requested(request)),
    async create(id, draft) {
      await postureCheck.insert(db, id, draft);
    },
    async lockCriteria(id) {
      const row = await db.one(LOCK, [id]);
      return row ?? raise(notFound(postureCheck.name, id));
    },
    async update(id, changes) {
      await postureCheck.update(db, id, changes);
    },
    updateAsRead: ({ id, updatedAt }, changes) => postureCheck.updateWhere(db, id, changes, asRead(updatedAt)),
    remove: (id) => postureCheck.remove(db, id),
    getType: (id) => postureCheckType.get(db, id),
    listTypes: (request) => lists.unread(db, postureCheckType.source, request),
  };
}
