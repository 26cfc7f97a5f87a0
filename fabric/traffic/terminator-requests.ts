/** The steps that all requests for terminators have in common: bounds, limits, and how they are refused. */
import type { HostedDraft, HostingResult } from '../../db/stores/terminator-hosting.js';
import { couldBeStored } from '../../domain/ids.js';
import { CreateTerminatorResult } from '../../generated/fabric/edge_pb.js';
import type { RouterChannel } from '../channel/channel.js';
import {
  EDGE_ERRORS,
  EdgeError,
  invalidService,
  invalidSession,
  refusalOf,
  requireCost,
} from '../channel/edge-errors.js';
import { MOST_PEER_DATA } from './peer-data.js';
import { precedenceOf } from './precedences.js';
import type { FailureLog } from '../channel/router-log.js';
import type { LimitsByRouter } from './router-limits.js';

export const MAX_ID_CHARS = 128;
const MAX_INSTANCE_CHARS = 512;
const MAX_SECRET_BYTES = 4_096;
/**
 * Keys of hosts have 32 to 1,600 bytes. A dial reads the peer data of a hundred terminators, and of a thousand at most:
 * without a bound on their number, thousands of empty ones would take no bytes and much time.
 */
const MAX_PEER_DATA_BYTES = 4_096;

/** Bytes of the requests of one router that are not answered yet. */
const MAX_MAKING_BYTES = 16 << 20;

export interface TerminatorRequest {
  readonly address: string;
  readonly instanceId: string;
  readonly instanceSecret: Uint8Array;
  readonly cost: number;
  readonly precedence: number;
  readonly peerData: Readonly<Record<number, Uint8Array>>;
}

/** @throws EdgeError */
export function requireAddress({ address }: Pick<TerminatorRequest, 'address'>): void {
  if (address === '' || address.length > MAX_ID_CHARS || !couldBeStored(address))
    throw new EdgeError('invalidTerminator', 'invalid address');
}

/** Checks all but the address. @throws EdgeError */
export function requireBounds({ cost, instanceId, instanceSecret, peerData }: TerminatorRequest): void {
  requireCost(cost);
  if (instanceId.length > MAX_INSTANCE_CHARS || instanceSecret.length > MAX_SECRET_BYTES)
    throw new EdgeError('invalidInstanceId', 'the instance id or its secret is too long');
  if (!couldBeStored(instanceId)) throw new EdgeError('invalidInstanceId', 'the instance id has a NUL character');
  const values = Object.values(peerData);
  const bytes = values.reduce((sum, value) => sum + value.length, 0);
  if (values.length > MOST_PEER_DATA || bytes > MAX_PEER_DATA_BYTES)
    throw new EdgeError('invalidTerminator', 'too much peer data');
}

/** Makes the terminator that the request wants, without its host. @throws MalformedError */
export function draftFrom(request: TerminatorRequest, routerId: string): Omit<HostedDraft, 'sessionId'> {
  return {
    id: request.address,
    routerId,
    instanceId: request.instanceId,
    instanceSecret: request.instanceSecret.length === 0 ? null : Buffer.from(request.instanceSecret),
    peerData: new Map(Object.entries(request.peerData).map(([key, value]) => [Number(key), value])),
    cost: request.cost,
    precedence: precedenceOf(request.precedence),
  };
}

/** @throws EdgeError */
export function requireHosted(hosting: HostingResult, { instanceId }: Pick<HostedDraft, 'instanceId'>): void {
  switch (hosting) {
    case 'created':
    case 'kept':
      return;
    case 'noSession':
      throw invalidSession();
    case 'noService':
      throw invalidService();
    case 'idTaken':
      throw new EdgeError('invalidTerminator', 'another terminator has this id');
    case 'tooMany':
      throw new EdgeError('invalidTerminator', 'too many terminators of this session, host or router');
    case 'instanceTaken':
      throw new EdgeError('invalidInstanceId', `another identity hosts the service as instance ${instanceId}`);
  }
}

/** The part of an answer that says why no terminator was made. */
export interface TerminatorRefusal {
  readonly result: CreateTerminatorResult;
  readonly msg: string;
  readonly errorCode: number;
  readonly retryHint: number;
}

/** A request for a terminator: its id, its size, and the function that makes it. */
export interface Making {
  readonly address: string;
  readonly bytes: number;
  readonly make: () => Promise<void>;
}

export interface MakingParts extends FailureLog {
  readonly limits: Pick<LimitsByRouter, 'of'>;
}

/**
 * Makes one terminator within the limit of its router, and answers. It is not waited for: other messages of the router
 * go on meanwhile, except a removal of the same terminator.
 * @param answer  gets the reason when it was not made
 */
export function makeWithinLimit(
  making: Making,
  channel: RouterChannel,
  parts: MakingParts,
  answer: (refusal: TerminatorRefusal | undefined) => void,
): void {
  void make(making, channel, parts).then(answer);
}

async function make(
  { address, bytes, make }: Making,
  channel: RouterChannel,
  parts: MakingParts,
): Promise<TerminatorRefusal | undefined> {
  const limits = parts.limits.of(channel);
  const { terminators, making } = limits;
  if (limits.makingBytes + bytes > MAX_MAKING_BYTES) return answerOf(new EdgeError('busy', 'busy'));
  limits.makingBytes += bytes;
  const made = terminators.run(make);
  making.set(address, made);
  try {
    await made;
    return undefined;
  } catch (error) {
    return answerOf(refusalOf(error, 'a terminator could not be made', channel, parts));
  } finally {
    limits.makingBytes -= bytes;
    if (making.get(address) === made) making.delete(address);
  }
}

function answerOf({ kind, message: msg }: EdgeError): TerminatorRefusal {
  const { code: errorCode, retryHint } = EDGE_ERRORS[kind];
  const { FAILED_BUSY, FAILED_OTHER } = CreateTerminatorResult;
  return { result: kind === 'busy' ? FAILED_BUSY : FAILED_OTHER, msg, errorCode, retryHint };
}
