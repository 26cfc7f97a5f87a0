/** Configs: data of a config type, given to services. */
import type { JsonObject } from '../../domain/model.js';
import { invalidField } from '../../domain/errors.js';
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { givenName, givenTags } from '../fields.js';
import { CONFIG, configFrom, toConfigDetail } from '../forms/config-model.js';
import { listServiceViews } from '../access/service-views.js';

/** GET /configs. */
export const listConfigs: Handler<'management', 'listConfigs'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.configs.list(query), CONFIG, elementCache);

/** POST /configs. Fails: `duplicate` (name), `invalidField` (type, or data that breaks the type's schema). */
export const createConfig: Handler<'management', 'createConfig'> = async (
  { body },
  { stores, newId, checkConfigData },
) => {
  const draft = configFrom(body);
  const type = await stores.configTypes.find(body.configTypeId);
  if (type === undefined) throw invalidField('type', 'invalid config type', body.configTypeId);
  await checkConfigData(type, body.data);
  const id = newId();
  await stores.configs.create(id, { ...draft, configTypeId: type.id });
  return created('configs', id);
};

/** GET /configs/{id}. Fails: `notFound`. */
export const detailConfig: Handler<'management', 'detailConfig'> = async ({ params }, { stores }) =>
  ok(toConfigDetail(await stores.configs.get(params.id)));

/** PUT /configs/{id}. The type of a config never changes. */
export const updateConfig: Handler<'management', 'updateConfig'> = async (
  { params, body },
  { stores, checkConfigData },
) => {
  const draft = configFrom(body);
  const config = await stores.configs.get(params.id);
  await checkConfigData(await stores.configTypes.get(config.configType.id), body.data);
  await stores.configs.update(params.id, draft);
  return noData();
};

/** PATCH /configs/{id}. */
export const patchConfig: Handler<'management', 'patchConfig'> = async (
  { params, body },
  { stores, checkConfigData },
) => {
  const config = await stores.configs.get(params.id);
  if (body.data != null) await checkConfigData(await stores.configTypes.get(config.configType.id), body.data);
  await stores.configs.update(params.id, {
    name: givenName(body.name),
    data: body.data == null ? undefined : (body.data as JsonObject),
    tags: givenTags(body.tags),
  });
  return noData();
};

/** DELETE /configs/{id}. Services, routers and identities lose it. */
export const deleteConfig: Handler<'management', 'deleteConfig'> = async ({ params }, { stores }) => {
  await stores.configs.remove(params.id);
  return noData();
};

/** GET /configs/{id}/services. */
export const listConfigServices: Handler<'management', 'listConfigServices'> = async (
  { params, query, caller },
  { stores },
) => {
  await stores.configs.get(params.id);
  return listServiceViews({ ...query, withConfig: params.id }, caller, stores);
};
