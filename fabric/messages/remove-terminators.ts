/** Hosts stop: a router removes terminators of its own, many (1038) or one in the older form (20211). */
import { couldBeStored } from '../../domain/ids.js';
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import { RemoveTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel.js';
import { ContentType } from '../content-types.js';
import { errorMessage, refusalOf } from '../edge-errors.js';
import { forReply, message, readBody } from '../frame.js';
import { BUSY, result } from '../results.js';
import type { FabricServices } from '../services.js';
import { MAX_ID_CHARS } from '../terminator-requests.js';

/** Unknown ids, and those of other routers, are passed over. @throws DomainError `tooManyRequests` */
export async function removeAll(
  named: readonly string[],
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  const { traffic } = services;
  const { removals, making } = traffic.gatesOf(channel);
  const ids = named.filter((id) => id.length <= MAX_ID_CHARS && couldBeStored(id));
  traffic.flights.hostsStopped(ids);
  await Promise.allSettled(ids.flatMap((id) => making.get(id) ?? []));
  traffic.validation.removed(channel, ids);
  await removals.take(ids);
}

/** Not waited for: other messages of the router go on meanwhile. */
export const removeTerminators: MessageHandler = (frame, channel, services) => {
  const { terminatorIds } = readBody(RemoveTerminatorsRequestSchema, frame);
  const asked = forReply(frame);
  void removeAll(terminatorIds, channel, services)
    .then(() => result(true, ''))
    .catch((error: unknown) => {
      refusalOf(error, 'terminators could not be removed', channel, services);
      return result(false, 'busy', BUSY);
    })
    .then((answer) => {
      channel.reply(asked, answer);
    });
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
