/** What a router does to a terminator that it hosts itself: cost and precedence (20408), and its end (20410). */
import { couldBeStored } from '../../domain/ids.js';
import { UpdateTunnelTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { UpdateTunnelTerminatorRequest } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { errorMessage, invalidTerminator, refusalOf, requireCost } from '../channel/edge-errors.js';
import { message, readBody, textOf } from '../channel/frame.js';
import { precedenceOf } from '../traffic/precedences.js';
import type { FabricServices } from '../services.js';
import { removeAll } from './remove-terminators.js';

/** Answered by 20409 or an Error. */
export const updateTunnelTerminator: MessageHandler = async (frame, channel, services) => {
  const request = readBody(UpdateTunnelTerminatorRequestSchema, frame);
  try {
    await services.traffic.gatesOf(channel).terminators.run(() => change(request, channel, services));
    channel.reply(frame, message(ContentType.UpdateTunnelTerminatorResponse));
  } catch (error) {
    channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be changed', channel, services)));
  }
};

async function change(
  { terminatorId: id, updateCost, cost, updatePrecedence, precedence }: UpdateTunnelTerminatorRequest,
  { routerId }: RouterChannel,
  { stores }: FabricServices,
): Promise<void> {
  if (updateCost) requireCost(cost);
  if (!couldBeStored(id)) throw invalidTerminator();
  const isChanged = await stores.hostedTerminators.change(
    { id, routerId, identityId: routerId },
    { ...(updateCost ? { cost } : {}), ...(updatePrecedence ? { precedence: precedenceOf(precedence) } : {}) },
  );
  if (!isChanged) throw invalidTerminator();
}

/** Answered by 20411 or an Error; routers of release 2.0 say it by 1038. The body is the id. */
export const removeTunnelTerminator: MessageHandler = async (frame, channel, services) => {
  try {
    await removeAll([textOf(frame)], channel, services);
    channel.reply(frame, message(ContentType.RemoveTunnelTerminatorResponse));
  } catch (error) {
    channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be removed', channel, services)));
  }
};
