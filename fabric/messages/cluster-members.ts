/** A router asks where the controllers are. It takes the answer for what it is by its kind, and waits for no reply. */
import type { MessageHandler } from '../channel/channel.js';
import { controllersMessage } from '../presence/controllers.js';
import type { KnownControllers } from '../presence/controllers.js';

export const requestClusterMembers =
  ({ controllers }: { readonly controllers: Pick<KnownControllers, 'now'> }): MessageHandler =>
  (_frame, channel) => {
    channel.send(controllersMessage(controllers.now()));
  };
