/** CircuitConfirmation (1034): a router asks about circuits that have been idle for a minute or more. */
import { CircuitConfirmationSchema } from '../../generated/fabric/control_pb.js';
import { couldBeId } from '../../domain/ids.js';
import type { MessageHandler } from '../channel/channel.js';
import { unrouteMessage } from '../traffic/circuits.js';
import type { Circuits } from '../traffic/circuits.js';
import type { OtherCircuits } from '../traffic/other-circuits.js';
import { eachPiece, eachSlice } from '../channel/pieces.js';

const NS_PER_MS = 1_000_000n;
/** Ids in one slice: each may be answered. */
const BATCH = 500;

interface ConfirmationParts {
  readonly circuits: Pick<Circuits, 'get' | 'end'>;
  readonly others: Pick<OtherCircuits, 'tell'>;
}

export const circuitConfirmation =
  ({ circuits, others }: ConfirmationParts): MessageHandler =>
  async (frame, channel) => {
    const { routerId } = channel;
    const ids: string[] = [];
    const idle = new Map<string, bigint>();
    await eachPiece(CircuitConfirmationSchema, frame, channel, ({ circuitIds, idleTimes }) => {
      for (const id of circuitIds) if (couldBeId(id)) ids.push(id);
      for (const id in idleTimes) idle.set(id, idleTimes[id] ?? 0n);
    });
    /** @returns false when it is not known */
    const confirm = (id: string): boolean => {
      const circuit = circuits.get(id);
      if (circuit?.path.routerIds.includes(routerId) !== true) return false;
      const idleMs = Number((idle.get(id) ?? 0n) / NS_PER_MS);
      const { path, maxIdleMs } = circuit;
      const isEndpoint = path.routerIds[0] === routerId || path.routerIds.at(-1) === routerId;
      if (isEndpoint && maxIdleMs > 0 && idleMs > maxIdleMs) circuits.end(circuit, true);
      return true;
    };
    await eachSlice(ids, BATCH, channel, async (batch) => {
      const unknown = batch.filter((id) => !confirm(id));
      for (const id of await others.tell(routerId, unknown, 'asks')) channel.send(unrouteMessage(id, true));
      return channel.drained();
    });
  };
