/** The checks of what a router asks for by its own identity, in the order in which routers expect their refusals. */
import type { TunnelService } from '../db/router-models.js';
import { couldBeStored } from '../domain/ids.js';
import type { PolicyType } from '../domain/model.js';
import type { RouterChannel } from './channel.js';
import type { Circuit } from './circuits.js';
import { EdgeError, invalidEdgeRouter, invalidService, tunnelingNotEnabled } from './edge-errors.js';
import type { FabricServices } from './services.js';
import { isTunneledTo } from './tunnel-watch.js';

/**
 * The service, while the router may use it in this way. Say `TunnelWatch.use` when its use has begun.
 * @returns with what `TunnelWatch.isLost` is asked when the use has begun
 * @throws EdgeError
 */
export async function requireTunnelAccess(
  type: PolicyType,
  named: { readonly id: string } | { readonly name: string },
  channel: RouterChannel,
  { stores, traffic }: FabricServices,
): Promise<TunnelService & { readonly since: number }> {
  const since = traffic.tunnels.now();
  if (!couldBeStored('id' in named ? named.id : named.name)) throw invalidService();
  const access = await stores.routerModels.access(channel.routerId, type, named);
  if (access?.hasIdentity !== true) throw tunnelingNotEnabled();
  const { service } = access;
  if (service?.isGranted !== true) throw invalidService();
  if (!service.isRouterAllowed) throw invalidEdgeRouter();
  return { ...service, since };
}

/**
 * A circuit to a service that a router hosts by itself: why it may not stand, if that router lost the service while
 * the circuit was built.
 */
export async function lostHost(
  circuit: Circuit,
  since: number,
  { channels, traffic }: FabricServices,
): Promise<EdgeError | undefined> {
  const routerId = circuit.path.routerIds.at(-1) ?? '';
  if (!isTunneledTo(circuit, routerId)) return undefined;
  const host = channels.get(routerId);
  if (host === undefined) return new EdgeError('internal', 'the host has gone', circuit.id);
  traffic.tunnels.use(host, 'Bind', circuit.serviceId);
  const isLost = await traffic.tunnels.isLost(host, 'Bind', circuit.serviceId, since);
  return isLost ? new EdgeError('internal', 'the host has lost the service', circuit.id) : undefined;
}
