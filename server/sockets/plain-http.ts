/**
 * Response for clients that speak plain HTTP to the HTTPS port: it says so, and the connection ends. OpenSSL detects by
 * the first bytes that they are no TLS, and sends nothing itself; nothing is read of the request.
 */
import type { Socket } from 'node:net';

/** How long the other side has to read a refusal before the connection is cut. */
export const LINGER_MS = 500;

/** The first bytes were those of HTTP, or of nothing that TLS knows, such as the methods that OpenSSL does not know. */
const NO_TLS: ReadonlySet<string | undefined> = new Set([
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_HTTPS_PROXY_REQUEST',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

export const isNoTls = ({ code }: NodeJS.ErrnoException): boolean => NO_TLS.has(code);

const TEXT = 'This port speaks HTTPS alone: use https:// in place of http://.\n';
const ANSWER =
  'HTTP/1.1 400 Bad Request\r\n' +
  'content-type: text/plain; charset=utf-8\r\n' +
  `content-length: ${Buffer.byteLength(TEXT)}\r\n` +
  'x-content-type-options: nosniff\r\n' +
  'cache-control: no-store\r\n' +
  `connection: close\r\n\r\n${TEXT}`;

/** @param socket  below the TLS layer, in whose handshake nothing was sent yet */
export function refusePlain(socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.on('error', () => undefined).end(ANSWER);
  setTimeout(() => {
    socket.destroy();
  }, LINGER_MS).unref();
}
