/** UpdateTerminator (20209): a host changes cost or precedence. Answered by 20210 or an Error. */
import type { Stores } from '../../db/stores/stores.js';
import { couldBeStored } from '../../domain/ids.js';
import { UpdateTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { UpdateTerminatorRequest } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { errorMessage, invalidTerminator, refusalOf, requireCost } from '../channel/edge-errors.js';
import { message, readBody } from '../channel/frame.js';
import { precedenceOf } from '../traffic/precedences.js';
import type { FailureLog } from '../channel/router-log.js';
import type { DialMemory } from '../traffic/dial-memory.js';
import type { Flights } from '../traffic/flights.js';
import type { LimitsByRouter } from '../traffic/router-limits.js';
import { requireSession } from '../traffic/session-admission.js';
import type { SessionAdmissionParts } from '../traffic/session-admission.js';

interface UpdateParts extends SessionAdmissionParts, FailureLog {
  readonly limits: Pick<LimitsByRouter, 'of'>;
  readonly flights: Pick<Flights, 'run'>;
  readonly stores: Pick<Stores, 'shownSessions' | 'hostedTerminators'>;
  readonly memory: Pick<DialMemory, 'session' | 'forgetTargets'>;
}

export const updateTerminator =
  (parts: UpdateParts): MessageHandler =>
  async (frame, channel) => {
    const request = readBody(UpdateTerminatorRequestSchema, frame);
    try {
      await parts.limits.of(channel).terminators.run(() => change(request, channel, parts));
      channel.reply(frame, message(ContentType.UpdateEdgeTerminatorResponse));
    } catch (error) {
      channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be changed', channel, parts)));
    }
  };

async function change(request: UpdateTerminatorRequest, channel: RouterChannel, parts: UpdateParts) {
  if (request.updateCost) requireCost(request.cost);
  const session = await parts.flights.run((flight) => requireSession(request, 'Bind', channel, flight, parts));
  if (!couldBeStored(request.terminatorId)) throw invalidTerminator();
  const isChanged = await parts.stores.hostedTerminators.change(
    { id: request.terminatorId, routerId: channel.routerId, identityId: session.identityId },
    {
      ...(request.updateCost ? { cost: request.cost } : {}),
      ...(request.updatePrecedence ? { precedence: precedenceOf(request.precedence) } : {}),
    },
  );
  parts.memory.forgetTargets([session.serviceId]);
  if (!isChanged) throw invalidTerminator();
}
