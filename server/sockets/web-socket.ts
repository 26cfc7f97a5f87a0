/**
 * The server's side of a WebSocket (RFC 6455): binary messages over a connection that HTTP has handed over. No
 * extensions and no sub-protocols; what breaks the protocol, is too large or is not read ends the connection.
 */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';

/** It proves that the server knows the protocol: section 1.3. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const Opcode = { Continuation: 0, Binary: 2, Close: 8, Ping: 9, Pong: 10 } as const;
/** Codes of section 7.4 with which an end is told. */
export const CloseCode = {
  Normal: 1000,
  GoingAway: 1001,
  Protocol: 1002,
  Unsupported: 1003,
  Policy: 1008,
  TooBig: 1009,
} as const;
const MOST_CONTROL_BYTES = 125;
/** Bytes that may wait for a reader. */
const MOST_WAITING_BYTES = 4 << 20;
const PING_MS = 30_000;
/** How long a client has to close, once it was told of the end. */
const LINGER_MS = 1_000;

export interface WebSocketEvents {
  readonly message: (bytes: Buffer) => void;
  /** Called once. @property reason  of ours; '' when the client ended it */
  readonly closed: (reason: string) => void;
}

export interface WebSocketRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Returns the head of the answer that opens it; undefined when the request asks for something else. */
export function openingHead({ headers }: WebSocketRequest, more: string): string | undefined {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = headers;
  const isAsked = typeof upgrade === 'string' && upgrade.toLowerCase() === 'websocket' && version === '13';
  if (!isAsked || typeof key !== 'string' || !KEY.test(key)) return undefined;
  const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
  return (
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\n${more}\r\n`
  );
}

interface WireFrame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
  readonly end: number;
}

export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #mostBytes: number;
  readonly #events: WebSocketEvents;
  readonly #pings: NodeJS.Timeout;
  #unread: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  /** Parts of a message that is not whole. */
  #parts: Buffer[] = [];
  #reason = '';
  #isClosing = false;
  #hasAnswered = true;

  /** @param mostBytes  of one message */
  constructor(socket: Duplex, mostBytes: number, events: WebSocketEvents) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    this.#events = events;
    this.#pings = setInterval(() => {
      this.#ping();
    }, PING_MS).unref();
    socket.on('data', (bytes: Buffer) => {
      this.read(bytes);
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearInterval(this.#pings);
      this.#isClosing = true;
      events.closed(this.#reason);
    });
  }

  /** Takes bytes that came. */
  read(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      this.#unread = this.#unread.subarray(frame.end);
      this.#take(frame);
    }
  }

  /** Sends a message. A client that is too far behind is cut. */
  send(...parts: readonly Uint8Array[]): void {
    if (this.#isClosing) return;
    this.#write(Opcode.Binary, parts);
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#reason = reason;
    const text = Buffer.from(reason, 'utf8').subarray(0, MOST_CONTROL_BYTES - 2);
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    this.#write(Opcode.Close, [head, text]);
    this.#isClosing = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  #cut(reason: string): void {
    this.#reason = reason;
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #ping(): void {
    if (!this.#hasAnswered) {
      this.#cut('the client does not answer');
      return;
    }
    this.#hasAnswered = false;
    this.#write(Opcode.Ping, []);
  }

  #write(opcode: number, parts: readonly Uint8Array[]): void {
    if (!this.#socket.writable) return;
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#socket.write(headOf(opcode, bytes));
    for (const part of parts) if (part.length > 0) this.#socket.write(part);
    if (this.#socket.writableLength > MOST_WAITING_BYTES) this.#cut('the reader was too far behind and was cut');
  }

  /** @returns undefined when more has to come, or the connection ends */
  #next(): WireFrame | undefined {
    if (this.#isClosing || this.#unread.length < 2) return undefined;
    const [first = 0, second = 0] = this.#unread;
    const opcode = first & 0x0f;
    const isControl = opcode >= Opcode.Close;
    const short = second & 0x7f;
    if ((first & 0x70) !== 0 || (second & 0x80) === 0) return this.#refuse('a frame with bits that have no meaning');
    if (isControl && ((first & 0x80) === 0 || short > MOST_CONTROL_BYTES)) return this.#refuse('a long control frame');
    const at = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#unread.length < at + 4) return undefined;
    const length = short < 126 ? short : short === 126 ? this.#unread.readUInt16BE(2) : lengthAt(this.#unread);
    const held = this.#parts.reduce((sum, part) => sum + part.length, 0);
    if (length + held > this.#mostBytes) {
      this.close(CloseCode.TooBig, `a message of more than ${this.#mostBytes} bytes`);
      return undefined;
    }
    const end = at + 4 + length;
    if (this.#unread.length < end) return undefined;
    const mask = this.#unread.subarray(at, at + 4);
    const payload = Buffer.from(this.#unread.subarray(at + 4, end));
    for (let index = 0; index < payload.length; index += 1) payload[index]! ^= mask[index & 3]!;
    return { opcode, isLast: (first & 0x80) !== 0, payload, end };
  }

  #take({ opcode, isLast, payload }: WireFrame): void {
    if (opcode === Opcode.Ping) this.#write(Opcode.Pong, [payload]);
    else if (opcode === Opcode.Pong) this.#hasAnswered = true;
    else if (opcode === Opcode.Close) this.close(CloseCode.Normal, '');
    else if (opcode !== Opcode.Binary && opcode !== Opcode.Continuation)
      this.close(CloseCode.Unsupported, 'only binary messages are read');
    else if ((opcode === Opcode.Continuation) !== this.#parts.length > 0) this.#refuse('a part of no message');
    else this.#takePart(payload, isLast);
  }

  #takePart(payload: Buffer, isLast: boolean): void {
    // An empty part would not be seen as the beginning of a message, and endless ones would cost for nothing.
    if (!isLast && payload.length === 0) {
      this.#refuse('an empty part of a message');
      return;
    }
    this.#parts.push(payload);
    if (!isLast) return;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#events.message(whole);
  }

  #refuse(reason: string): undefined {
    this.close(CloseCode.Protocol, reason);
  }
}

/** A length beyond what numbers can say is beyond every bound. */
const lengthAt = (bytes: Buffer) => Number(bytes.readBigUInt64BE(2));

function headOf(opcode: number, bytes: number): Buffer {
  const first = 0x80 | opcode;
  if (bytes < 126) return Buffer.of(first, bytes);
  if (bytes < 65_536) return Buffer.of(first, 126, bytes >> 8, bytes & 0xff);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}
