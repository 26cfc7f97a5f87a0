/**
 * Answers to what is no request: one in the envelope, where the connection allows it, and then its end. What the client
 * still sends is read and dropped for a while: a connection closed over bytes that were not read is reset, and a client
 * that is reset while it sends never sees the answer.
 */
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answer } from '../http/envelope.js';
import { LINGER_MS } from './plain-http.js';
import type { ResponseHeaders } from '../http/reply.js';

const REFUSALS: ReadonlyMap<string | undefined, 'headersTooLarge' | 'requestTimeout'> = new Map([
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'requestTimeout'],
]);

/**
 * Faults that cut without an answer, which would be taken for that to the first request still under way. Node gives up
 * with HPE_PAUSED on a client that sends more requests in one go, before it reads the answers to the first, than Node
 * holds: none of them is at fault, and whoever sends them knows by the cut which were answered.
 */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'HPE_PAUSED']);

/** Bytes that are read and dropped after an answer: as much as the largest body. */
const MOST_DROPPED = 1_048_576;

export class RefusedConnections {
  /** Bytes received on each connection when its response was sent. */
  readonly #answered = new WeakMap<Socket, number>();

  /** @param common  headers of every answer */
  constructor(readonly common: ResponseHeaders) {}

  /** Refuses what the parser cannot read; also called for each piece that arrives after the answer. */
  refuse(
    error: NodeJS.ErrnoException,
    socket: Socket & { _httpMessage?: ServerResponse | null },
    requestId: string,
  ): void {
    const readBefore = this.#answered.get(socket);
    if (readBefore !== undefined && error.code !== 'ECONNRESET') {
      if (socket.bytesRead - readBefore > MOST_DROPPED) socket.destroy();
      return;
    }
    const isAnswering = socket._httpMessage?.headersSent === true;
    if (CUT_OFF.has(error.code) || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    this.#answered.set(socket, socket.bytesRead);
    socket.end(this.#textOf(error, requestId));
    setTimeout(() => {
      socket.destroy();
    }, LINGER_MS).unref();
  }

  #textOf(error: NodeJS.ErrnoException, requestId: string): string {
    const { status, body } = answer(REFUSALS.get(error.code) ?? 'malformedRequest', requestId, {});
    const text = `${JSON.stringify(body)}\n`;
    const headers = {
      ...this.common,
      'x-request-id': requestId,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    };
    const lines = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n${text}`;
  }
}
