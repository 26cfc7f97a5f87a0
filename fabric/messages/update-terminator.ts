/** UpdateTerminator (20209): a host changes cost or precedence. Answered by 20210 or an Error. */
import { couldBeStored } from '../../domain/ids.js';
import { UpdateTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { UpdateTerminatorRequest } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { errorMessage, invalidTerminator, refusalOf, requireCost } from '../channel/edge-errors.js';
import { message, readBody } from '../channel/frame.js';
import { precedenceOf } from '../traffic/precedences.js';
import type { FabricServices } from '../services.js';
import { requireSession } from '../traffic/shown-session.js';

export const updateTerminator: MessageHandler = async (frame, channel, services) => {
  const request = readBody(UpdateTerminatorRequestSchema, frame);
  try {
    await services.traffic.gatesOf(channel).terminators.run(() => change(request, channel, services));
    channel.reply(frame, message(ContentType.UpdateEdgeTerminatorResponse));
  } catch (error) {
    channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be changed', channel, services)));
  }
};

async function change(request: UpdateTerminatorRequest, channel: RouterChannel, services: FabricServices) {
  if (request.updateCost) requireCost(request.cost);
  const session = await services.traffic.flights.run((flight) =>
    requireSession(request, 'Bind', channel, services, flight),
  );
  if (!couldBeStored(request.terminatorId)) throw invalidTerminator();
  const isChanged = await services.stores.hostedTerminators.change(
    { id: request.terminatorId, routerId: channel.routerId, identityId: session.identityId },
    {
      ...(request.updateCost ? { cost: request.cost } : {}),
      ...(request.updatePrecedence ? { precedence: precedenceOf(request.precedence) } : {}),
    },
  );
  services.traffic.memory.forgetTargets([session.serviceId]);
  if (!isChanged) throw invalidTerminator();
}
