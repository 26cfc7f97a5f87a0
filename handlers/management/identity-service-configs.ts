/** Configs of services that hold for one identity only. */
import type { IdentityServiceConfig } from '../../db/stores/identity-service-configs.js';
import type * as Response from '../../generated/management/response.js';
import { listOf, noData, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { refTo } from '../fields.js';
import { requireMayModify } from '../delegation/delegation.js';

/** GET /identities/{id}/service-configs. Fails: `notFound`. */
export const listIdentitysServiceConfigs: Handler<'management', 'listIdentitysServiceConfigs'> = async (
  { params, query },
  { stores },
) => {
  const page = await pageOf(stores.identityServiceConfigs.list(params.id, query), () =>
    stores.identities.selectable(params.id),
  );
  return listOf(page, toServiceConfigDetail);
};

/** POST /identities/{id}/service-configs: all or none. Fails: `notFound` (identity, configs), `unauthenticated`. */
export const associateIdentitysServiceConfigs: Handler<'management', 'associateIdentitysServiceConfigs'> = async (
  { params, body, caller },
  { stores },
) => {
  await stores.transaction(async (tx) => {
    await requireMayModify(caller, params.id, tx);
    await tx.identityServiceConfigs.assign(params.id, body);
  });
  return noData();
};

/** DELETE /identities/{id}/service-configs: the pairs of the body, or all without a body. Fails: `notFound`. */
export const disassociateIdentitysServiceConfigs: Handler<'management', 'disassociateIdentitysServiceConfigs'> = async (
  { params, body, caller },
  { stores },
) => {
  await stores.transaction(async (tx) => {
    await requireMayModify(caller, params.id, tx);
    await tx.identityServiceConfigs.unassign(params.id, body);
  });
  return noData();
};

function toServiceConfigDetail({ service, config }: IdentityServiceConfig): Response.ServiceConfigDetail {
  return {
    config: refTo('configs', config),
    configId: config.id,
    service: refTo('services', service),
    serviceId: service.id,
  };
}
