/** Settings of controllers: those of one, by its id, and those of all of them. */
import type { ControllerSettingDraft, ControllerSettings, EffectiveSettings } from '../../domain/administration.js';
import type { Page } from '../../domain/model.js';
import { GLOBAL_SETTINGS } from '../../domain/administration.js';
import type { Db } from '../postgres/contracts.js';
import { controllerSettingSymbols } from './symbols.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, jsonb, remove, update } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { BaseRow, Changes, ListSource } from '../query/table.js';
import { read } from '../postgres/statement.js';

const ENTITY = 'controllerSetting';

interface Uris {
  redirect_uris: string[] | null;
  post_logout_uris: string[] | null;
}
type Row = BaseRow & Uris;

const source: ListSource<Row, ControllerSettings> = {
  table: 'controller_settings',
  symbols: controllerSettingSymbols,
  columns: [...BASE_COLUMNS, 'redirect_uris', 'post_logout_uris'],
  fromRow: (row) => ({ ...urisOf(row), ...baseOf(row) }),
};

const DETAIL = read<Row>('controller-setting-detail', detailSql(source));

/** Of each controller that ever joined, and of all of them together; the times are those of what was set, if it was. */
const EFFECTIVE = read<EffectiveRow>(
  'controller-setting-effective',
  `SELECT c.id, coalesce(s.created_at, c.created_at) AS created_at,
  coalesce(s.updated_at, c.updated_at) AS updated_at, coalesce(s.tags, '{}') AS tags,
  s.redirect_uris, s.post_logout_uris,
  coalesce(s.redirect_uris, g.redirect_uris) AS effective_redirect_uris,
  coalesce(s.post_logout_uris, g.post_logout_uris) AS effective_post_logout_uris
FROM (SELECT id, created_at, updated_at FROM controllers WHERE id = $1
  UNION ALL SELECT id, created_at, updated_at FROM controller_settings WHERE id = $1 AND controller_id IS NULL) c
LEFT JOIN controller_settings s ON s.id = c.id
LEFT JOIN controller_settings g ON g.id = '${GLOBAL_SETTINGS}'`,
);

interface EffectiveRow extends Row {
  effective_redirect_uris: string[] | null;
  effective_post_logout_uris: string[] | null;
}

const urisOf = (row: Uris) => ({ redirectUris: row.redirect_uris, postLogoutUris: row.post_logout_uris });

export interface ControllerSettingStore {
  list(request: ListRequest): Promise<Page<ControllerSettings>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ControllerSettings>;
  /** What holds for a controller, or for all. @throws DomainError `notFound` unless it has ever joined */
  effective(id: string): Promise<EffectiveSettings>;
  /** @throws DomainError `duplicate` when it has some, `badReference` for an unknown controller */
  create(controllerId: string, draft: ControllerSettingDraft): Promise<void>;
  /** @throws DomainError `notFound` */
  update(id: string, changes: Changes<ControllerSettingDraft>): Promise<void>;
  /** @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
}

export function controllerSettingStore(db: Db, lists: Lists): ControllerSettingStore {
  return {
    list: (request) => lists.page(db, source, request),
    get: (id) => getOne(db, ENTITY, DETAIL, [id], source.fromRow),
    effective: (id) =>
      getOne<EffectiveRow, EffectiveSettings>(db, ENTITY, EFFECTIVE, [id], (row) => ({
        instance: urisOf(row),
        effective: { redirectUris: row.effective_redirect_uris, postLogoutUris: row.effective_post_logout_uris },
        ...baseOf(row),
      })),
    create: (controllerId, draft) =>
      insert(db, 'controller_settings', {
        id: controllerId,
        controller_id: controllerId === GLOBAL_SETTINGS ? null : controllerId,
        ...valuesOf(draft),
      }),
    update: (id, changes) => update(db, 'controller_settings', ENTITY, id, valuesOf(changes)),
    remove: (id) => remove(db, 'controller_settings', ENTITY, id),
  };
}

function valuesOf({ redirectUris, postLogoutUris, tags }: Changes<ControllerSettingDraft>) {
  return { redirect_uris: redirectUris, post_logout_uris: postLogoutUris, tags: jsonb(tags) };
}
