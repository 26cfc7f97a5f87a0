/** Admits what a router asks for by its own identity: checks in the order in which routers expect refusals. */
import type { TunnelService } from '../../db/stores/router-models.js';
import { couldBeStored } from '../../domain/ids.js';
import type { PolicyType } from '../../domain/model.js';
import type { RouterChannel } from '../channel/channel.js';
import { invalidEdgeRouter, invalidService, tunnelingNotEnabled } from '../channel/edge-errors.js';
import type { Stores } from '../../db/stores/stores.js';

/**
 * Returns the service, while the router may use it in this way. Call `TunnelWatch.use` when its use has begun, and then
 * `TunnelWatch.isLost`.
 * @throws EdgeError
 */
export async function requireTunnelAccess(
  type: PolicyType,
  named: { readonly id: string } | { readonly name: string },
  channel: RouterChannel,
  { routerModels }: Pick<Stores, 'routerModels'>,
): Promise<TunnelService> {
  if (!couldBeStored('id' in named ? named.id : named.name)) throw invalidService();
  const access = await routerModels.access(channel.routerId, type, named);
  if (access?.hasIdentity !== true) throw tunnelingNotEnabled();
  const { service } = access;
  if (service?.isGranted !== true) throw invalidService();
  if (!service.isRouterAllowed) throw invalidEdgeRouter();
  return service;
}
