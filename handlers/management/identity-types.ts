/** Identity types: a fixed set. */
import type { IdentityType } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { keptListOf, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields, linksOf } from '../fields.js';

/** GET /identity-types. */
export const listIdentityTypes: Handler<'management', 'listIdentityTypes'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.identityTypes.list(query), IDENTITY_TYPE, elementCache);

/** GET /identity-types/{id}. Fails: `notFound`. */
export const detailIdentityType: Handler<'management', 'detailIdentityType'> = async ({ params }, { stores }) =>
  ok(toIdentityTypeDetail(await stores.identityTypes.get(params.id)));

function toIdentityTypeDetail(item: IdentityType): Response.IdentityTypeDetail {
  return { name: item.name, ...baseFields(item, linksOf('identity-types', item.id)) };
}

const IDENTITY_TYPE = elementOfRow('identity type', toIdentityTypeDetail);
