/** InspectRequest (1013) of a router: there is nothing here that a router may look into. */
import { create } from '@bufbuild/protobuf';
import { InspectResponseSchema } from '../../generated/fabric/control_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';

export const inspectRequest: MessageHandler = (frame, channel) => {
  const answer = create(InspectResponseSchema, { success: true });
  channel.reply(frame, typedMessage(ContentType.InspectResponse, InspectResponseSchema, answer));
};
