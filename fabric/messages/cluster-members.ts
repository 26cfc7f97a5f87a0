/** A router asks where the controllers are. It takes the answer for what it is by its kind, and waits for no reply. */
import type { MessageHandler } from '../channel/channel.js';
import { controllersMessage } from '../presence/controllers.js';

export const requestClusterMembers: MessageHandler = (_frame, channel, { controllers }) => {
  channel.send(controllersMessage(controllers.now()));
};
