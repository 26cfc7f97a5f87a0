/** The wire forms of a config and of its type. */
import type { Config, JsonObject } from '../../domain/model.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, linksOf, refTo, requireName, tagsFrom } from '../fields.js';

export function toConfigDetail(item: Config): Response.ConfigDetail {
  return {
    configType: refTo('config-types', item.configType),
    configTypeId: item.configType.id,
    data: item.data,
    name: item.name,
    ...baseFields(item, linksOf('configs', item.id)),
  };
}

export const CONFIG = elementOfRow('config', toConfigDetail);

/** Reads a POST or PUT, apart from the type, which never changes. @throws DomainError `invalidField` */
export const configFrom = (body: Request.ConfigUpdate) => ({
  name: requireName(body.name),
  data: body.data as JsonObject,
  tags: tagsFrom(body.tags),
});

/** Reads a POST or PUT, apart from the target, which never changes. @throws DomainError `invalidField` */
export const configTypeFrom = (body: Request.ConfigTypeUpdate) => ({
  name: requireName(body.name),
  schema: (body.schema ?? null) as JsonObject | null,
  tags: tagsFrom(body.tags),
});
