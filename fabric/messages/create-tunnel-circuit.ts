/** A router dials by its own identity: what its interceptor or proxy took in goes to a terminator of the service. */
import { create } from '@bufbuild/protobuf';
import {
  CreateTunnelCircuitV2RequestSchema,
  CreateTunnelCircuitV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTunnelCircuitV2Request } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel.js';
import { ContentType } from '../content-types.js';
import { connect, dialInTurn } from '../dial.js';
import { EdgeError, invalidService } from '../edge-errors.js';
import { readBody, typedMessage } from '../frame.js';
import type { Message } from '../frame.js';
import type { FabricServices } from '../services.js';
import { lostHost, requireTunnelAccess } from '../tunnel-access.js';

/** As much as a client can send. */
const MAX_PEER_DATA = 128;
const MAX_PEER_DATA_BYTES = 1 << 20;

/** CreateTunnelCircuitV2 (20220), answered by 20221 or an Error. */
export const createTunnelCircuit: MessageHandler = (frame, channel, services) => {
  const request = readBody(CreateTunnelCircuitV2RequestSchema, frame);
  dialInTurn(frame, channel, services, () => dial(request, channel, services));
};

async function dial(
  { serviceName: name, terminatorInstanceId: instanceId, peerData: sent }: CreateTunnelCircuitV2Request,
  channel: RouterChannel,
  services: FabricServices,
): Promise<Message> {
  const { tunnels } = services.traffic;
  const { since, ...service } = await requireTunnelAccess('Dial', { name }, channel, services);
  const values = Object.values(sent);
  if (values.length > MAX_PEER_DATA || values.reduce((sum, { length }) => sum + length, 0) > MAX_PEER_DATA_BYTES)
    throw new EdgeError('internal', 'too much peer data');
  const { circuit, peerData } = await connect(
    {
      channel,
      instanceId,
      peerData: new Map(Object.entries(sent).map(([key, value]) => [Number(key), value])),
      session: { ...service, id: null, identityId: channel.routerId },
    },
    async (made) => {
      tunnels.use(channel, 'Dial', service.serviceId);
      if (await tunnels.isLost(channel, 'Dial', service.serviceId, since)) return invalidService();
      return lostHost(made, since, services);
    },
    services,
  );
  return typedMessage(
    ContentType.CreateTunnelCircuitV2Response,
    CreateTunnelCircuitV2ResponseSchema,
    create(CreateTunnelCircuitV2ResponseSchema, {
      circuitId: circuit.id,
      address: circuit.ends.ingressId,
      peerData: Object.fromEntries(peerData),
      tags: { ...circuit.tags },
    }),
  );
}
