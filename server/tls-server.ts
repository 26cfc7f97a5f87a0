/** The HTTPS server: TLS 1.2 and later, a client certificate asked for and never required, limits before trust. */
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { parseHostPort } from '../domain/pki/server-name.js';
import type { Config } from './config.js';
import { answer } from './envelope.js';

export interface TlsOptions {
  readonly config: Pick<Config, 'maxHeaderBytes' | 'maxHeaders' | 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'maxConnections'>;
  /** The server's certificate, then intermediates; never the root. */
  readonly chainPem: string;
  readonly privateKeyPem: string;
  readonly listener: RequestListener;
}

export function createTlsServer({ config, chainPem, privateKeyPem, listener }: TlsOptions): Server {
  const server = createServer({
    cert: chainPem, key: privateKeyPem, minVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'],
    maxHeaderSize: config.maxHeaderBytes, headersTimeout: config.headersTimeout * 1000, requestTimeout: config.requestTimeout * 1000,
    keepAliveTimeout: config.keepAliveTimeout * 1000, handshakeTimeout: config.headersTimeout * 1000, insecureHTTPParser: false,
  }, listener);
  // Node counts one more than it is told and drops the rest in silence; the application refuses them (see app.ts).
  server.maxHeadersCount = config.maxHeaders + 1;
  server.maxConnections = config.maxConnections;
  server.on('clientError', refuse);
  return server;
}

export function tooManyHeaders(request: IncomingMessage, maxHeaders: number): boolean {
  return request.rawHeaders.length / 2 > maxHeaders;
}

/** What is no request at all is still answered in the envelope, where the connection allows it. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) { socket.destroy(); return; }
  const kind = error.code === 'HPE_HEADER_OVERFLOW' ? 'headersTooLarge' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timeout' : 'malformedRequest';
  const { status, body } = answer(kind, '-', {});
  const text = `${JSON.stringify(body)}\n`;
  socket.end(`HTTP/1.1 ${status} \r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
}

/** Starts listening and answers the port. @throws Error with a sentence about what to do */
export async function listen(server: Server, address: string): Promise<number> {
  const { host, port } = parseHostPort(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`${address} is in use by another program. Stop it, or set EDGE_LISTEN to another address.`) : error);
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as { port: number }).port;
}
