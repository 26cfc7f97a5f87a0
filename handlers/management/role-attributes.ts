/** Role attributes in use, per kind of entity: what selectors of policies can name, and where each is used. */
import type { ListQuery } from '../../db/filter/index.js';
import type { AttributedKind } from '../../db/stores/role-attributes.js';
import { listOf } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';

const listAttributes = async (kind: AttributedKind, query: ListQuery, { stores, responseCache }: Context) =>
  responseCache.shared(
    await stores.roleAttributes.epoch(kind),
    `${kind} role attributes ${JSON.stringify(query)}`,
    async () => listOf(await stores.roleAttributes.list(kind, query), (attribute) => attribute),
  );

/** GET /identity-role-attributes. */
export const listIdentityRoleAttributes: Handler<'management', 'listIdentityRoleAttributes'> = async (
  { query },
  context,
) => listAttributes('identities', query, context);

/** GET /service-role-attributes. */
export const listServiceRoleAttributes: Handler<'management', 'listServiceRoleAttributes'> = async (
  { query },
  context,
) => listAttributes('services', query, context);

/** GET /edge-router-role-attributes. */
export const listEdgeRouterRoleAttributes: Handler<'management', 'listEdgeRouterRoleAttributes'> = async (
  { query },
  context,
) => listAttributes('routers', query, context);

/** GET /posture-check-role-attributes. */
export const listPostureCheckRoleAttributes: Handler<'management', 'listPostureCheckRoleAttributes'> = async (
  { query },
  context,
) => listAttributes('posture_checks', query, context);

interface UsageQuery extends ListQuery {
  readonly withIds?: boolean;
}

const listUsage = async (kind: AttributedKind, { withIds = false, ...query }: UsageQuery, { stores }: Context) =>
  listOf(await stores.roleAttributes.usage(kind, withIds, query), ({ attribute, usage }) => ({
    roleAttribute: attribute,
    usage: { ...usage },
  }));

/** GET /identity-role-attribute-usage. */
export const listIdentityRoleAttributeUsage: Handler<'management', 'listIdentityRoleAttributeUsage'> = async (
  { query },
  context,
) => listUsage('identities', query, context);

/** GET /service-role-attribute-usage. */
export const listServiceRoleAttributeUsage: Handler<'management', 'listServiceRoleAttributeUsage'> = async (
  { query },
  context,
) => listUsage('services', query, context);

/** GET /edge-router-role-attribute-usage. */
export const listEdgeRouterRoleAttributeUsage: Handler<'management', 'listEdgeRouterRoleAttributeUsage'> = async (
  { query },
  context,
) => listUsage('routers', query, context);

/** GET /posture-check-role-attribute-usage. */
export const listPostureCheckRoleAttributeUsage: Handler<'management', 'listPostureCheckRoleAttributeUsage'> = async (
  { query },
  context,
) => listUsage('posture_checks', query, context);
