/** A router dials by its own identity: what its interceptor or proxy took in goes to a terminator of the service. */
import { create } from '@bufbuild/protobuf';
import {
  CreateTunnelCircuitV2RequestSchema,
  CreateTunnelCircuitV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTunnelCircuitV2Request } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { connect, dialInTurn } from '../traffic/dial.js';
import { EdgeError } from '../channel/edge-errors.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import type { FabricServices } from '../services.js';
import { MOST_PEER_DATA } from '../traffic/peer-data.js';
import { requireTunnelAccess } from '../traffic/tunnel-access.js';

/** As much as a client can send. */
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
  const values = Object.values(sent);
  if (values.length > MOST_PEER_DATA || values.reduce((sum, { length }) => sum + length, 0) > MAX_PEER_DATA_BYTES)
    throw new EdgeError('internal', 'too much peer data');
  const peerData = new Map(Object.entries(sent).map(([key, value]) => [Number(key), value]));
  const { circuit, peerData: given } = await services.traffic.flights.run(async (flight) => {
    const service = await requireTunnelAccess('Dial', { name }, channel, services);
    flight.hangsOn(null, service.serviceId);
    const session = { ...service, id: null, identityId: channel.routerId };
    return connect({ channel, instanceId, peerData, session, flight }, services);
  });
  return typedMessage(
    ContentType.CreateTunnelCircuitV2Response,
    CreateTunnelCircuitV2ResponseSchema,
    create(CreateTunnelCircuitV2ResponseSchema, {
      circuitId: circuit.id,
      address: circuit.ends.ingressId,
      peerData: Object.fromEntries(given),
      tags: { ...circuit.tags },
    }),
  );
}
