/** A client hosts a service: the router asks for a terminator, and again after every reconnect. */
import { create } from '@bufbuild/protobuf';
import type { HostedDraft } from '../../db/stores/hosted-terminators.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import { SDK_BINDING } from '../../domain/fabric/terminator.js';
import { CreateTerminatorV2RequestSchema, CreateTerminatorV2ResponseSchema } from '../../generated/fabric/edge_pb.js';
import type { CreateTerminatorV2Request } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { invalidSession } from '../channel/edge-errors.js';
import { forReply, readBody, typedMessage } from '../channel/frame.js';
import type { FabricServices } from '../services.js';
import { requireSession } from '../traffic/shown-session.js';
import { draftFrom, makeInTurn, requireAddress, requireBounds, requireHosted } from '../traffic/terminator-requests.js';

/** CreateTerminatorV2 (20216), answered by 20217: the router finds the terminator by its id there. */
export const createTerminator: MessageHandler = (frame, channel, services) => {
  const request = readBody(CreateTerminatorV2RequestSchema, frame);
  const { address: terminatorId } = request;
  const asked = forReply(frame);
  const make = () => host(request, channel, services);
  makeInTurn({ address: terminatorId, bytes: frame.body.length, make }, channel, services, (refusal) => {
    const body = create(CreateTerminatorV2ResponseSchema, { terminatorId, ...refusal });
    channel.reply(asked, typedMessage(ContentType.CreateTerminatorV2Response, CreateTerminatorV2ResponseSchema, body));
  });
};

async function host(
  request: CreateTerminatorV2Request,
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  requireAddress(request);
  requireBounds(request);
  await services.traffic.flights.run(async (flight) => {
    const session = await requireSession(request, 'Bind', channel, services, flight);
    await hostOf(session, request, channel, services);
    // It was taken away while it was made: the terminator is gone by now.
    const use = { sessionId: session.id, routerId: channel.routerId };
    if (flight.isInDoubt && (await services.traffic.sessions.lostOf([use])).length > 0) throw invalidSession();
  });
}

async function hostOf(
  session: ShownSession,
  request: CreateTerminatorV2Request,
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  const draft = draftOf(request, session, channel.routerId);
  const { stores, traffic } = services;
  if (await stores.hostedTerminators.isHosted(draft)) {
    traffic.validation.removed(channel, [draft.id]);
    return;
  }
  requireHosted(await stores.transaction((tx) => tx.hostedTerminators.host(draft)), draft);
  traffic.memory.forgetTargets([session.serviceId]);
  traffic.validation.created(channel, { id: draft.id, binding: SDK_BINDING, address: draft.id });
}

/** A host that names neither cost nor precedence has those of its identity for the service. */
function draftOf(request: CreateTerminatorV2Request, session: ShownSession, routerId: string): HostedDraft {
  const draft = draftFrom(request, routerId);
  return {
    ...draft,
    sessionId: session.id,
    cost: draft.cost === 0 ? session.hostingCost : draft.cost,
    precedence: draft.precedence === 'default' ? session.hostingPrecedence : draft.precedence,
  };
}
