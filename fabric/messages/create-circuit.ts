/**
 * A client dials, with a session or by its access token alone: the router asks for a circuit to a terminator of the
 * service.
 */
import type { MessageHandler } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { message } from '../channel/frame.js';
import type { Frame, Message } from '../channel/frame.js';
import {
  CircuitRequestHeader,
  CircuitResponseHeader,
  DirectDialHeader,
  encodeBytesMap,
  encodeText,
  encodeTextMap,
  readBytesMap,
  readText,
} from '../channel/headers.js';
import { requireDirectDial } from '../traffic/direct-admission.js';
import type { BuiltCircuit, DialRequest } from '../traffic/dial-request.js';
import type { Dials } from '../traffic/dials.js';
import type { Flight } from '../traffic/flights.js';
import { requireSession } from '../traffic/session-admission.js';
import type { SessionAdmissionParts } from '../traffic/session-admission.js';

type CircuitParts = SessionAdmissionParts & { readonly dials: Dials };
type Admitted = (flight: Flight) => Promise<DialRequest['session']>;

/** CreateCircuitV2 (20218), answered by 20219 or an Error. */
export const createCircuit =
  (parts: CircuitParts): MessageHandler =>
  (frame, channel) => {
    // Read first: a request that cannot be read takes no place among dials.
    const shown = readTokens(frame);
    const admit: Admitted = (flight) => requireSession(shown, 'Dial', channel, flight, parts);
    dialBy(admit, ContentType.CreateCircuitV2Response, frame, channel, parts);
  };

/** CreateCircuitV3 (20222), answered by 20223 or an Error: clients have no second way to dial, so it always is. */
export const createDirectCircuit =
  (parts: CircuitParts): MessageHandler =>
  (frame, channel) => {
    const { headers } = frame;
    const asked = {
      accessToken: readTokens(frame).apiSessionToken,
      identityId: readText(headers, DirectDialHeader.IdentityId) ?? '',
      serviceId: readText(headers, DirectDialHeader.ServiceId) ?? '',
    };
    const admit: Admitted = (flight) => requireDirectDial(asked, channel, flight, parts);
    dialBy(admit, ContentType.CreateCircuitV3Response, frame, channel, parts);
  };

function dialBy(
  admit: Admitted,
  answerType: number,
  frame: Frame,
  channel: DialRequest['channel'],
  { dials }: CircuitParts,
): void {
  const request = readRequest(frame);
  dials.answer(frame, channel, async (flight) => {
    const dial = { ...request, channel, session: await admit(flight), flight };
    const built = await dials.build(dial);
    await dials.confirm(built, dial);
    return response(built, answerType);
  });
}

const readTokens = ({ headers }: Frame) => ({
  apiSessionToken: readText(headers, CircuitRequestHeader.ApiSessionToken) ?? '',
  sessionToken: readText(headers, CircuitRequestHeader.SessionToken) ?? '',
});

const readRequest = ({ headers }: Frame) => ({
  instanceId: readText(headers, CircuitRequestHeader.TerminatorInstanceId) ?? '',
  peerData: readBytesMap(headers, CircuitRequestHeader.PeerData),
});

function response({ circuit, peerData }: BuiltCircuit, answerType: number): Message {
  const headers: [number, Uint8Array][] = [
    [CircuitResponseHeader.CircuitId, encodeText(circuit.id)],
    [CircuitResponseHeader.Address, encodeText(circuit.ends.ingressId)],
    [CircuitResponseHeader.Tags, encodeTextMap(new Map(Object.entries(circuit.tags)))],
  ];
  if (peerData.size > 0) headers.push([CircuitResponseHeader.PeerData, encodeBytesMap(peerData)]);
  return message(answerType, '', headers);
}
