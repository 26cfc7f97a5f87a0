/** A client dials: the router asks for a circuit to a terminator of the service. */
import type { MessageHandler } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { message } from '../channel/frame.js';
import type { Frame, Message } from '../channel/frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  encodeBytesMap,
  encodeText,
  encodeTextMap,
  readBytesMap,
  readText,
} from '../channel/headers.js';
import type { BuiltCircuit } from '../traffic/dial-request.js';
import type { Dials } from '../traffic/dials.js';
import { requireSession } from '../traffic/session-admission.js';
import type { SessionAdmissionParts } from '../traffic/session-admission.js';

/** CreateCircuitV2 (20218), answered by 20219 or an Error. */
export const createCircuit =
  (parts: SessionAdmissionParts & { readonly dials: Dials }): MessageHandler =>
  (frame, channel) => {
    const { dials } = parts;
    // Read first: a request that cannot be read takes no place among dials.
    const request = readRequest(frame);
    dials.answer(frame, channel, async (flight) => {
      const session = await requireSession(request, 'Dial', channel, flight, parts);
      const dial = { ...request, channel, session, flight };
      const built = await dials.build(dial);
      await dials.confirm(built, dial);
      return response(built);
    });
  };

const readRequest = ({ headers }: Frame) => ({
  apiSessionToken: readText(headers, CircuitRequestHeader.ApiSessionToken) ?? '',
  sessionToken: readText(headers, CircuitRequestHeader.SessionToken) ?? '',
  instanceId: readText(headers, CircuitRequestHeader.TerminatorInstanceId) ?? '',
  peerData: readBytesMap(headers, CircuitRequestHeader.PeerData),
});

function response({ circuit, peerData }: BuiltCircuit): Message {
  const headers: [number, Uint8Array][] = [
    [CircuitResponseHeader.CircuitId, encodeText(circuit.id)],
    [CircuitResponseHeader.Address, encodeText(circuit.ends.ingressId)],
    [CircuitResponseHeader.Tags, encodeTextMap(new Map(Object.entries(circuit.tags)))],
  ];
  if (peerData.size > 0) headers.push([CircuitResponseHeader.PeerData, encodeBytesMap(peerData)]);
  return message(ContentType.CreateCircuitV2Response, '', headers);
}
