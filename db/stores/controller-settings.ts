/** Settings of controllers: those of one, by its id, and those of all of them. */
import type { ControllerSettingDraft, ControllerSettings, EffectiveSettings } from '../../domain/administration.js';
import type { Page } from '../../domain/model.js';
import { GLOBAL_SETTINGS } from '../../domain/administration.js';
import type { Db } from '../postgres/contracts.js';
import { asItIs, entity } from '../query/entity.js';
import { text, textArray } from '../query/fields.js';
import { getOne } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes } from '../query/table.js';
import { read } from '../postgres/statement.js';

/** `controllerId` is unset in the settings of all. */
type Row = ControllerSettings & { readonly controllerId: string | null };

export const controllerSetting = entity<Row>(
  'controller_settings',
  {
    controllerId: text().nullable(),
    redirectUris: textArray().nullable().unfiltered(),
    postLogoutUris: textArray().nullable().unfiltered(),
  },
  { name: 'controllerSetting', collections: ['controller-settings'], versionedBy: 'updatedAt' },
);

/** Settings of each controller that ever joined, and of all together; times are those of what was set, if it was. */
const EFFECTIVE = read<EffectiveSettings>(
  'controller-setting-effective',
  `SELECT c.id, coalesce(s.created_at, c.created_at) AS "createdAt",
  coalesce(s.updated_at, c.updated_at) AS "updatedAt", coalesce(s.tags, '{}') AS tags,
  json_build_object('redirectUris', s.redirect_uris, 'postLogoutUris', s.post_logout_uris) AS instance,
  json_build_object('redirectUris', coalesce(s.redirect_uris, g.redirect_uris),
    'postLogoutUris', coalesce(s.post_logout_uris, g.post_logout_uris)) AS effective
FROM (SELECT id, created_at, updated_at FROM controllers WHERE id = $1
  UNION ALL SELECT id, created_at, updated_at FROM controller_settings WHERE id = $1 AND controller_id IS NULL) c
LEFT JOIN controller_settings s ON s.id = c.id
LEFT JOIN controller_settings g ON g.id = '${GLOBAL_SETTINGS}'`,
);

export interface ControllerSettingStore {
  list(request: ListRequest): Promise<Page<ControllerSettings>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<ControllerSettings>;
  /** Returns what is in force for a controller, or for all. @throws DomainError `notFound` unless it has ever joined */
  effective(id: string): Promise<EffectiveSettings>;
  /** @throws DomainError `duplicate` when it has some, `badReference` for an unknown controller */
  create(controllerId: string, draft: ControllerSettingDraft): Promise<void>;
  /** @throws DomainError `notFound` */
  update(id: string, changes: Changes<ControllerSettingDraft>): Promise<void>;
  /** @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
}

export function controllerSettingStore(db: Db, lists: Lists): ControllerSettingStore {
  const setting = controllerSetting;
  return {
    list: (request) => lists.page(db, setting.source, request),
    get: (id) => setting.get(db, id),
    effective: (id) => getOne(db, setting.name, EFFECTIVE, [id], asItIs),
    create: (id, draft) => setting.insert(db, id, { ...draft, controllerId: id === GLOBAL_SETTINGS ? null : id }),
    update: (id, changes) => setting.update(db, id, changes),
    remove: (id) => setting.remove(db, id),
  };
}
