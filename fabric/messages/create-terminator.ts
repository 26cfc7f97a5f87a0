/** A client hosts a service: the router asks for a terminator, and again after every reconnect. */
import { create } from '@bufbuild/protobuf';
import type { HostedDraft, Hosting } from '../../db/hosted-terminators.js';
import type { ShownSession } from '../../db/shown-sessions.js';
import { SDK_BINDING } from '../../domain/fabric/terminator.js';
import {
  CreateTerminatorResult,
  CreateTerminatorV2RequestSchema,
  CreateTerminatorV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import type { CreateTerminatorV2Request } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel.js';
import { ContentType } from '../content-types.js';
import { EDGE_ERRORS, EdgeError, invalidSession, refusalOf, requireCost } from '../edge-errors.js';
import { readBody, typedMessage } from '../frame.js';
import type { Message } from '../frame.js';
import { precedenceOf } from '../precedences.js';
import type { FabricServices } from '../services.js';
import { requireSession } from '../shown-session.js';

const MAX_ID_CHARS = 128;
const MAX_INSTANCE_CHARS = 512;
const MAX_SECRET_BYTES = 4_096;
const MAX_PEER_DATA_BYTES = 65_536;

/** CreateTerminatorV2 (20216), answered by 20217: the router finds the terminator by its id there. */
export const createTerminator: MessageHandler = async (frame, channel, services) => {
  const request = readBody(CreateTerminatorV2RequestSchema, frame);
  const { terminators, making } = services.traffic.gatesOf(channel);
  const made = terminators.run(() => host(request, channel, services));
  making.set(request.address, made);
  try {
    await made;
    channel.reply(frame, answer(request.address));
  } catch (error) {
    channel.reply(frame, refusal(error, request.address, channel, services));
  } finally {
    if (making.get(request.address) === made) making.delete(request.address);
  }
};

async function host(
  request: CreateTerminatorV2Request,
  channel: RouterChannel,
  services: FabricServices,
): Promise<void> {
  requireForm(request);
  const session = await requireSession(request, 'Bind', channel, services);
  const draft = draftOf(request, session, channel.routerId);
  const { stores, traffic } = services;
  if (await stores.hostedTerminators.isHosted(draft)) {
    traffic.validation.removed(channel, [draft.id]);
    return;
  }
  requireHosted(await stores.transaction((tx) => tx.hostedTerminators.host(draft)), draft);
  traffic.validation.created(channel, { id: draft.id, binding: SDK_BINDING, address: draft.id });
}

function requireForm({ address, instanceId, instanceSecret, cost, peerData }: CreateTerminatorV2Request): void {
  if (address === '' || address.length > MAX_ID_CHARS) throw new EdgeError('invalidTerminator', 'invalid address');
  requireCost(cost);
  if (instanceId.length > MAX_INSTANCE_CHARS || instanceSecret.length > MAX_SECRET_BYTES)
    throw new EdgeError('invalidInstanceId', 'the instance id or its secret is too long');
  const bytes = Object.values(peerData).reduce((sum, value) => sum + value.length, 0);
  if (bytes > MAX_PEER_DATA_BYTES) throw new EdgeError('invalidTerminator', 'too much peer data');
}

/** A host that names neither cost nor precedence has those of its identity for the service. */
function draftOf(request: CreateTerminatorV2Request, session: ShownSession, routerId: string): HostedDraft {
  const precedence = precedenceOf(request.precedence);
  return {
    id: request.address,
    routerId,
    sessionId: session.id,
    instanceId: request.instanceId,
    instanceSecret: request.instanceSecret.length === 0 ? null : Buffer.from(request.instanceSecret),
    peerData: new Map(Object.entries(request.peerData).map(([key, value]) => [Number(key), value])),
    cost: request.cost === 0 ? session.hostingCost : request.cost,
    precedence: precedence === 'default' ? session.hostingPrecedence : precedence,
  };
}

function requireHosted(hosting: Hosting, { instanceId }: HostedDraft): void {
  switch (hosting) {
    case 'created':
    case 'kept':
      return;
    case 'noSession':
      throw invalidSession();
    case 'idTaken':
      throw new EdgeError('invalidTerminator', 'another terminator has this id');
    case 'instanceTaken':
      throw new EdgeError('invalidInstanceId', `another identity hosts the service as instance ${instanceId}`);
  }
}

const answer = (terminatorId: string, failure: Partial<Failure> = {}): Message =>
  typedMessage(
    ContentType.CreateTerminatorV2Response,
    CreateTerminatorV2ResponseSchema,
    create(CreateTerminatorV2ResponseSchema, { terminatorId, ...failure }),
  );

interface Failure {
  readonly result: CreateTerminatorResult;
  readonly msg: string;
  readonly errorCode: number;
  readonly retryHint: number;
}

function refusal(error: unknown, terminatorId: string, channel: RouterChannel, services: FabricServices): Message {
  const { kind, message: msg } = refusalOf(error, 'a terminator could not be made', channel, services);
  const { code: errorCode, retryHint } = EDGE_ERRORS[kind];
  const { FAILED_BUSY, FAILED_OTHER } = CreateTerminatorResult;
  return answer(terminatorId, { result: kind === 'busy' ? FAILED_BUSY : FAILED_OTHER, msg, errorCode, retryHint });
}
