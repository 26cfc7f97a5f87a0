/** A Fault (1004): an end of a circuit is gone, a router cannot forward what belongs to one, or a link is lost. */
import { couldBeId } from '../../domain/ids.js';
import { FaultSchema, FaultSubject } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import type { KnownLinks } from '../links/links.js';
import { unrouteMessage } from '../traffic/circuits.js';
import type { Circuits } from '../traffic/circuits.js';
import { readBody } from '../channel/frame.js';
import { eachSlice } from '../channel/pieces.js';
import type { OtherCircuits } from '../traffic/other-circuits.js';
import type { Moves } from '../traffic/moves.js';
import type { LimitsByRouter } from '../traffic/router-limits.js';

interface FaultParts {
  readonly circuits: Pick<Circuits, 'get' | 'end' | 'hasEnded'>;
  readonly others: Pick<OtherCircuits, 'tell'>;
  readonly limits: Pick<LimitsByRouter, 'of'>;
  readonly links: Pick<KnownLinks, 'lost'>;
  readonly moves: Pick<Moves, 'move'>;
}

/** Ids are names of ours, of at most 24 characters. */
const MOST_IDS = 10_000;
/** Ids in one slice: each may be answered. */
const BATCH = 500;

export const fault =
  ({ circuits, others, limits, links, moves }: FaultParts): MessageHandler =>
  async (frame, channel) => {
    const { subject, id, iteration } = readBody(FaultSchema, frame);
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
        else if (couldBeId(id) && !circuits.hasEnded(id)) await others.tell(channel.routerId, [id], 'ended');
        return;
      }
      case FaultSubject.FORWARD:
      case FaultSubject.UNKNOWN_OWNER_FORWARD: {
        const ids = id.split(' ', MOST_IDS).filter(couldBeId);
        await eachSlice(ids, BATCH, channel, async (batch) => {
          const unknown: string[] = [];
          for (const circuitId of batch) {
            const circuit = own(circuitId);
            if (circuit !== undefined) moves.move(circuit, { within: (task) => limits.of(channel).circuits.run(task) });
            else unknown.push(circuitId);
          }
          const ofNobody = await others.tell(channel.routerId, unknown, 'fault');
          if (subject === FaultSubject.FORWARD) for (const each of ofNobody) channel.send(unrouteMessage(each, true));
          return channel.drained();
        });
        return;
      }
      case FaultSubject.LINK:
      case FaultSubject.LINK_DUPLICATE:
        links.lost(channel.routerId, id, iteration);
    }
  };
