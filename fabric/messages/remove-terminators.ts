/** Hosts stop: a router removes terminators of its own, many (1038) or one in the older form (20211). */
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import { RemoveTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import { DomainError } from '../../domain/errors.js';
import type { MessageHandler, RouterChannel } from '../channel.js';
import { ContentType } from '../content-types.js';
import { asEdgeError, errorMessage } from '../edge-errors.js';
import { message, readBody } from '../frame.js';
import { Header, ResultHeader, encodeBoolean, encodeUint32 } from '../headers.js';
import type { FabricServices } from '../services.js';

/** The router tries again later. */
const BUSY = 1;

/** Unknown ids, and those of other routers, are passed over. */
async function removeAll(ids: readonly string[], channel: RouterChannel, services: FabricServices): Promise<void> {
  const { stores, traffic } = services;
  const { terminators, making } = traffic.gatesOf(channel);
  await Promise.allSettled(ids.flatMap((id) => making.get(id) ?? []));
  await terminators.run(async () => {
    traffic.validation.removed(channel, ids);
    await stores.hostedTerminators.remove(ids, channel.routerId);
  });
}

export const removeTerminators: MessageHandler = async (frame, channel, services) => {
  const { terminatorIds } = readBody(RemoveTerminatorsRequestSchema, frame);
  try {
    await removeAll(terminatorIds, channel, services);
    channel.reply(frame, message(ContentType.Result, '', [[Header.Success, encodeBoolean(true)]]));
  } catch (error) {
    if (!(error instanceof DomainError))
      services.noteFailure(error, { routerId: channel.routerId }, 'terminators could not be removed');
    const headers = [
      [Header.Success, encodeBoolean(false)],
      [ResultHeader.ErrorCode, encodeUint32(BUSY)],
    ] as const;
    channel.reply(frame, message(ContentType.Result, 'busy', headers));
  }
};

export const removeTerminator: MessageHandler = async (frame, channel, services) => {
  const { terminatorId } = readBody(RemoveTerminatorRequestSchema, frame);
  try {
    await removeAll([terminatorId], channel, services);
    channel.reply(frame, message(ContentType.RemoveEdgeTerminatorResponse));
  } catch (error) {
    services.noteFailure(error, { routerId: channel.routerId }, 'a terminator could not be removed');
    channel.reply(frame, errorMessage(asEdgeError(error)));
  }
};
