/** A router dials by its own identity: the traffic that it intercepts goes to a terminator of the service. */
import { create } from '@bufbuild/protobuf';
import type { Stores } from '../../db/stores/stores.js';
import {
  CreateTunnelCircuitV2RequestSchema,
  CreateTunnelCircuitV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTunnelCircuitV2Request } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { EdgeError } from '../channel/edge-errors.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import type { BuiltCircuit } from '../traffic/dial-request.js';
import type { Dials } from '../traffic/dials.js';
import { MOST_PEER_DATA } from '../traffic/peer-data.js';
import { requireTunnelAccess } from '../traffic/tunnel-access.js';

/** Bytes of peer data that a client can send. */
const MAX_PEER_DATA_BYTES = 1 << 20;

interface TunnelDialParts {
  readonly dials: Dials;
  readonly stores: Pick<Stores, 'routerModels'>;
}

/** CreateTunnelCircuitV2 (20220), answered by 20221 or an Error. */
export const createTunnelCircuit =
  ({ dials, stores }: TunnelDialParts): MessageHandler =>
  (frame, channel) => {
    const request = readBody(CreateTunnelCircuitV2RequestSchema, frame);
    dials.answer(frame, channel, async (flight) => {
      const peerData = requirePeerData(request);
      const service = await requireTunnelAccess('Dial', { name: request.serviceName }, channel, stores);
      flight.dependsOn(null, service.serviceId);
      const session = { ...service, id: null, identityId: channel.routerId };
      const dial = { channel, instanceId: request.terminatorInstanceId, peerData, session, flight };
      const built = await dials.build(dial);
      await dials.confirm(built, dial);
      return response(built);
    });
  };

/** @throws EdgeError */
function requirePeerData({ peerData }: CreateTunnelCircuitV2Request): Map<number, Uint8Array> {
  const values = Object.values(peerData);
  if (values.length > MOST_PEER_DATA || values.reduce((sum, { length }) => sum + length, 0) > MAX_PEER_DATA_BYTES)
    throw new EdgeError('internal', 'too much peer data');
  return new Map(Object.entries(peerData).map(([key, value]) => [Number(key), value]));
}

const response = ({ circuit, peerData }: BuiltCircuit): Message =>
  typedMessage(
    ContentType.CreateTunnelCircuitV2Response,
    CreateTunnelCircuitV2ResponseSchema,
    create(CreateTunnelCircuitV2ResponseSchema, {
      circuitId: circuit.id,
      address: circuit.ends.ingressId,
      peerData: Object.fromEntries(peerData),
      tags: { ...circuit.tags },
    }),
  );
