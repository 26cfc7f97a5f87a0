/** Bodies that list much, decoded and acted on in pieces: the event loop turns after each. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { AT_ONCE_BYTES } from './channel.js';
import type { RouterChannel } from './channel.js';
import { piecesOf } from './elements.js';
import { decode, readBody } from './frame.js';
import type { Message } from './frame.js';

/**
 * Calls `act` with the body in pieces, in order: each has some of its lists, and all its other fields. What `act`
 * returns is awaited before the next piece. A small body is one piece, and `act` is called before this returns.
 * @throws MalformedError, ChannelError when the channel is closed
 */
export async function eachPiece<D extends DescMessage>(
  schema: D,
  message: Message,
  channel: Pick<RouterChannel, 'work'>,
  act: (piece: MessageShape<D>) => Promise<void> | void,
): Promise<void> {
  if (message.body.length <= AT_ONCE_BYTES) {
    await act(readBody(schema, message));
    return;
  }
  for (const piece of await channel.work(() => piecesOf(schema, message.body)))
    await channel.work(() => act(decode(schema, piece)));
}

/** Calls `act` with so many items at a time, the same way; at once when there are no more. */
export async function eachSlice<T>(
  items: readonly T[],
  length: number,
  channel: Pick<RouterChannel, 'work'>,
  act: (slice: readonly T[]) => Promise<void> | void,
): Promise<void> {
  if (items.length <= length) {
    await act(items);
    return;
  }
  for (let from = 0; from < items.length; from += length)
    await channel.work(() => act(items.slice(from, from + length)));
}
