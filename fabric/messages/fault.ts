/** A Fault (1004): a circuit has ended at one of its ends, or a router cannot forward what belongs to one. */
import { couldBeId } from '../../domain/ids.js';
import { FaultSchema, FaultSubject } from '../../generated/fabric/control_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { unrouteMessage } from '../traffic/circuits.js';
import type { Circuit } from '../traffic/circuits.js';
import { readBody } from '../channel/frame.js';
import { eachSlice } from '../channel/pieces.js';
import { reroute } from '../traffic/reroute.js';
import type { FabricServices } from '../services.js';

/** Ids are names of ours, of at most 24 characters. */
const MOST_IDS = 10_000;
/** Each may be answered. */
const BATCH = 500;

/** Once at a time for each circuit, of which every router may say so. When too many wait, it is said again in 15 s. */
function rerouteInTurn(circuit: Circuit, channel: RouterChannel, services: FabricServices): void {
  const { circuits } = services.traffic;
  if (!circuits.beginMove(circuit.id)) return;
  services.traffic
    .gatesOf(channel)
    .circuits.run(() => reroute(circuit, services))
    .catch((error: unknown) => {
      services.log.debug({ err: error, routerId: channel.routerId }, 'a circuit was not led over another path');
    })
    .finally(() => {
      circuits.moved(circuit.id);
    });
}

export const fault: MessageHandler = async (frame, channel, services) => {
  const { subject, id } = readBody(FaultSchema, frame);
  const { circuits } = services.traffic;
  const own = (circuitId: string) => {
    const circuit = circuits.get(circuitId);
    return circuit?.path.routerIds.includes(channel.routerId) === true ? circuit : undefined;
  };
  switch (subject) {
    case FaultSubject.INGRESS:
    case FaultSubject.EGRESS: {
      const circuit = own(id);
      // The fault of the other end follows soon, and finds nothing.
      if (circuit !== undefined) circuits.end(circuit, false);
      return;
    }
    case FaultSubject.FORWARD:
    case FaultSubject.UNKNOWN_OWNER_FORWARD: {
      const ids = id.split(' ', MOST_IDS).filter(couldBeId);
      await eachSlice(ids, BATCH, channel, (batch) => {
        for (const circuitId of batch) {
          const circuit = own(circuitId);
          if (circuit !== undefined) rerouteInTurn(circuit, channel, services);
          else if (subject === FaultSubject.FORWARD) channel.send(unrouteMessage(circuitId, true));
        }
        return channel.drained();
      });
      return;
    }
    case FaultSubject.LINK:
    case FaultSubject.LINK_DUPLICATE:
      return;
  }
};
