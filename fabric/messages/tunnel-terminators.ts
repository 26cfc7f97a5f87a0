/** A router changes a terminator that it hosts itself: cost and precedence (20408), and its end (20410). */
import type { Stores } from '../../db/stores/stores.js';
import { couldBeStored } from '../../domain/ids.js';
import { UpdateTunnelTerminatorRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { UpdateTunnelTerminatorRequest } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { errorMessage, invalidTerminator, refusalOf, requireCost } from '../channel/edge-errors.js';
import { message, readBody, textOf } from '../channel/frame.js';
import { precedenceOf } from '../traffic/precedences.js';
import type { FailureLog } from '../channel/router-log.js';
import type { LimitsByRouter } from '../traffic/router-limits.js';
import { removeAll } from './remove-terminators.js';
import type { RemovalParts } from './remove-terminators.js';

interface TunnelUpdateParts extends FailureLog {
  readonly limits: Pick<LimitsByRouter, 'of'>;
  readonly stores: Pick<Stores, 'hostedTerminators'>;
}

/** Answered by 20409 or an Error. */
export const updateTunnelTerminator =
  (parts: TunnelUpdateParts): MessageHandler =>
  async (frame, channel) => {
    const request = readBody(UpdateTunnelTerminatorRequestSchema, frame);
    try {
      await parts.limits.of(channel).terminators.run(() => change(request, channel, parts.stores));
      channel.reply(frame, message(ContentType.UpdateTunnelTerminatorResponse));
    } catch (error) {
      channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be changed', channel, parts)));
    }
  };

async function change(
  { terminatorId: id, updateCost, cost, updatePrecedence, precedence }: UpdateTunnelTerminatorRequest,
  { routerId }: RouterChannel,
  { hostedTerminators }: Pick<Stores, 'hostedTerminators'>,
): Promise<void> {
  if (updateCost) requireCost(cost);
  if (!couldBeStored(id)) throw invalidTerminator();
  const isChanged = await hostedTerminators.change(
    { id, routerId, identityId: routerId },
    { ...(updateCost ? { cost } : {}), ...(updatePrecedence ? { precedence: precedenceOf(precedence) } : {}) },
  );
  if (!isChanged) throw invalidTerminator();
}

/** Answered by 20411 or an Error; routers of release 2.0 say it by 1038. The body is the id. */
export const removeTunnelTerminator =
  (parts: RemovalParts): MessageHandler =>
  async (frame, channel) => {
    try {
      await removeAll([textOf(frame)], channel, parts);
      channel.reply(frame, message(ContentType.RemoveTunnelTerminatorResponse));
    } catch (error) {
      channel.reply(frame, errorMessage(refusalOf(error, 'a terminator could not be removed', channel, parts)));
    }
  };
