/** What is done with each kind of message; a kind that is not here is ignored, and the log names it. */
import type { MessageTable } from '../channel.js';

export const messageTable: MessageTable = new Map([]);
