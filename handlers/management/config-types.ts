/** Config types: named shapes of configuration with their JSON Schemas. */
import type { ConfigType, JsonObject } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { created, keptListOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields, given, givenName, givenTags, linksOf } from '../fields.js';
import { CONFIG, configTypeFrom } from '../forms/config-model.js';

/** GET /config-types. */
export const listConfigTypes: Handler<'management', 'listConfigTypes'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.configTypes.list(query), CONFIG_TYPE, elementCache);

/** POST /config-types. Fails: `duplicate` (name), `invalidField` (schema). */
export const createConfigType: Handler<'management', 'createConfigType'> = async (
  { body },
  { stores, newId, checkConfigSchema },
) => {
  if (body.schema != null) await checkConfigSchema(body.schema);
  const id = newId();
  await stores.configTypes.create(id, { ...configTypeFrom(body), target: body.target ?? 'service' });
  return created('config-types', id);
};

/** GET /config-types/{id}. Fails: `notFound`. */
export const detailConfigType: Handler<'management', 'detailConfigType'> = async ({ params }, { stores }) =>
  ok(toConfigTypeDetail(await stores.configTypes.get(params.id)));

/** PUT /config-types/{id}. Configs that exist are not checked again. */
export const updateConfigType: Handler<'management', 'updateConfigType'> = async (
  { params, body },
  { stores, checkConfigSchema },
) => {
  if (body.schema != null) await checkConfigSchema(body.schema);
  await stores.configTypes.update(params.id, configTypeFrom(body));
  return noData();
};

/** PATCH /config-types/{id}. */
export const patchConfigType: Handler<'management', 'patchConfigType'> = async (
  { params, body },
  { stores, checkConfigSchema },
) => {
  if (body.schema != null) await checkConfigSchema(body.schema);
  await stores.configTypes.update(params.id, {
    name: givenName(body.name),
    schema: given(body.schema) as JsonObject | undefined,
    tags: givenTags(body.tags),
  });
  return noData();
};

/** DELETE /config-types/{id}. Fails: `inUse` while configs of the type exist. */
export const deleteConfigType: Handler<'management', 'deleteConfigType'> = async ({ params }, { stores }) => {
  await stores.configTypes.remove(params.id);
  return noData();
};

/** GET /config-types/{id}/configs. */
export const listConfigsForConfigType: Handler<'management', 'listConfigsForConfigType'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const page = await pageOf(stores.configs.list({ ...query, ofType: params.id }), () =>
    stores.configTypes.get(params.id),
  );
  return keptListOf(page, CONFIG, elementCache);
};

function toConfigTypeDetail(item: ConfigType): Response.ConfigTypeDetail {
  return {
    name: item.name,
    schema: item.schema,
    target: item.target,
    ...baseFields(item, linksOf('config-types', item.id)),
  };
}

const CONFIG_TYPE = elementOfRow('config type', toConfigTypeDetail);
