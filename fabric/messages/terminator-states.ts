/** ValidateTerminatorsV2Response (1042): which of its terminators a router still has. */
import { ValidateTerminatorsV2ResponseSchema } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';

export const terminatorStates: MessageHandler = async (frame, channel, { traffic, log }) => {
  const { states } = readBody(ValidateTerminatorsV2ResponseSchema, frame);
  const removed = await traffic.validation.answered(channel, states);
  if (removed.length > 0)
    log.info(
      { routerId: channel.routerId, removed: removed.length },
      'terminators that their router denies were removed',
    );
};
