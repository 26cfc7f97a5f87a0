/** Settings of controllers: of one, which has their id, and of all, under the id `global`. Administrators only. */
import type { ControllerSettings, OidcUris } from '../../domain/administration.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, givenTags, linksOf } from '../fields.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { controllerSettingsFrom, givenUrisFrom, requireController } from '../forms/controller-settings-model.js';

const COLLECTION = 'controller-settings';

/** GET /controller-settings. */
export const listControllerSettings: Handler<'management', 'listControllerSettings'> = async ({ query }, { stores }) =>
  listOf(await stores.controllerSettings.list(query), toDetail);

/** POST /controller-settings. Fails: `duplicate` when it has settings, `badReference` for an unknown controller. */
export const createControllerSetting: Handler<'management', 'createControllerSetting'> = async (
  { body },
  { stores },
) => {
  const { controllerId } = body;
  requireController(controllerId);
  const draft = controllerSettingsFrom(body);
  await stores.controllerSettings.create(controllerId, draft);
  return created(COLLECTION, controllerId);
};

/** GET /controller-settings/{id}. Fails: `notFound`. */
export const detailControllerSetting: Handler<'management', 'detailControllerSetting'> = async (
  { params },
  { stores },
) => ok(toDetail(await stores.controllerSettings.get(params.id)));

/** GET /controller-settings/{id}/effective. Fails: `notFound` for what is no controller. */
export const detailControllerSettingEffective: Handler<'management', 'detailControllerSettingEffective'> = async (
  { params },
  { stores },
) => {
  const { effective, instance, ...base } = await stores.controllerSettings.effective(params.id);
  return ok({
    effective: toSettings(effective),
    instance: toSettings(instance),
    ...baseFields(base, linksOf(COLLECTION, base.id)),
  });
};

/** PUT /controller-settings/{id}/effective. Fails: `notFound`. */
export const updateControllerSetting: Handler<'management', 'updateControllerSetting'> = async (
  { params, body },
  { stores },
) => {
  const draft = controllerSettingsFrom(body);
  await stores.controllerSettings.update(params.id, draft);
  return noData();
};

/** PATCH /controller-settings/{id}/effective. Fails: `notFound`. */
export const patchControllerSetting: Handler<'management', 'patchControllerSetting'> = async (
  { params, body },
  { stores },
) => {
  await stores.controllerSettings.update(params.id, { ...givenUrisFrom(body), tags: givenTags(body.tags) });
  return noData();
};

/** DELETE /controller-settings/{id}/effective. Fails: `notFound`. */
export const deleteControllerSetting: Handler<'management', 'deleteControllerSetting'> = async (
  { params },
  { stores },
) => {
  await stores.controllerSettings.remove(params.id);
  return noData();
};

function toDetail(settings: ControllerSettings): Response.ControllerSettingDetail {
  return { ...toSettings(settings), ...baseFields(settings, linksOf(COLLECTION, settings.id)) };
}

/** Settings without those that are not set. */
function toSettings({ redirectUris, postLogoutUris }: OidcUris): Response.ControllerSettings {
  return {
    oidc: {
      ...(postLogoutUris === null ? {} : { postLogoutUris: [...postLogoutUris] }),
      ...(redirectUris === null ? {} : { redirectUris: [...redirectUris] }),
    },
  };
}
