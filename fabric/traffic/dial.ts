/** What all dials have in common: the circuit is built, stands while access does, and is refused in one way. */
import type { RouterChannel } from '../channel/channel.js';
import { buildCircuit } from './circuit-builder.js';
import type { BuiltCircuit, DialRequest } from './circuit-builder.js';
import { EdgeError, errorMessage, refusalOf } from '../channel/edge-errors.js';
import { forReply } from '../channel/frame.js';
import type { Frame, Message } from '../channel/frame.js';
import { PeerData } from '../channel/headers.js';
import { givenToHost } from './peer-data.js';
import type { FabricServices } from '../services.js';
import { requireStanding } from './standing.js';

/** A circuit that stands, and that all that allowed it still allows. @throws EdgeError */
export async function connect(request: DialRequest, services: FabricServices): Promise<BuiltCircuit> {
  const { session } = request;
  const { circuits } = services.traffic;
  if (session.encryptionRequired && !request.peerData.has(PeerData.PublicKey))
    throw withoutKey('initiator did not send public header');
  const peerData = givenToHost(request.peerData, session);
  const built = await buildCircuit({ ...request, peerData }, services);
  const { circuit } = built;
  circuits.add(circuit);
  try {
    if (session.encryptionRequired && !built.peerData.has(PeerData.PublicKey))
      throw withoutKey('terminator did not send public header', circuit.id);
    await requireStanding(circuit, request, services);
    return built;
  } catch (error) {
    const standing = circuits.get(circuit.id);
    if (standing !== undefined) circuits.end(standing, true);
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
