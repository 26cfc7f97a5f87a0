/** Questions that only ask whether we are there. */
import type { MessageHandler } from '../channel/channel.js';
import { result } from '../channel/results.js';

export const ping: MessageHandler = (frame, channel) => {
  channel.reply(frame, result(true, 'ok'));
};

/** The sender finds its own clock in the answer: what it sent in its headers is repeated in every reply. */
export const latency: MessageHandler = (frame, channel) => {
  channel.reply(frame, result(true, ''));
};
