/** ValidateTerminatorsV2Response (1042): which of its terminators a router still has. */
import { ValidateTerminatorsV2ResponseSchema } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';
import type { FabricLog } from '../channel/router-log.js';
import type { TerminatorValidation } from '../traffic/terminator-validation.js';

interface StatesParts {
  readonly validation: Pick<TerminatorValidation, 'answered'>;
  readonly log: FabricLog;
}

export const terminatorStates =
  ({ validation, log }: StatesParts): MessageHandler =>
  async (frame, channel) => {
    let removed = 0;
    await eachPiece(ValidateTerminatorsV2ResponseSchema, frame, channel, async ({ states }) => {
      removed += (await validation.answered(channel, states)).length;
    });
    if (removed > 0)
      log.info({ routerId: channel.routerId, removed }, 'terminators that their router denies were removed');
  };
