/** A client hosts a service: the router asks for a terminator, and again after every reconnect. */
import { create } from '@bufbuild/protobuf';
import type { HostedDraft } from '../../db/stores/terminator-hosting.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import { SDK_BINDING } from '../../domain/fabric/terminator.js';
import { CreateTerminatorV2RequestSchema, CreateTerminatorV2ResponseSchema } from '../../generated/fabric/edge_pb.js';
import type { CreateTerminatorV2Request } from '../../generated/fabric/edge_pb.js';
import type { Stores } from '../../db/stores/stores.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { invalidSession } from '../channel/edge-errors.js';
import { forReply, readBody, typedMessage } from '../channel/frame.js';
import type { DialMemory } from '../traffic/dial-memory.js';
import type { Flights } from '../traffic/flights.js';
import { requireSession } from '../traffic/session-admission.js';
import type { SessionAdmissionParts } from '../traffic/session-admission.js';
import type { SessionWatch } from '../traffic/session-watch.js';
import {
  draftFrom,
  makeWithinLimit,
  requireAddress,
  requireBounds,
  requireHosted,
} from '../traffic/terminator-requests.js';
import type { MakingParts } from '../traffic/terminator-requests.js';
import type { TerminatorValidation } from '../traffic/terminator-validation.js';

interface BindParts extends SessionAdmissionParts, MakingParts {
  readonly stores: Pick<Stores, 'shownSessions' | 'hostedTerminators' | 'transaction'>;
  readonly flights: Pick<Flights, 'run'>;
  readonly sessions: Pick<SessionWatch, 'use' | 'lostOf'>;
  readonly memory: Pick<DialMemory, 'session' | 'forgetTargets'>;
  readonly validation: Pick<TerminatorValidation, 'created' | 'removed'>;
}

/** CreateTerminatorV2 (20216), answered by 20217: the router finds the terminator by its id there. */
export const createTerminator =
  (parts: BindParts): MessageHandler =>
  (frame, channel) => {
    const request = readBody(CreateTerminatorV2RequestSchema, frame);
    const { address: terminatorId } = request;
    const asked = forReply(frame);
    const make = () => host(request, channel, parts);
    makeWithinLimit({ address: terminatorId, bytes: frame.body.length, make }, channel, parts, (refusal) => {
      const body = create(CreateTerminatorV2ResponseSchema, { terminatorId, ...refusal });
      const kind = ContentType.CreateTerminatorV2Response;
      channel.reply(asked, typedMessage(kind, CreateTerminatorV2ResponseSchema, body));
    });
  };

async function host(request: CreateTerminatorV2Request, channel: RouterChannel, parts: BindParts): Promise<void> {
  requireAddress(request);
  requireBounds(request);
  await parts.flights.run(async (flight) => {
    const session = await requireSession(request, 'Bind', channel, flight, parts);
    await hostOf(session, request, channel, parts);
    // It was taken away while it was made: the terminator is gone by now.
    const use = { sessionId: session.id, routerId: channel.routerId };
    if (flight.isInDoubt && (await parts.sessions.lostOf([use])).length > 0) throw invalidSession();
  });
}

async function hostOf(
  session: ShownSession,
  request: CreateTerminatorV2Request,
  channel: RouterChannel,
  parts: BindParts,
): Promise<void> {
  const draft = draftOf(request, session, channel.routerId);
  const { stores, memory, validation } = parts;
  if (await stores.hostedTerminators.isHosted(draft)) {
    validation.removed(channel, [draft.id]);
    return;
  }
  requireHosted(await stores.transaction((tx) => tx.hostedTerminators.host(draft)), draft);
  memory.forgetTargets([session.serviceId]);
  validation.created(channel, { id: draft.id, binding: SDK_BINDING, address: draft.id });
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
