/** A router asks for the data model: when it connects, and again before its subscription runs out. */
import { SubscribeToDataModelRequestSchema } from '../../generated/fabric/data-model_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import type { Spacing } from '../channel/spacing.js';
import type { RouterModels } from '../model/data-model.js';

interface SubscriptionParts {
  readonly models: Pick<RouterModels, 'isSubscribed' | 'subscribe'>;
  /** Spaces out the whole states of the data model. */
  readonly modelStates: Spacing;
}

/** A subscription does not end here: changes are sent for as long as the channel lives. */
export const subscribeToDataModel =
  ({ models, modelStates }: SubscriptionParts): MessageHandler =>
  (frame, channel) => {
    const { renew, subscriptionId } = readBody(SubscribeToDataModelRequestSchema, frame);
    if (renew && models.isSubscribed(channel, subscriptionId)) return;
    modelStates.run(channel, () => {
      void models.subscribe(channel, subscriptionId);
    });
  };
