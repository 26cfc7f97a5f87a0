/** The channel of one router: requests and their replies, and messages handed to their handlers within bounds. */
import type { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import { AT_ONCE_BYTES, ChannelError } from './channel.js';
import type { CloseReason, MessageRule, MessageTable, RouterChannel } from './channel.js';
import type { Connection } from './connection.js';
import { contentTypeName } from './content-types.js';
import { ASKED_FOR, boundOf } from './bounds.js';
import type { Frame, FrameBound, Message } from './frame.js';
import { Header, encodeInt32, readInt32, reflected } from './headers.js';
import type { Hello } from './hello.js';
import type { ChannelLimits } from './limits.js';
import { MalformedError } from './malformed.js';
import type { FailureLog } from './router-log.js';
import type { Purpose } from './router-shares.js';

interface Waiter {
  readonly resolve: (reply: Frame) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Bytes that are decrypted and read in a millisecond. */
const BYTES_A_MS = 1 << 20;

/** A message of so few bytes takes no longer. */
const SHORT_BYTES = 4 << 10;
const SHORT_MS = 2;

/** Bytes in memory while the frame waits. */
const heldBytes = ({ bytes, isSkipped }: Frame): number => (isSkipped === true ? 0 : bytes);

/** Kinds of messages that are named in the log because nothing is done with them. */
const MAX_UNKNOWN = 20;

export interface ChannelOptions {
  readonly hello: Hello;
  /** SHA-1 of the certificate that the router showed. */
  readonly fingerprint: string;
  readonly limits: ChannelLimits;
  readonly table: MessageTable;
  readonly lines: FailureLog;
  /** Parts of long work, of all routers. */
  readonly work: YieldQueue;
  /** Counts time of the event loop. @returns false when the router has had its share, and is to be cut */
  readonly charge: (ms: number, purpose: Purpose) => boolean;
  readonly onClose: (channel: OpenChannel, reason: CloseReason) => void;
}

export class OpenChannel implements RouterChannel {
  readonly routerId: string;
  readonly hello: Hello;
  readonly connectedAt = new Date();
  readonly #options: ChannelOptions;
  readonly #waiters = new Map<number, Waiter>();
  readonly #unknown = new Set<number>();
  #fingerprint: string;
  #connection: Connection | undefined;
  #queue: Frame[] = [];
  #queuedBytes = 0;
  #running = 0;
  /** A message must be done before the next is looked at. */
  #isBlocked = false;
  #isClosed = false;
  /** Kind of a large reply that is awaited. */
  #large: number | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.hello = options.hello;
    this.routerId = options.hello.routerId;
    this.#fingerprint = options.fingerprint;
  }

  /** Gives the channel its connection: once, before anything else. */
  attach(connection: Connection): void {
    this.#connection = connection;
  }

  get fingerprint(): string {
    return this.#fingerprint;
  }

  renewed(fingerprint: string): void {
    this.#fingerprint = fingerprint;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Time by `performance.now()` at which the router was last heard. */
  get heardAt(): number {
    return this.#connection?.heardAt ?? 0;
  }

  probe(): void {
    this.#connection?.probe();
  }

  send(message: Message): void {
    this.#write(message);
  }

  reply({ over, ...request }: Frame, message: Message): void {
    if (over !== undefined) {
      over.reply(request, message);
      return;
    }
    const headers = new Map(message.headers);
    for (const [key, value] of reflected(request.headers)) headers.set(key, value);
    headers.set(Header.ReplyFor, encodeInt32(request.sequence));
    this.#write({ ...message, headers });
  }

  request(message: Message, timeoutMs: number): Promise<Frame> {
    const connection = this.#connection;
    const name = contentTypeName(message.contentType);
    if (this.#isClosed || connection === undefined)
      return Promise.reject(new ChannelError(`${name}: the router is not connected`));
    if (this.#waiters.size >= this.#options.limits.requests)
      return Promise.reject(new ChannelError(`${name}: too many requests wait for this router`));
    const sequence = connection.nextSequence();
    const reply = new Promise<Frame>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(sequence);
        reject(new ChannelError(`${name}: no reply within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiters.set(sequence, { resolve, reject, timer });
    });
    connection.write(sequence, message);
    return reply;
  }

  /** Bound of a frame that comes now. */
  readonly boundOf = (contentType: number): FrameBound =>
    contentType === this.#large ? ASKED_FOR : boundOf(contentType);

  /**
   * The same as `request`, one at a time, for what an operator asks: until then the reply may be as large as that.
   * @throws ChannelError also while another one is awaited
   */
  async requestLarge(message: Message, replyType: number, timeoutMs: number): Promise<Frame> {
    if (this.#large !== undefined) throw new ChannelError('the router is being asked for something else');
    this.#large = replyType;
    try {
      return await this.request(message, timeoutMs);
    } finally {
      this.#large = undefined;
    }
  }

  async drained(): Promise<void> {
    await this.#connection?.drained();
  }

  async work<T>(part: () => T): Promise<T> {
    return this.#options.work.run(() => {
      if (this.#isClosed) throw new ChannelError('the channel is closed');
      return this.#measured('own', part);
    });
  }

  close(reason: CloseReason): void {
    this.#connection?.end(reason);
  }

  /** Takes note that the connection has ended. */
  ended(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    for (const { reject, timer } of this.#waiters.values()) {
      clearTimeout(timer);
      reject(new ChannelError(`the channel closed: ${reason}`));
    }
    this.#waiters.clear();
    this.#options.onClose(this, reason);
  }

  /** Takes a frame of the connection: a reply goes to its request, all else to its handler in turn. */
  received(frame: Frame): void {
    const replyFor = readInt32(frame.headers, Header.ReplyFor);
    const waiter = replyFor === undefined ? undefined : this.#waiters.get(replyFor);
    if (replyFor !== undefined && waiter !== undefined) {
      this.#waiters.delete(replyFor);
      clearTimeout(waiter.timer);
      waiter.resolve(frame);
      return;
    }
    this.#charge(frame.bytes / BYTES_A_MS, 'own');
    this.#queue.push(frame);
    this.#queuedBytes += heldBytes(frame);
    this.#dispatch();
    const { waiting, waitingBytes } = this.#options.limits;
    if (this.#queue.length > waiting || this.#queuedBytes > waitingBytes) this.#connection?.pause();
  }

  #write(message: Message): void {
    const connection = this.#connection;
    if (connection !== undefined && !this.#isClosed) connection.write(connection.nextSequence(), message);
  }

  #dispatch(): void {
    const { limits, table } = this.#options;
    while (!this.#isClosed && !this.#isBlocked && this.#running < limits.handlers) {
      const frame = this.#queue.shift();
      if (frame === undefined) return;
      this.#queuedBytes -= heldBytes(frame);
      const rule = table.get(frame.contentType);
      if (rule === undefined) this.#noteUnknown(frame);
      else this.#run(rule, frame);
    }
  }

  #run(rule: MessageRule, frame: Frame): void {
    const isInOrder = rule.inOrder === true || (rule.inOrder === 'large' && frame.bytes > AT_ONCE_BYTES);
    this.#running += 1;
    this.#isBlocked = isInOrder;
    void this.#handle(rule, frame).finally(() => {
      this.#running -= 1;
      if (isInOrder) this.#isBlocked = false;
      this.#dispatch();
      const { waiting, waitingBytes } = this.#options.limits;
      if (this.#queue.length <= waiting / 2 && this.#queuedBytes <= waitingBytes / 2) this.#connection?.resume();
    });
  }

  async #handle({ handle, refuse, isOfClient = false }: MessageRule, frame: Frame): Promise<void> {
    const { lines } = this.#options;
    const act = frame.isSkipped === true ? refuse : handle;
    try {
      const purpose = isOfClient ? 'clients' : 'own';
      const run = () => act?.(frame, this);
      await (frame.bytes > SHORT_BYTES ? this.#measured(purpose, run) : this.#timed(purpose, run));
    } catch (error) {
      if (error instanceof MalformedError && refuse !== undefined) await refuse(frame, this);
      else if (error instanceof MalformedError) this.close(`${contentTypeName(frame.contentType)}: ${error.message}`);
      else if (!this.#isClosed)
        lines.noteFailure(
          error,
          { routerId: this.routerId, message: contentTypeName(frame.contentType) },
          'a message of a router could not be handled',
        );
    }
  }

  /** Counts what runs until its first `await`, if it is short: the machine may do something else meanwhile. */
  #timed<T>(purpose: Purpose, act: () => T): T {
    const startedAt = performance.now();
    try {
      return act();
    } finally {
      this.#charge(Math.min(SHORT_MS, performance.now() - startedAt), purpose);
    }
  }

  /** Counts no more than the processor worked: on a busy machine time passes faster than work is done. */
  #measured<T>(purpose: Purpose, act: () => T): T {
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
    try {
      return act();
    } finally {
      const { user, system } = process.cpuUsage(cpu);
      this.#charge(Math.min(performance.now() - startedAt, (user + system) / 1_000), purpose);
    }
  }

  #charge(ms: number, purpose: Purpose): void {
    if (!this.#isClosed && !this.#options.charge(ms, purpose))
      this.close('the router needed more than its share of time');
  }

  #noteUnknown({ contentType }: Frame): void {
    if (this.#unknown.has(contentType) || this.#unknown.size >= MAX_UNKNOWN) return;
    this.#unknown.add(contentType);
    const message = contentTypeName(contentType);
    this.#options.lines.log.debug({ routerId: this.routerId, message }, 'messages of this kind are ignored');
  }
}
