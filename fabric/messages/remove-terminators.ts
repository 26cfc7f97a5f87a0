/** Hosts stop: a router removes terminators of its own, many (1038) or one in the older form (20211). */
import { couldBeStored } from '../../domain/ids.js';
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import { RemoveTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel.js';
import { ContentType } from '../content-types.js';
import { errorMessage, refusalOf } from '../edge-errors.js';
import { message, readBody } from '../frame.js';
import { MalformedError } from '../malformed.js';
import { eachPiece } from '../pieces.js';
import { BUSY, result } from '../results.js';
import type { FabricServices } from '../services.js';

/** As many as an id that a terminator is made with may have. */
const MAX_ID_CHARS = 128;

/** Unknown ids, and those of other routers, are passed over. */
export async function removeAll(
  named: readonly string[],
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  const { stores, traffic } = services;
  const { terminators, making } = traffic.gatesOf(channel);
  const ids = named.filter((id) => id.length <= MAX_ID_CHARS && couldBeStored(id));
  traffic.flights.hostsStopped(ids);
  await Promise.allSettled(ids.flatMap((id) => making.get(id) ?? []));
  await terminators.run(async () => {
    traffic.validation.removed(channel, ids);
    await stores.hostedTerminators.remove(ids, channel.routerId);
    traffic.memory.forgetTargets(undefined);
  });
}

export const removeTerminators: MessageHandler = async (frame, channel, services) => {
  try {
    await eachPiece(RemoveTerminatorsRequestSchema, frame, channel, ({ terminatorIds }) =>
      removeAll(terminatorIds, channel, services),
    );
    channel.reply(frame, result(true, ''));
  } catch (error) {
    if (error instanceof MalformedError || channel.isClosed) throw error;
    refusalOf(error, 'terminators could not be removed', channel, services);
    channel.reply(frame, result(false, 'busy', BUSY));
  }
};

export const removeTerminator: MessageHandler = async (frame, channel, services) => {
  const { terminatorId } = readBody(RemoveTerminatorRequestSchema, frame);
  try {
    await removeAll([terminatorId], channel, services);
    channel.reply(frame, message(ContentType.RemoveEdgeTerminatorResponse));
  } catch (error) {
    channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be removed', channel, services)));
  }
};
