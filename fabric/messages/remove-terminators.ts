/** Hosts stop: a router removes terminators of its own, many (1038) or one in the older form (20211). */
import { couldBeStored } from '../../domain/ids.js';
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import { RemoveTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import { AT_ONCE_BYTES } from '../channel/channel.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { errorMessage, refusalOf } from '../channel/edge-errors.js';
import { forReply, message, readBody } from '../channel/frame.js';
import { MalformedError } from '../channel/malformed.js';
import { eachPiece } from '../channel/pieces.js';
import { BUSY, result } from '../channel/results.js';
import type { FabricServices } from '../services.js';
import { MAX_ID_CHARS } from '../traffic/terminator-requests.js';

/** Unknown ids, and those of other routers, are passed over. @throws DomainError `tooManyRequests` */
export async function removeAll(
  named: readonly string[],
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  const { traffic } = services;
  const { removals, making } = traffic.gatesOf(channel);
  const ids = named.filter((id) => id.length <= MAX_ID_CHARS && couldBeStored(id));
  traffic.flights.hostsStopped(channel.routerId, ids);
  await Promise.allSettled(ids.flatMap((id) => making.get(id) ?? []));
  traffic.validation.removed(channel, ids);
  await removals.take(ids);
}

/** A short one is not waited for: other messages of the router go on meanwhile. */
export const removeTerminators: MessageHandler = async (frame, channel, services) => {
  const asked = forReply(frame);
  const refuse = (error: unknown) => {
    refusalOf(error, 'terminators could not be removed', channel, services);
    channel.reply(asked, result(false, 'busy', BUSY));
  };
  const succeed = () => {
    channel.reply(asked, result(true, ''));
  };
  if (frame.body.length <= AT_ONCE_BYTES) {
    const { terminatorIds } = readBody(RemoveTerminatorsRequestSchema, frame);
    void removeAll(terminatorIds, channel, services).then(succeed, refuse);
    return;
  }
  try {
    await eachPiece(RemoveTerminatorsRequestSchema, frame, channel, ({ terminatorIds }) =>
      removeAll(terminatorIds, channel, services),
    );
    succeed();
  } catch (error) {
    if (error instanceof MalformedError || channel.isClosed) throw error;
    refuse(error);
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
