/** The wire form of a config. */
import type { Config } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf, refTo } from '../fields.js';

export function toConfigDetail(item: Config): Response.ConfigDetail {
  return {
    configType: refTo('config-types', item.configType),
    configTypeId: item.configType.id,
    data: item.data,
    name: item.name,
    ...baseFields(item, linksOf('configs', item.id)),
  };
}
