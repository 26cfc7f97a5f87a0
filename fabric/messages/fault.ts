/** A Fault (1004): a circuit has ended at one of its ends, or a router cannot forward what belongs to one. */
import { couldBeId } from '../../domain/ids.js';
import { FaultSchema, FaultSubject } from '../../generated/fabric/control_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { unrouteMessage } from '../traffic/circuits.js';
import type { Circuit } from '../traffic/circuits.js';
import { readBody } from '../channel/frame.js';
import { eachSlice } from '../channel/pieces.js';
import type { FabricLog } from '../channel/router-log.js';
import { reroute } from '../traffic/reroute.js';
import type { RerouteParts } from '../traffic/reroute.js';
import type { LimitsByRouter } from '../traffic/router-limits.js';

interface FaultParts extends RerouteParts {
  readonly limits: Pick<LimitsByRouter, 'of'>;
  readonly log: FabricLog;
}

/** Ids are names of ours, of at most 24 characters. */
const MOST_IDS = 10_000;
/** Ids in one slice: each may be answered. */
const BATCH = 500;

/**
 * Leads a circuit over another path, once at a time, since every router of it may report the fault. When too many wait,
 * nothing is done: routers report again in 15 s.
 */
function rerouteWithinLimit(circuit: Circuit, channel: RouterChannel, parts: FaultParts): void {
  const { circuits, limits, log } = parts;
  if (!circuits.beginMove(circuit.id)) return;
  limits
    .of(channel)
    .circuits.run(() => reroute(circuit, parts))
    .catch((error: unknown) => {
      log.debug({ err: error, routerId: channel.routerId }, 'a circuit was not led over another path');
    })
    .finally(() => {
      circuits.moved(circuit.id);
    });
}

export const fault =
  (parts: FaultParts): MessageHandler =>
  async (frame, channel) => {
    const { subject, id } = readBody(FaultSchema, frame);
    const { circuits } = parts;
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
            if (circuit !== undefined) rerouteWithinLimit(circuit, channel, parts);
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
