/** A router hosts a service by its own identity: as soon as the data model says so, and again after every reconnect. */
import { create } from '@bufbuild/protobuf';
import type { Stores } from '../../db/stores/stores.js';
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
import {
  draftFrom,
  makeWithinLimit,
  requireAddress,
  requireBounds,
  requireHosted,
} from '../traffic/terminator-requests.js';
import type { MakingParts } from '../traffic/terminator-requests.js';
import type { TerminatorValidation } from '../traffic/terminator-validation.js';
import { requireTunnelAccess } from '../traffic/tunnel-access.js';
import type { TunnelWatch } from '../traffic/tunnel-watch.js';

interface TunnelBindParts extends MakingParts {
  readonly stores: Pick<Stores, 'routerModels' | 'hostedTerminators' | 'transaction'>;
  readonly tunnels: Pick<TunnelWatch, 'round' | 'use' | 'isLost'>;
  readonly validation: Pick<TerminatorValidation, 'created' | 'removed'>;
}

/** CreateTunnelTerminatorV2 (20413), answered by 20414: the router finds the terminator by its id there. */
export const createTunnelTerminator =
  (parts: TunnelBindParts): MessageHandler =>
  (frame, channel) => {
    const request = readBody(CreateTunnelTerminatorRequestV2Schema, frame);
    const { address: terminatorId, startTime } = request;
    const asked = forReply(frame);
    const make = () => host(request, channel, parts);
    makeWithinLimit({ address: terminatorId, bytes: frame.body.length, make }, channel, parts, (refusal) => {
      const body = create(CreateTunnelTerminatorResponseV2Schema, { terminatorId, startTime, ...refusal });
      const kind = ContentType.CreateTunnelTerminatorV2Response;
      channel.reply(asked, typedMessage(kind, CreateTunnelTerminatorResponseV2Schema, body));
    });
  };

async function host(
  request: CreateTunnelTerminatorRequestV2,
  channel: RouterChannel,
  { stores, tunnels, validation }: TunnelBindParts,
): Promise<void> {
  requireAddress(request);
  const { serviceId } = request;
  const since = tunnels.round;
  await requireTunnelAccess('Bind', { id: serviceId }, channel, stores);
  requireBounds(request);
  const draft = { ...draftFrom(request, channel.routerId), serviceId };
  if (await stores.hostedTerminators.isTunnelHosted(draft)) {
    validation.removed(channel, [draft.id]);
    return;
  }
  requireHosted(await stores.transaction((tx) => tx.hostedTerminators.hostTunnel(draft)), draft);
  tunnels.use(channel, 'Bind', serviceId);
  if (await tunnels.isLost(channel, 'Bind', serviceId, since)) {
    await stores.hostedTerminators.removeTunneled(channel.routerId, [serviceId]);
    throw invalidService();
  }
  validation.created(channel, { id: draft.id, binding: TUNNEL_BINDING, address: draft.id });
}
