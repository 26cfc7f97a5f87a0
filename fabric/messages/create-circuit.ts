/** A client dials: the router asks for a circuit to a terminator of the service. */
import type { MessageHandler, RouterChannel } from '../channel.js';
import { buildCircuit } from '../circuit-builder.js';
import { ContentType } from '../content-types.js';
import { EdgeError, errorMessage, invalidSession, refusalOf } from '../edge-errors.js';
import { forReply, message } from '../frame.js';
import type { Message } from '../frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  PeerData,
  encodeBytesMap,
  encodeText,
  encodeTextMap,
  readBytesMap,
  readText,
} from '../headers.js';
import type { FabricServices } from '../services.js';
import { requireSession } from '../shown-session.js';

/**
 * CreateCircuitV2 (20218), answered by 20219 or an Error. It is not waited for: a dial may hang for as long as a router
 * does, and other messages of this one must not hang with it.
 */
export const createCircuit: MessageHandler = (frame, channel, services) => {
  const { headers } = frame;
  const asked = forReply(frame);
  // Read first: what cannot be read is the router's fault and not the client's.
  const request = {
    apiSessionToken: readText(headers, CircuitRequestHeader.ApiSessionToken) ?? '',
    sessionToken: readText(headers, CircuitRequestHeader.SessionToken) ?? '',
    instanceId: readText(headers, CircuitRequestHeader.TerminatorInstanceId) ?? '',
    peerData: readBytesMap(headers, CircuitRequestHeader.PeerData),
  };
  void services.traffic
    .gatesOf(channel)
    .circuits.run(() => dial(request, channel, services))
    .catch((error: unknown) => errorMessage(refusalOf(error, 'a circuit could not be made', channel, services)))
    .then((answer) => {
      channel.reply(asked, answer);
    });
};

interface Request {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
  readonly instanceId: string;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

async function dial(request: Request, channel: RouterChannel, services: FabricServices): Promise<Message> {
  const { circuits, sessions } = services.traffic;
  const session = await requireSession(request, 'Dial', channel, services);
  if (session.encryptionRequired && !request.peerData.has(PeerData.PublicKey))
    throw withoutKey('initiator did not send public header');
  const { circuit, peerData } = await buildCircuit({ ...request, channel, session }, services);
  circuits.add(circuit);
  const end = (error: EdgeError): EdgeError => {
    circuits.end(circuit, true);
    return error;
  };
  if (session.encryptionRequired && !peerData.has(PeerData.PublicKey))
    throw end(withoutKey('terminator did not send public header', circuit.id));
  const isOver = [circuit.sessionId, circuit.hostSessionId].some((id) => id !== null && sessions.hasEnded(id));
  if (isOver || channel.isClosed) throw end(invalidSession());
  const answer: [number, Uint8Array][] = [
    [CircuitResponseHeader.CircuitId, encodeText(circuit.id)],
    [CircuitResponseHeader.Address, encodeText(circuit.ends.ingressId)],
    [CircuitResponseHeader.Tags, encodeTextMap(new Map(Object.entries(circuit.tags)))],
  ];
  if (peerData.size > 0) answer.push([CircuitResponseHeader.PeerData, encodeBytesMap(peerData)]);
  return message(ContentType.CreateCircuitV2Response, '', answer);
}

const withoutKey = (whose: string, circuitId?: string) =>
  new EdgeError('encryptionDataMissing', `encryption required on service, ${whose}`, circuitId);
