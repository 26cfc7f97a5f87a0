/** A client dials: the router asks for a circuit to a terminator of the service. */
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { connect, dialInTurn } from '../traffic/dial.js';
import { message } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  encodeBytesMap,
  encodeText,
  encodeTextMap,
  readBytesMap,
  readText,
} from '../channel/headers.js';
import type { FabricServices } from '../services.js';
import { requireSession } from '../traffic/shown-session.js';

/** CreateCircuitV2 (20218), answered by 20219 or an Error. */
export const createCircuit: MessageHandler = (frame, channel, services) => {
  const { headers } = frame;
  // Read first: what cannot be read takes no place among dials.
  const request = {
    apiSessionToken: readText(headers, CircuitRequestHeader.ApiSessionToken) ?? '',
    sessionToken: readText(headers, CircuitRequestHeader.SessionToken) ?? '',
    instanceId: readText(headers, CircuitRequestHeader.TerminatorInstanceId) ?? '',
    peerData: readBytesMap(headers, CircuitRequestHeader.PeerData),
  };
  dialInTurn(frame, channel, services, () => dial(request, channel, services));
};

interface Request {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
  readonly instanceId: string;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

async function dial(request: Request, channel: RouterChannel, services: FabricServices): Promise<Message> {
  const { circuit, peerData } = await services.traffic.flights.run(async (flight) => {
    const session = await requireSession(request, 'Dial', channel, services, flight);
    return connect({ ...request, channel, session, flight }, services);
  });
  const answer: [number, Uint8Array][] = [
    [CircuitResponseHeader.CircuitId, encodeText(circuit.id)],
    [CircuitResponseHeader.Address, encodeText(circuit.ends.ingressId)],
    [CircuitResponseHeader.Tags, encodeTextMap(new Map(Object.entries(circuit.tags)))],
  ];
  if (peerData.size > 0) answer.push([CircuitResponseHeader.PeerData, encodeBytesMap(peerData)]);
  return message(ContentType.CreateCircuitV2Response, '', answer);
}
