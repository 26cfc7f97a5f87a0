/**
 * The server's side of a WebSocket: binary messages over a connection that HTTP has handed over, by the package `ws`.
 * What breaks the protocol, is too large or is not read ends the connection.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';

const KEY = /^[A-Za-z0-9+/]{22}==$/;
/** Codes of RFC 6455, section 7.4.1, with which an end is told. */
export const CloseCode = { GoingAway: 1001, Protocol: 1002, Unsupported: 1003, Policy: 1008 } as const;
/** The longest reason that fits beside its code. */
const MOST_REASON_BYTES = 123;
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

/** Whether a request asks for a WebSocket of the version that there is. */
export function asksForWebSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = headers;
  return upgrade?.toLowerCase() === 'websocket' && version === '13' && KEY.test(key ?? '');
}

export interface WebSocketOptions {
  /** The bound of one message. */
  readonly mostBytes: number;
  /** Further lines of the head of the answer. */
  readonly headers: readonly string[];
}

/** Answers a request that asks for a WebSocket. @param upgrade  its connection, and bytes that came behind it */
export function openWebSocket(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  { mostBytes, headers }: WebSocketOptions,
  events: WebSocketEvents,
): WebSocketConnection {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: mostBytes });
  server.on('headers', (lines) => lines.push(...headers));
  let connection: WebSocketConnection | undefined;
  server.handleUpgrade(request, socket, head, (opened) => {
    connection = new WebSocketConnection(opened, events);
  });
  if (connection === undefined) throw new Error('the request asks for no WebSocket');
  return connection;
}

export class WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;
  #reason = '';
  #hasAnswered = true;

  constructor(socket: WebSocket, events: WebSocketEvents) {
    this.#socket = socket;
    this.#pings = setInterval(() => {
      this.#ping();
    }, PING_MS).unref();
    socket.on('message', (bytes: Buffer, isBinary) => {
      if (!this.#isOpen) return;
      if (isBinary) events.message(bytes);
      else this.close(CloseCode.Unsupported, 'only binary messages are read');
    });
    socket.on('ping', () => {
      this.#cutSlowReader();
    });
    socket.on('pong', () => (this.#hasAnswered = true));
    socket.on('error', ({ message }) => {
      this.#reason = message;
      this.#linger();
    });
    socket.once('close', () => {
      clearInterval(this.#pings);
      events.closed(this.#reason);
    });
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sends a message. A client that is too far behind is cut. */
  send(...parts: readonly Uint8Array[]): void {
    if (!this.#isOpen) return;
    this.#socket.send(Buffer.concat(parts));
    this.#cutSlowReader();
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#reason = reason;
    this.#socket.close(code, Buffer.from(reason, 'utf8').subarray(0, MOST_REASON_BYTES));
    this.#linger();
  }

  #linger(): void {
    setTimeout(() => {
      this.#socket.terminate();
    }, LINGER_MS).unref();
  }

  #cutSlowReader(): void {
    if (this.#socket.bufferedAmount > MOST_WAITING_BYTES) this.#cut('the reader was too far behind and was cut');
  }

  #cut(reason: string): void {
    this.#reason = reason;
    this.#socket.terminate();
  }

  #ping(): void {
    if (!this.#hasAnswered) {
      this.#cut('the client does not answer');
      return;
    }
    this.#hasAnswered = false;
    if (this.#isOpen) this.#socket.ping();
  }
}
