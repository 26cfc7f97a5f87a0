/** A channel to one router as handlers of its messages see it, and the table of those handlers. */
import type { Frame, Message } from './frame.js';

/** Reason for which a channel ends; goes into the log. */
export type CloseReason = string;

/**
 * The connection of one router to this controller, after its hello was accepted. Messages go out in the order in which
 * they were given. What waits to be sent is bounded; past the bound the channel is cut, and the router comes again.
 */
export interface RouterChannel {
  readonly routerId: string;
  /** SHA-1 of the certificate in force: that which the router showed, or has exchanged it for over this channel. */
  readonly fingerprint: string;
  readonly isClosed: boolean;
  /** Nothing happens when the channel is closed: whoever must know asks with `request`. */
  send(message: Message): void;
  /**
   * Sends `message` as the answer to `request`, with what an answer repeats of it.
   */
  reply(request: Frame, message: Message): void;
  /**
   * Sends and waits for the reply to it.
   * @param timeoutMs  from now on
   * @throws ChannelError when the channel closes or is closed, when no reply comes in time, or when too many wait
   */
  request(message: Message, timeoutMs: number): Promise<Frame>;
  /** Resolves when little waits to be sent, or when the channel is closed: await it between messages of a bulk. */
  drained(): Promise<void>;
  /**
   * Runs a part of long work in an iteration of the event loop that it shares with no other part; its time counts as
   * the router's.
   * @throws ChannelError when the channel is closed: the work ends there
   */
  work<T>(part: () => T): Promise<T>;
  /** The router has exchanged its certificate over this channel, which goes on. */
  renewed(fingerprint: string): void;
  /** Cuts the connection; what was not sent is lost. The reason is logged. */
  close(reason: CloseReason): void;
}

/** The channels that this process holds, one for each connected router. */
export interface ConnectedChannels {
  get(routerId: string): RouterChannel | undefined;
  /** Iterates in no order. */
  all(): Iterable<RouterChannel>;
}

/** No reply came to a request. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
}

/**
 * Acts on one message. Messages of one router are handled one after another up to the first `await` of each, and then
 * side by side; `inOrder` handlers are waited for before the next message of the router is looked at. What it throws is
 * logged and ends nothing, but a `MalformedError` cuts the channel.
 */
export type MessageHandler = (frame: Frame, channel: RouterChannel) => Promise<void> | void;

export interface MessageRule {
  readonly handle: MessageHandler;
  /** Answers a frame that was too large, or cannot be read, when a client of the router decides what is in it. */
  readonly refuse?: MessageHandler;
  /** A client of the router asks for it: the router has a larger share of the event loop for those. */
  readonly isOfClient?: boolean;
  /** The next message of this router waits until this one is done; `large`: when it is handled in pieces. */
  readonly inOrder?: boolean | 'large';
}

/** Bytes of a message that is handled in one iteration of the event loop. */
export const AT_ONCE_BYTES = 32 << 10;

/** Rules by content type. */
export type MessageTable = ReadonlyMap<number, MessageRule>;
