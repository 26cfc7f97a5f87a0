/** Role attributes in use, per kind of entity: what selectors of policies can name. */
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
