/** A router asks for the data model: when it connects, and again before its subscription runs out. */
import { SubscribeToDataModelRequestSchema } from '../../generated/fabric/data-model_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';

/** A subscription does not end here: what changes is told for as long as the channel lives. */
export const subscribeToDataModel: MessageHandler = (frame, channel, { dataModel, wholeStates }) => {
  const { renew, subscriptionId } = readBody(SubscribeToDataModelRequestSchema, frame);
  if (renew && dataModel.isSubscribed(channel, subscriptionId)) return;
  wholeStates.dataModel.run(channel, () => {
    void dataModel.subscribe(channel, subscriptionId);
  });
};
