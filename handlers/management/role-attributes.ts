/** Role attributes in use, per kind of entity: what selectors of policies can name. */
import type { ListQuery } from '../../db/filter/index.js';
import type { AttributedKind } from '../../db/role-attributes.js';
import { listOf } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Services } from '../services.js';

const listAttributes = async (kind: AttributedKind, query: ListQuery, { stores, written }: Services) =>
  written.shared(await stores.roleAttributes.epoch(kind), `${kind} role attributes ${JSON.stringify(query)}`,
    async () => listOf(await stores.roleAttributes.list(kind, query), (attribute) => attribute));

/** GET /identity-role-attributes. */
export const listIdentityRoleAttributes: Handler<'management', 'listIdentityRoleAttributes'> = async ({ query }, services) =>
  listAttributes('identities', query, services);

/** GET /service-role-attributes. */
export const listServiceRoleAttributes: Handler<'management', 'listServiceRoleAttributes'> = async ({ query }, services) =>
  listAttributes('services', query, services);

/** GET /edge-router-role-attributes. */
export const listEdgeRouterRoleAttributes: Handler<'management', 'listEdgeRouterRoleAttributes'> = async ({ query }, services) =>
  listAttributes('routers', query, services);

/** GET /posture-check-role-attributes. */
export const listPostureCheckRoleAttributes: Handler<'management', 'listPostureCheckRoleAttributes'> = async ({ query }, services) =>
  listAttributes('posture_checks', query, services);
