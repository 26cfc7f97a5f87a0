/** ValidateTerminatorsV2Response (1042): which of its terminators a router still has. */
import { ValidateTerminatorsV2ResponseSchema } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';

export const terminatorStates: MessageHandler = async (frame, channel, { traffic, log }) => {
  let removed = 0;
  await eachPiece(ValidateTerminatorsV2ResponseSchema, frame, channel, async ({ states }) => {
    removed += (await traffic.validation.answered(channel, states)).length;
  });
  if (removed > 0)
    log.info({ routerId: channel.routerId, removed }, 'terminators that their router denies were removed');
};
