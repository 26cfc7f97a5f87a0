/** A router hosts a service by its own identity: as soon as the data model says so, and again after every reconnect. */
import { create } from '@bufbuild/protobuf';
import { TUNNEL_BINDING } from '../../domain/fabric/terminator.js';
import {
  CreateTunnelTerminatorRequestV2Schema,
  CreateTunnelTerminatorResponseV2Schema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTunnelTerminatorRequestV2 } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { invalidService } from '../channel/edge-errors.js';
import { forReply, readBody, typedMessage } from '../channel/frame.js';
import type { FabricServices } from '../services.js';
import { draftFrom, makeInTurn, requireAddress, requireBounds, requireHosted } from '../traffic/terminator-requests.js';
import { requireTunnelAccess } from '../traffic/tunnel-access.js';

/** CreateTunnelTerminatorV2 (20413), answered by 20414: the router finds the terminator by its id there. */
export const createTunnelTerminator: MessageHandler = (frame, channel, services) => {
  const request = readBody(CreateTunnelTerminatorRequestV2Schema, frame);
  const { address: terminatorId, startTime } = request;
  const asked = forReply(frame);
  const make = () => host(request, channel, services);
  makeInTurn({ address: terminatorId, bytes: frame.body.length, make }, channel, services, (refusal) => {
    const body = create(CreateTunnelTerminatorResponseV2Schema, { terminatorId, startTime, ...refusal });
    channel.reply(
      asked,
      typedMessage(ContentType.CreateTunnelTerminatorV2Response, CreateTunnelTerminatorResponseV2Schema, body),
    );
  });
};

async function host(
  request: CreateTunnelTerminatorRequestV2,
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  const { stores, traffic } = services;
  requireAddress(request);
  const { serviceId } = request;
  const since = traffic.tunnels.now();
  await requireTunnelAccess('Bind', { id: serviceId }, channel, services);
  requireBounds(request);
  const draft = { ...draftFrom(request, channel.routerId), serviceId };
  if (await stores.hostedTerminators.isTunnelHosted(draft)) {
    traffic.validation.removed(channel, [draft.id]);
    return;
  }
  requireHosted(await stores.transaction((tx) => tx.hostedTerminators.hostTunnel(draft)), draft);
  traffic.tunnels.use(channel, 'Bind', serviceId);
  if (await traffic.tunnels.isLost(channel, 'Bind', serviceId, since)) {
    await stores.hostedTerminators.removeTunneled(channel.routerId, { ids: [serviceId], areKept: false });
    throw invalidService();
  }
  traffic.validation.created(channel, { id: draft.id, binding: TUNNEL_BINDING, address: draft.id });
}
