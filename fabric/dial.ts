/** What all dials have in common: the circuit is built, stands while access does, and is refused in one way. */
import type { RouterChannel } from './channel.js';
import { buildCircuit } from './circuit-builder.js';
import type { BuiltCircuit, DialRequest } from './circuit-builder.js';
import type { Circuit } from './circuits.js';
import { EdgeError, errorMessage, invalidSession, refusalOf } from './edge-errors.js';
import { forReply } from './frame.js';
import type { Frame, Message } from './frame.js';
import { PeerData } from './headers.js';
import { givenToHost } from './peer-data.js';
import type { FabricServices } from './services.js';

/**
 * @param lost  why the circuit may not stand: it is asked when what ends circuits knows it already
 * @throws EdgeError
 */
export async function connect(
  request: DialRequest,
  lost: (circuit: Circuit) => Promise<EdgeError | undefined>,
  services: FabricServices,
): Promise<BuiltCircuit> {
  const { session, channel } = request;
  const { circuits, sessions } = services.traffic;
  if (session.encryptionRequired && !request.peerData.has(PeerData.PublicKey))
    throw withoutKey('initiator did not send public header');
  const peerData = givenToHost(request.peerData, session);
  const built = await buildCircuit({ ...request, peerData }, services);
  const { circuit } = built;
  circuits.add(circuit);
  try {
    if (session.encryptionRequired && !built.peerData.has(PeerData.PublicKey))
      throw withoutKey('terminator did not send public header', circuit.id);
    const isOver = [circuit.sessionId, circuit.hostSessionId].some((id) => id !== null && sessions.hasEnded(id));
    if (isOver || channel.isClosed) throw invalidSession();
    const reason = await lost(circuit);
    if (reason !== undefined) throw reason;
    return built;
  } catch (error) {
    circuits.end(circuit, true);
    throw error;
  }
}

const withoutKey = (whose: string, circuitId?: string) =>
  new EdgeError('encryptionDataMissing', `encryption required on service, ${whose}`, circuitId);

/**
 * Dials in the turn of the router, and answers. It is not waited for: a dial may hang for as long as a router does, and
 * other messages of this one must not hang with it.
 */
export function dialInTurn(
  frame: Frame,
  channel: RouterChannel,
  services: FabricServices,
  dial: () => Promise<Message>,
): void {
  const asked = forReply(frame);
  void services.traffic
    .gatesOf(channel)
    .circuits.run(dial)
    .then((answer) => {
      services.traffic.circuits.dials.made += 1;
      return answer;
    })
    .catch((error: unknown) => {
      services.traffic.circuits.dials.failed += 1;
      return errorMessage(refusalOf(error, 'a circuit could not be made', channel, services));
    })
    .then((answer) => {
      channel.reply(asked, answer);
    });
}
