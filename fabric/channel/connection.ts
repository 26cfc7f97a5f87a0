/**
 * One connection that carries frames: reads them whole, writes them in order, shows a sign of life and looks for one.
 * What waits to be sent is bounded: past the bound, or when the other side does not read, the connection is cut.
 */
import type { Socket } from 'node:net';
import { ContentType } from './content-types.js';
import { encodeFrame, frameBytes, message } from './frame.js';
import type { Frame, FrameReader, Message } from './frame.js';
import { Header, encodeUint64 } from './headers.js';
import type { ChannelLimits } from './limits.js';
import { SendQueue } from './send-queue.js';

export interface ConnectionListener {
  onFrame(frame: Frame): void;
  /** Every few seconds: why the connection must end now. */
  endOf?(): string | undefined;
  /** Once; nothing is called after it. */
  onEnd(reason: string): void;
}

/** How long an answer to a sign of life waits for a message that it can go with. */
const ANSWER_MS = 2;
const TICKS = 4;
/** Up to so many are put together before they go: cheaper than one write each. */
const COPIED_BYTES = 16_384;
/** Bytes that the socket holds at a time: a sign of life waits for these, and for the frame that has begun. */
const SOCKET_BYTES = 256 << 10;

/** Makes one record of all. A large part is the last of several, and is not copied. */
function writeTogether(socket: Socket, parts: readonly [Uint8Array, ...Uint8Array[]], bytes: number): void {
  const [first, ...others] = parts;
  const large = bytes > COPIED_BYTES ? others.pop() : undefined;
  const small = others.length === 0 ? first : Buffer.concat([first, ...others]);
  if (large === undefined) {
    socket.write(small);
    return;
  }
  socket.cork();
  socket.write(small);
  socket.write(large);
  socket.uncork();
}

const isLarge = (content: Message): boolean => frameBytes(content) > COPIED_BYTES;

export class Connection {
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #limits: ChannelLimits;
  readonly #listener: ConnectionListener;
  readonly #tick: NodeJS.Timeout;
  /** Messages that the socket has not been given. */
  readonly #queue = new SendQueue();
  #isSending = false;
  /** A sign of life, or the answer to one, is due. */
  #isSignDue = false;
  #sequence = 0;
  #isEnded = false;
  #isPaused = false;
  /** Value of the last sign of life that is not answered yet, as it came: a clock of the router, no number of ours. */
  #toAnswer: Buffer | undefined;
  #answerTimer: NodeJS.Timeout | undefined;
  #heardAt = performance.now();
  #resumedAt = 0;
  #signedAt = 0;
  /** Bytes that have left; what waits in this process is not among them. */
  #gone = 0;
  #progressAt = performance.now();
  #drained: (() => void)[] = [];

  /** @param reader  may hold bytes that came already; the socket is paused */
  constructor(socket: Socket, reader: FrameReader, limits: ChannelLimits, listener: ConnectionListener) {
    this.#socket = socket;
    this.#reader = reader;
    this.#limits = limits;
    this.#listener = listener;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#heardAt = performance.now();
      reader.push(chunk);
      this.#read();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.end(`the connection failed (${error.code ?? error.message})`);
    });
    socket.on('close', () => {
      this.end('the router closed the connection');
    });
    socket.on('end', () => {
      this.end('the router closed the connection');
    });
    socket.on('drain', () => {
      this.#send();
    });
    this.#tick = setInterval(
      () => {
        this.#checkHealth();
      },
      Math.min(limits.heartbeatMs, limits.silenceMs, limits.stallMs) / TICKS,
    ).unref();
  }

  /** Starts to hand frames over. */
  start(): void {
    this.#read();
    this.#socket.resume();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Time of the last byte, by `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  nextSequence(): number {
    this.#sequence = this.#sequence === 0x7fffffff ? 1 : this.#sequence + 1;
    return this.#sequence;
  }

  write(sequence: number, content: Message): void {
    if (this.#isEnded) return;
    if (this.#waitingBytes + frameBytes(content) > this.#limits.queueBytes) {
      this.end(`more than ${this.#limits.queueBytes} bytes wait for a router that reads too slowly`);
      return;
    }
    if (this.#waitingBytes === 0) this.#progressAt = performance.now();
    this.#queue.push(sequence, content);
    this.#sendSoon();
  }

  get #waitingBytes(): number {
    return this.#socket.writableLength + this.#queue.bytes;
  }

  /** One record for all that is written in this turn. */
  #sendSoon(): void {
    if (this.#isSending || this.#isEnded) return;
    this.#isSending = true;
    setImmediate(() => {
      this.#isSending = false;
      this.#send();
    });
  }

  /** Gives the socket as much as it takes; goes on when that has left. */
  #send(): void {
    const socket = this.#socket;
    while (!this.#isEnded && socket.writableLength < SOCKET_BYTES) {
      const parts: Uint8Array[] = [];
      let bytes = 0;
      while (bytes < COPIED_BYTES) {
        const part =
          this.#takeSign() ?? this.#queue.take((content) => (isLarge(content) ? content : this.#withSigns(content)));
        if (part === undefined) break;
        parts.push(part);
        bytes += part.length;
      }
      const [first, ...others] = parts;
      if (first === undefined) break;
      writeTogether(socket, [first, ...others], bytes);
    }
    if (this.#waitingBytes <= this.#limits.lowQueueBytes) this.#release();
  }

  /** A sign of life, or the answer to one, goes before all that has not begun; a small message takes it along. */
  #takeSign(): Uint8Array | undefined {
    const { upcoming, isWithin } = this.#queue;
    const isDue = this.#isSignDue || (upcoming !== undefined && this.#toAnswer !== undefined);
    if (!isDue || isWithin || (upcoming !== undefined && !isLarge(upcoming))) return undefined;
    const [head] = encodeFrame(this.nextSequence(), this.#withSigns(message(ContentType.Heartbeat)));
    return head;
  }

  #sendSign(): void {
    this.#isSignDue = true;
    this.#sendSoon();
  }

  /** Resolves when little waits to be sent, or when the connection has ended. */
  async drained(): Promise<void> {
    if (this.#isEnded || this.#waitingBytes <= this.#limits.lowQueueBytes) return;
    await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /** Asks for a sign of life at once. */
  probe(): void {
    this.#signedAt = 0;
    this.#sendSign();
  }

  /** Stops reading: what the router sends waits with the router. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#isEnded) return;
    this.#isPaused = false;
    this.#resumedAt = performance.now();
    this.#read();
    if (!this.isPaused) this.#socket.resume();
  }

  end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#tick);
    clearTimeout(this.#answerTimer);
    this.#release();
    this.#socket.destroy();
    this.#listener.onEnd(reason);
  }

  #read(): void {
    try {
      while (!this.#isEnded && !this.#isPaused) {
        const frame = this.#reader.next();
        if (frame === undefined) return;
        this.#noteSigns(frame);
        this.#listener.onFrame(frame);
      }
    } catch (error) {
      this.end(error instanceof Error ? error.message : String(error));
    }
  }

  #noteSigns({ headers }: Frame): void {
    const sign = headers.get(Header.Heartbeat);
    if (sign === undefined) return;
    this.#toAnswer = Buffer.from(sign);
    this.#answerTimer ??= setTimeout(() => {
      this.#answerTimer = undefined;
      if (this.#toAnswer !== undefined) this.#sendSign();
    }, ANSWER_MS).unref();
  }

  #withSigns(content: Message): Message {
    this.#isSignDue = false;
    const now = performance.now();
    const isDue = this.#signedAt === 0 || now - this.#signedAt >= this.#limits.heartbeatMs;
    if (!isDue && this.#toAnswer === undefined) return content;
    const headers = new Map(content.headers);
    if (isDue) {
      headers.set(Header.Heartbeat, encodeUint64(process.hrtime.bigint()));
      this.#signedAt = now;
    }
    if (this.#toAnswer !== undefined) headers.set(Header.HeartbeatResponse, this.#toAnswer);
    this.#toAnswer = undefined;
    return { ...content, headers };
  }

  #checkHealth(): void {
    const over = this.#listener.endOf?.();
    if (over !== undefined) {
      this.end(over);
      return;
    }
    const now = performance.now();
    const { silenceMs, stallMs, slowestBytes, heartbeatMs } = this.#limits;
    const { bytesWritten, writableLength } = this.#socket;
    // Node counts what waits as written. What was written together leaves as one, so much takes long.
    const gone = bytesWritten - writableLength;
    if (gone !== this.#gone || writableLength === 0) [this.#gone, this.#progressAt] = [gone, now];
    const patienceMs = stallMs + (1000 * writableLength) / slowestBytes;
    // A connection that is not read on purpose is not silent.
    const isSilent = !this.#isPaused && now - Math.max(this.#heardAt, this.#resumedAt) > silenceMs;
    if (isSilent) this.end(`the router was silent for ${silenceMs / 1000} s`);
    else if (now - this.#progressAt > patienceMs)
      this.end(`the router has not read for ${Math.round(patienceMs / 1000)} s`);
    else if (now - this.#signedAt >= heartbeatMs) this.#sendSign();
  }

  #release(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
